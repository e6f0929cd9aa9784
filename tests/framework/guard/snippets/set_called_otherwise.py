Names = set
known = lambda: {"red", "blue"}


def told(names: list[str]) -> list[str]:
    kind = frozenset
    made = lambda: kind(names)
    for name in Names(names):
        return [name, *known()]
    return list(made())
