from __future__ import annotations

from dataclasses import dataclass

from chain import Contract, call


@dataclass(frozen=True)
class Node:
    parent: Node | None


class Game(Contract):
    @call
    def grow(self, node: Node) -> None: ...
