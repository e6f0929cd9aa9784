"""A game of each kind ends in the same block on every version of Python: the values beside this were the same on 3.11 to 3.15.

A change of a contract or of gas changes them; `pytest tests/games/test_python_versions.py --rewrite` then writes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from chain import Chain
from chain.arena.find_game import find_game
from tests.chain.game_folders import GAMES

PLIES = 8


@pytest.mark.parametrize("name", GAMES)
def test_game_has_same_digests_gas_and_hashes(
    name: str, golden: Callable[[Path, str], None]
) -> None:
    chain = Chain(seed=7)
    table = find_game(f"contracts.{name}").on_chain(chain, 2, Random(7))
    for ply in range(PLIES):
        moves = table.moves()
        table.make(moves[ply * 7919 % len(moves)])
    codes = dict.fromkeys(chain.code(receipt.address) for receipt in chain.receipts)
    said = [
        *(f"code 0x{code.hex()}" for code in codes),
        *(f"{each.entry}: {each.gas_used} gas, {each.ticks} ticks" for each in chain.receipts),
        f"state 0x{chain.state_root().hex()}",
        f"block 0x{chain.block_hash().hex()}",
    ]
    golden(Path(__file__).parent / "golden" / f"versions_{name}.txt", "\n".join([*said, ""]))
