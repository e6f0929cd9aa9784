def move() -> int:
    move.count += 1
    return move.count
