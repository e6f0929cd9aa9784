async def play(moves) -> list[int]:
    async with moves as stream:
        return [await move async for move in stream]
