async def play(moves) -> list[int]:
    return [await move for move in moves]
