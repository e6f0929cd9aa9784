def shown(moves) -> str:
    return ", ".join(map(repr, moves))
