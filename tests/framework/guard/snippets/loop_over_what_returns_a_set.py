def open_cells(board: dict[str, int]) -> "set[str]":
    return {cell for cell, player in board.items() if not player}


def moves(board: dict[str, int]):
    yield from open_cells(board)
    for index, cell in enumerate(open_cells(board)):
        yield f"{index}{cell}"
