"""Mage Duel as a web3.py client plays it: the same contracts by their ABI, and their events as ordinary logs."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain
from contracts.mage_duel import Board, Game, deploy


@pytest.fixture
def world(chain: Chain, alice: Any, bob: Any) -> Any:
    """Two players before a fresh board, who came there by web3.py."""
    made = deploy(chain)
    functions = made.system(Game).web3.functions
    functions.create_game().transact({"from": alice})
    functions.join_game(alice).transact({"from": bob})
    return made


def test_client_makes_a_legal_move(chain: Chain, world: Any, alice: Any) -> None:
    game = world.system(Game).web3
    _, tile, *where, _ = game.functions.legal_moves(0).call()[0]
    game.functions.make_move((False, 0), *where).transact({"from": alice})
    rotation, col, row = where
    assert world.read(Board, 0).state[8 * col + row] == (tile[1], rotation, 0)


def test_client_finds_the_events(chain: Chain, world: Any, bob: Any) -> None:
    game = world.system(Game).web3
    game.functions.skip_move().transact({"from": bob})
    told = chain.web3.eth.contract(address=world.address, abi=game.abi).events
    (skiped,) = told.Skiped().get_logs(from_block=0, argument_filters={"move_id": 0})
    assert (skiped["args"]["player"], skiped["args"]["board_id"]) == (str(bob), 0)
    assert len(told.BoardUpdated().get_logs(from_block=0, argument_filters={"board_id": 1})) == 0
