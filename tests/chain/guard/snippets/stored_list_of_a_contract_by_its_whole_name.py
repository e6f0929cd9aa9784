from chain.runtime.contract import Contract
from chain.types import u8


class Table(Contract):
    row: list[u8]

    def play(self) -> None:
        self.row.append(1)
