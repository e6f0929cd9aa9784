def refuse(move, moves: list) -> str:
    return f"{move!r} is none of {moves!r}" + repr(move)
