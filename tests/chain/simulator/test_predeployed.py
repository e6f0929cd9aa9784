"""The contract that holds the hashes of blocks: where it exists, each block first writes the hash of its parent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chain import Chain
from chain.machine.transaction import Transaction
from chain.replays import record, replay
from chain.simulator.predeployed import CODES, HISTORY, WINDOW

READS_PARENT = bytes.fromhex(  # calls HISTORY with the number before its own, and stores the answer
    "6001430360005260206000602060006000730000f90827f1c53a10cb7a02335b1753200029355af150600051600055"
)


@pytest.fixture
def chain() -> Chain:
    chain = Chain()
    chain.set_code(HISTORY, CODES[HISTORY])
    return chain


def known(chain: Chain, number: int) -> bytes:
    """What the contract answers."""
    return chain.call(HISTORY, number.to_bytes(32))[0].output


def _hold(chain: Chain) -> None:
    with chain.block():
        chain.send(chain.accounts[1])
        chain.send(chain.accounts[1])


def _fill(chain: Chain) -> None:
    chain.automine = False
    chain.send(chain.accounts[1])
    chain.send(chain.accounts[1])
    chain.mine()
    chain.automine = True


@pytest.mark.parametrize(
    "act", [lambda chain: chain.mine(3), lambda chain: chain.send(chain.accounts[1]), _hold, _fill]
)
def test_blocks_know_those_before(chain: Chain, act: Callable[[Chain], object]) -> None:
    for _ in range(3):
        act(chain)
    head = chain.head.number
    for number in range(head):
        assert known(chain, number) == chain.block_hash(number)
    assert not known(chain, head)
    chain.mine()
    assert known(chain, head) == chain.block_hash(head)


def test_only_the_last_hashes_are_kept(chain: Chain) -> None:
    chain.mine(WINDOW + 1)
    assert not known(chain, 0)
    assert known(chain, 1) == chain.block_hash(1)


def test_a_transaction_finds_its_parent(chain: Chain) -> None:
    alice, reader = chain.accounts[:2]
    chain.set_code(reader, READS_PARENT)
    tx = Transaction(alice, reader, b"", 0, 200_000, 0, 10**9)
    rehearsed = chain.rehearse(tx)
    parent = chain.block_hash()
    receipt = chain.send(reader, sender=alice)
    assert chain.storage(reader, 0) == int.from_bytes(parent)
    assert receipt.gas_used == rehearsed.gas_used


def test_what_comes_after_a_rollback_is_known(chain: Chain) -> None:
    chain.mine(2)
    before = chain.snapshot()
    chain.send(chain.accounts[1], value=1)
    chain.mine()
    chain.revert(before)
    for branch in (chain, chain.fork(at=1)):
        branch.mine(2)
        head = branch.head.number
        assert known(branch, head - 1) == branch.block_hash(head - 1)


def test_simulated_blocks_know_those_before(chain: Chain) -> None:
    ask = {"to": f"0x{HISTORY.hex()}", "data": f"0x{(1).to_bytes(32).hex()}"}
    blocks = chain.node.request(
        "eth_simulateV1", [{"blockStateCalls": [{}, {"calls": [ask]}]}, "latest"]
    )
    assert blocks[1]["calls"][0]["returnData"] == blocks[0]["hash"]


def test_pending_calls_know_the_last_block(chain: Chain) -> None:
    ask = {"to": f"0x{HISTORY.hex()}", "data": f"0x{bytes(32).hex()}"}
    assert chain.node.request("eth_call", [ask, "pending"]) == f"0x{chain.block_hash(0).hex()}"
    assert not chain.storage(HISTORY, 0)


def test_transcripts_leave_it_to_the_chain(chain: Chain) -> None:
    chain.send(chain.accounts[1], value=5)
    chain.mine(2)
    chain.set_next_block(coinbase=chain.accounts[2])
    chain.mine()
    text = record(chain)
    assert '"set":"storage"' not in text
    assert text.count('"block"') == 4
    assert replay(text).ok


def test_other_chains_write_nothing() -> None:
    chain = Chain()
    chain.mine(2)
    assert not chain.storage(HISTORY, 0)
    assert not chain.ledger.timeline
