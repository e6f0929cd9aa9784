from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    row: int

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Cell):
            answer = NotImplemented
            return answer
        return super().__eq__(other) or self.row < other.row

    def same(self, other: object) -> bool:
        return NotImplemented


def agree(cells: list[Cell]) -> bool:
    return all([NotImplemented for _ in cells])
