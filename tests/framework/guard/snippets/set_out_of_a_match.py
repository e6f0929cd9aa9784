def told(asked: object) -> list[str]:
    match asked:
        case set(names):
            return list(names)
        case frozenset() as names:
            return [*names]
        case {"team": _}:
            return []
    match {"team": {"red", "blue"}}:
        case {"team": team}:
            return list(team)
    match {"red"}, 1:
        case team, number:
            return list(team)
    return []
