def count(cards: list[str], others: set[str]) -> tuple[int, bool, list[str]]:
    kinds = {card[0] for card in cards}
    kinds |= others
    kinds.add("joker")
    kinds.discard("ace")
    if "king" in kinds and kinds <= others or kinds & others == set():
        kinds = kinds - others
    most = max(len(kind) for kind in kinds)
    is_long = any(len(kind) > 3 for kind in kinds) and all(kinds)
    lengths = sum([len(kind) for kind in kinds]) + len({len(kind) for kind in kinds})
    return most + lengths, is_long, [*sorted(kinds), min(kinds)]


def in_order(cards: set[str]) -> list[str]:
    cards = sorted(cards)
    for card in cards:
        cards = cards[1:] + [card]
    first, *rest = cards
    return [card for card in dict.fromkeys(cards)] + [first, *rest]


def walk(graph: dict[str, list[str]]) -> list[str]:
    met = set()
    waiting = list(graph)
    for place in waiting:
        if place not in met:
            met.add(place)
            waiting += graph[place]
    return sorted(met, reverse=True)
