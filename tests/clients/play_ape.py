"""Ape's own fixtures and helpers on a node. `test_ape.py` runs this by `ape test`, in a project made for it."""

from __future__ import annotations

import re
from typing import Any

import ape
import pytest

NOT_THERE = ape.exceptions.APINotImplementedError  # what Ape's provider for any node leaves out
STRANGER = "0x" + 40 * "5"  # digits alone are their own checksum


@pytest.fixture(scope="module")
def game(project: Any, accounts: Any) -> Any:
    alice, bob = accounts[:2]
    made = alice.deploy(project.Deblockle)
    made.create_game(alice.address, bob.address, (True, 3), sender=alice)
    return made


@pytest.fixture
def math(project: Any, accounts: Any) -> Any:
    return accounts[0].deploy(project.Math)


def test_accounts_pay(accounts: Any) -> None:
    before = accounts[1].balance
    accounts[0].transfer(accounts[1], "1 gwei")
    assert accounts[1].balance - before == 10**9
    with pytest.raises(ape.exceptions.AccountsError):
        accounts[3].transfer(accounts[0], 10**30)


def test_python_contracts_are_played(game: Any, accounts: Any) -> None:
    assert game.game_state(0).value.game.active_player == 1
    receipt = game.make_move(0, 4, 5, 4, 4, sender=accounts[0])
    assert next(iter(receipt.decode_logs(game.Log))).text.startswith("Player 1 Rolls")
    assert game.game_state(0).value.game.active_player == 2


def test_tests_are_isolated(game: Any, accounts: Any) -> None:
    assert game.game_state(0).value.game.active_player == 1
    with ape.reverts(re.compile("Wrong player's turn")):
        game.pass_move(0, sender=accounts[1])


def test_bytecode_is_called_and_traced(math: Any, accounts: Any, chain: Any) -> None:
    receipt = math.incrementCounter(5, sender=accounts[0])
    assert (math.counter(), receipt.return_value) == (5, 5)
    assert [event.value for event in receipt.events] == [5]
    assert [event.value for event in math.Increased.range(chain.blocks.height + 1)] == [5]
    assert "incrementCounter" in str(receipt.trace)


def test_errors_are_expected(project: Any, accounts: Any) -> None:
    errors = accounts[0].deploy(project.Errors)
    with ape.reverts("Function has been reverted."):
        errors.revertWithMessage()
    with ape.reverts(errors.Unauthorized):
        errors.customErrorWithoutMessage()
    with ape.reverts(errors.UnauthorizedWithMessage, errorMessage="You are not authorized"):
        errors.customErrorWithMessage()


def test_snapshots_are_restored(chain: Any, accounts: Any) -> None:
    before, number = accounts[2].balance, chain.blocks.height
    point = chain.snapshot()
    accounts[0].transfer(accounts[2], 7)
    assert accounts[2].balance == before + 7
    chain.restore(point)
    assert (accounts[2].balance, chain.blocks.height) == (before, number)
    with chain.isolate():
        accounts[0].transfer(accounts[2], 7)
    assert accounts[2].balance == before


def test_networks_are_chosen(networks: Any) -> None:
    with networks.parse_network_choice(networks.provider.network_choice) as provider:
        assert provider.chain_id == 31337


def test_blocks_are_mined_at_times(chain: Any) -> None:
    number = chain.blocks.height
    try:
        chain.mine(3)
    except NOT_THERE:
        pytest.skip("not by this provider of Ape's")
    assert chain.blocks.height == number + 3
    chain.pending_timestamp = soon = chain.pending_timestamp + 100
    chain.mine()
    assert chain.blocks.head.timestamp == soon
    chain.mine(deltatime=50)
    assert chain.blocks.head.timestamp == soon + 51  # 50 after what was next


def test_strangers_are_impersonated(networks: Any, accounts: Any) -> None:
    try:
        networks.provider.set_balance(STRANGER, 10**18)
    except NOT_THERE:
        pytest.skip("not by this provider of Ape's")
    accounts[STRANGER].transfer(accounts[0], 1)
    networks.provider.set_code(STRANGER, "0x6001")
    networks.provider.set_storage(STRANGER, 0, (9).to_bytes(32))
    assert int.from_bytes(networks.provider.get_storage(STRANGER, 0)) == 9
