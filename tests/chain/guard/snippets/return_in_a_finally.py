def play(moves) -> int:
    for move in moves:
        try:
            move()
        finally:
            for _ in range(3):
                break
            continue
    try:
        return 1
    finally:
        return 0
