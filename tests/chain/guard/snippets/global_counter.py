moves = 0


def move() -> int:
    global moves
    moves += 1
    return moves
