def half(points: int) -> int:
    points /= 2
    return int(points / 2)
