"""Nim again, with a table on a chain that departs from the rules."""

from __future__ import annotations

from typing import Final

from chain.arena import Game
from tests.chain.arena.nim import STRATEGIES, Nim, OtherChainTable, RulesTable

PLAY: Final = Game[int, int](
    contracts=(Nim,),
    seats=(2,),
    strategies=STRATEGIES,
    on_chain=OtherChainTable,
    by_rules=RulesTable,
)
