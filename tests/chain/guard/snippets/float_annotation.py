def share(total: float) -> int:
    return int(float(total))
