def draw(board: str) -> None:
    print(board)
    input("go on?")
