def fee(amount: int) -> int:
    return amount * 10**-2 + pow(amount, -1)
