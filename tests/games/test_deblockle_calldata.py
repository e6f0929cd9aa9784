"""Malformed calldata changes nothing in Deblockle and is a recorded revert."""

from __future__ import annotations

import random

from chain import Chain
from contracts.deblockle import Deblockle

TRIES = 10_000


def malformed(chance: random.Random, good: list[bytes]) -> bytes:
    """Malformed calldata: noise, an unknown selector, a truncation, or a word out of range."""
    data = chance.choice(good)
    match chance.randrange(4):
        case 0:
            return chance.randbytes(chance.randrange(4))
        case 1:
            return chance.randbytes(4) + data[4:]
        case 2:
            return data[: chance.randrange(4, len(data) - 31)]
        case _:
            word = 4 + 32 * chance.randrange(min(4, (len(data) - 4) // 32))  # of the head
            return data[:word] + b"\x7f" + chance.randbytes(31) + data[word + 32 :]


def test_malformed_calldata_changes_nothing() -> None:
    chain, chance = Chain(), random.Random(2024)
    game = chain.deploy(Deblockle)
    game.create_game("x", str(chain.accounts[0]), 3)
    good = [
        game.create_game.calldata("a", "b", 2),
        game.make_move.calldata(0, 4, 5, 4, 4),
        game.pass_move.calldata(0),
        game.cube_state.calldata(0, 3, 1),
    ]
    before = dict(chain.state.storages[bytes(game.address)])
    for _ in range(TRIES):
        receipt = chain.send(game.address, malformed(chance, good), gas=200_000)
        assert receipt.error is not None and receipt.error.kind in ("refused", "revert")
    assert chain.state.storages[bytes(game.address)] == before
    assert chain.receipts.where(ok=False).count() == TRIES
