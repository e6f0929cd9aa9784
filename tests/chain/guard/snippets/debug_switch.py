def play(x: int) -> int:
    return x if __debug__ else 0
