class Player:
    hand = []
    points: dict[str, int] = {}
