from __future__ import annotations

from chain import Contract, Vector


class Game(Contract):
    board: Vector[Square]
