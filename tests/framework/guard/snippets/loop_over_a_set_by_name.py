def first(players: list[str]) -> str:
    left = set(players)
    left.discard("alice")
    for name in left:
        return name
    return ""
