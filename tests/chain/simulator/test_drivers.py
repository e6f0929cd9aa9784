"""What a chain asks of its driver, local or remote: each change is made in a step, and each step is saved."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.machine.transaction import Transaction
from chain.simulator.driver import ChainDriver
from chain.types import u64
from tests.chain.interrupts import state_digest

# What changes no block, account or setting.
ASKED = {"close", "lacking", "load", "node", "snapshot", "unload", "web3"}
CHANGES = {
    name
    for name, method in vars(ChainDriver).items()
    if getattr(method, "__isabstractmethod__", False)
} - ASKED


class Counter(Contract):
    count: u64

    @call
    def add(self, n: u64) -> None:
        self.count += n


def hold(chain: Chain) -> None:
    with chain.block():
        chain.deploy(Counter).add(1)


def send_by_hand(chain: Chain) -> None:
    alice, bob = chain.accounts[:2]
    tx = Transaction(
        bytes(alice), bytes(bob), b"", 1, 100_000, chain.nonce(alice), chain.pending.base_fee
    )
    with suppress(TypeError):  # a node takes signed ones only
        chain.send_transaction(tx)


def wait_by_hand(chain: Chain) -> None:
    alice, bob = chain.accounts[2:4]
    tx = Transaction(bytes(alice), bytes(bob), b"", 1, 100_000, 0, chain.pending.base_fee)
    with suppress(TypeError):
        chain.add_to_open_block(tx)


def revert(chain: Chain) -> None:
    start = chain.snapshot()
    chain.mine(2)
    chain.revert(start)


ACTS: list[Callable[[Chain], object]] = [
    lambda chain: chain.set_next_block(prevrandao=5, base_fee=10**9, coinbase=bytes(20)),
    lambda chain: chain.deploy(Counter).add(1),
    lambda chain: chain.send(chain.accounts[1], value=5),
    lambda chain: chain.account("zoe"),
    lambda chain: chain.set_balance(chain.accounts[3], 10**20),
    lambda chain: chain.set_nonce(chain.accounts[4], 7),
    lambda chain: chain.set_code(bytes([1] * 20), b"\0"),
    lambda chain: chain.set_storage(bytes([1] * 20), 2, 3),
    lambda chain: chain.mine(2),
    lambda chain: chain.advance(50),
    lambda chain: chain.set_time(chain.now + 50),
    lambda chain: setattr(chain, "block_interval", 7),
    lambda chain: setattr(chain, "mining", chain.mining._replace(interval=8)),
    hold,
    send_by_hand,
    wait_by_hand,
    revert,
    lambda chain: chain.mine(),
    lambda chain: setattr(chain, "automine", False),
    lambda chain: chain.deploy(Counter),
]  # fmt: skip


def chain_in_node() -> Chain:
    near = Chain()
    near.declare(Counter)
    return Chain.connect(near.node)


@pytest.mark.parametrize("make", [Chain, chain_in_node])
def test_every_change_is_made_in_a_step(make: Callable[[], Chain]) -> None:
    chain, changed = make(), dict[str, bool]()
    kind = type(chain.driver)

    def told(name: str) -> Callable[..., Any]:
        def change(driver: ChainDriver, *args: Any) -> Any:
            changed[name] = bool(driver.begun) and changed.get(name, True)
            return getattr(kind, name)(driver, *args)

        return change

    methods = {"__slots__": (), **{name: told(name) for name in CHANGES}}
    chain.driver.__class__ = type("Told", (kind,), methods)
    for act in ACTS:
        act(chain)
    assert changed == dict.fromkeys(CHANGES, True)


class Witness:
    """An observer of steps that only looks."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.number, self.saw = chain, 0, state_digest(chain)

    def save(self) -> None:
        self.number, self.saw = self.number + 1, state_digest(self.chain)

    def is_ahead_of(self, number: int) -> bool:
        return self.number > number

    def close(self) -> None:
        self.chain.driver.observer = None


def test_every_change_is_seen_by_the_observer_of_steps() -> None:
    chain = Chain()
    witness = chain.driver.observer = Witness(chain)
    for act in ACTS:
        before = witness.number
        act(chain)
        assert witness.saw == state_digest(chain) and witness.number > before


def test_step_that_cannot_be_saved_is_undone() -> None:
    class Full(Witness):
        def save(self) -> None:
            raise OSError("no space left")

    with Chain() as chain:
        chain.deploy(Counter)
        chain.driver.observer = Full(chain)
        before = state_digest(chain)
        for act in ACTS:
            with pytest.raises(OSError, match="no space left"):
                act(chain)
            chain.settle()
            assert state_digest(chain) == before


def test_reading_is_not_saved() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    witness = chain.driver.observer = Witness(chain)
    counter.add.simulate(1), counter.add.trace(1), chain.fork(), chain.at(0), chain.sql("select 1")
    assert witness.number == 0
