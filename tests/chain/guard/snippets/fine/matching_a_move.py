from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    row: int
    column: int


@dataclass(frozen=True)
class Pass:
    pass


def tell(move: Place | Pass | list[int] | dict[str, int]) -> str:
    match move:
        case Place(row=0, column=column):
            return f"first row, {column}"
        case Place(row, column) if row == column:
            return "on the diagonal"
        case Pass() as passed:
            return f"{passed}"
        case [first, *rest]:
            return f"{first} and {len(rest)} more"
        case {"row": row, **others}:
            return f"{row}, {sorted(others)}"
        case None | 1:
            return "-"
        case _:
            return "?"


def parity(n: int) -> int:
    if (half := n // 2) * 2 == n:
        return half
    total = 0
    while n > 0:
        n, digit = divmod(n, 10)
        total += digit**2 % 7
    else:
        total -= 1
    return -total if total & 1 else ~total >> 1
