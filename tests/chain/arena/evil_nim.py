"""Nim with a strategy whose name is hostile markup, and which fails now and then."""

from __future__ import annotations

from typing import Final

from chain.arena import Game, Uniform
from tests.chain.arena.nim import ChainTable, Nim, RulesTable, Wrong

EVIL: Final = "</script><img src=x onerror=alert(1)>'\"&\u202e"

PLAY: Final = Game[int, int](
    contracts=(Nim,),
    seats=(2,),
    strategies={"random": Uniform, EVIL: Wrong},
    on_chain=ChainTable,
    by_rules=RulesTable,
)
