def names(players: list[str], once: bool) -> list[str]:
    if once:
        found = set(players)
    else:
        found = players
    return [name for name in found]
