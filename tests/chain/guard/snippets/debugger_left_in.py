def play() -> None:
    breakpoint()
    help(play)
