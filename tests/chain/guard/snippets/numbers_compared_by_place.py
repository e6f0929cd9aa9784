def is_over(moves: int, limit: int, name: str) -> bool:
    return moves is limit or moves is 100 or name is not "x"
