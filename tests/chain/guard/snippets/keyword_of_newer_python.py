def pairs(left: list, right: list) -> list:
    return list(map(max, left, right, strict=True))
