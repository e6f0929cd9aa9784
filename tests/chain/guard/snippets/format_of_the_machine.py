def price(wei: int) -> str:
    return f"{wei:n}"
