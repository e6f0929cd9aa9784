def is_over(moves: int, name: str) -> bool:
    return moves is 100 or name is not "x"
