from collections import defaultdict


def deal(hand=[], *, table=defaultdict(list)) -> None:
    hand.append(table)
