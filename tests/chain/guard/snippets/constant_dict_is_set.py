SCORES = {"red": 0, "blue": 0}


def score(side: str) -> None:
    SCORES[side] += 1
    del SCORES["blue"]
