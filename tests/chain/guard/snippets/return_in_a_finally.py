def play(move) -> int:
    try:
        return move()
    finally:
        return 0
