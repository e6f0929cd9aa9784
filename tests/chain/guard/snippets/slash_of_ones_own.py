class Points:
    def __truediv__(self, other: int) -> int:
        return 0

    __float__ = None
