from collections import defaultdict


def winners(names):
    return {name for name in names if name}


def told(names):
    by_letter = defaultdict(set)
    teams = {}
    teams["red"] = set(names)
    for name in winners(names):
        yield name
    for name in by_letter["a"]:
        yield name
    for name in teams["red"]:
        yield name
