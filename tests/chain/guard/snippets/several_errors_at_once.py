def play(move) -> None:
    try:
        move()
    except* ValueError:
        raise
