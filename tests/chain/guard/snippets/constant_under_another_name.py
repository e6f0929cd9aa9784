BOARD = [[0] * 8 for _ in range(8)]


def place(row: int, column: int) -> None:
    cells = BOARD[row]
    cells[column] = 1
    for line in BOARD:
        line.reverse()
    cells += [1]
