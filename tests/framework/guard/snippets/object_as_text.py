class Move:
    def __init__(self, square: int) -> None:
        self.square = square


def tell(move: Move) -> str:
    return f"played {move}" + str(Move(1))
