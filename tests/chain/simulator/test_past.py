"""The past of a chain, for reading, and forks that continue from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import (
    Chain,
    Contract,
    InvalidTransaction,
    Key,
    Map,
    Reverted,
    System,
    Vector,
    call,
    event,
    model,
    view,
)
from chain.types import Address, u8, u32, u64


@event
class Counted:
    by: Key[Address]
    count: u32


class Counter(Contract):
    count: u32
    log_of: Vector[u64]
    names: Map[str, u32]

    @call(payable=True)
    def add(self, n: u32) -> None:
        self.count += n
        self.log_of.append(self.block.timestamp)
        self.names[self.caller_id] = self.count
        self.emit(Counted(self.caller, self.count))

    @call
    def roll(self) -> u32:
        self.count = self.random.below(1000)
        return self.count

    @view
    def total(self) -> u32:
        return self.count

    @view
    def when(self) -> tuple[u64, u64, u32]:
        return (self.block.number, self.block.timestamp, self.block.prevrandao % 2**32)

    @view
    def my_name(self) -> str:
        return self.caller_id


@model
class Score:
    id: Key[u8]
    points: u32


class Scorer(System):
    @call
    def score(self, id: u8, points: u32) -> None:
        self.world.write(Score(id, points))

    @view
    def of(self, id: u8) -> u32:
        return self.world.read(Score, id).points


@pytest.fixture
def counter(chain: Chain) -> Any:
    """Deployed in block 1; 5, 10 and 15 in blocks 2, 3 and 4."""
    counter = chain.deploy(Counter)
    for _ in range(3):
        counter.add(5, value=100)
    return counter


# The past


def test_views_run_on_the_past(chain: Chain, counter: Any) -> None:
    assert [chain.at(block).handle(counter).total() for block in (1, 2, 3, 4)] == [0, 5, 10, 15]


def test_fields_are_of_the_past(chain: Chain, counter: Any) -> None:
    then = chain.at(3).handle(Counter, counter.address).fields
    assert (then.count, len(then.log_of)) == (10, 2)
    assert list(then.log_of) == [chain.blocks[n].timestamp for n in (2, 3)]


def test_block_is_of_the_past(chain: Chain, counter: Any) -> None:
    chain.advance(1_000)
    block = chain.blocks[2]
    expected = (2, block.timestamp, block.prevrandao % 2**32)
    assert chain.at(2).handle(counter).when() == expected


def test_accounts_are_of_the_past(chain: Chain, counter: Any) -> None:
    alice, past = chain.accounts[0], chain.at(1)
    assert (past.nonce(alice), chain.nonce(alice)) == (1, 4)
    assert (past.balance(counter.address), chain.at(3).balance(counter.address)) == (0, 200)
    assert (past.storage(counter.address, 0), chain.at(3).storage(counter.address, 0)) == (0, 10)
    assert (chain.at(0).code(counter.address), past.code(counter.address)) == (
        b"",
        chain.code(counter.address),
    )


def test_worlds_are_of_the_past(chain: Chain) -> None:
    world = chain.deploy_world("cup", systems=[Scorer], writers={Score: [Scorer]})
    first = world.system(Scorer).score(1, 7)
    world.system(Scorer).score(1, 9)
    then = chain.at(first.block_number).world(world)
    assert (then.read(Score, 1), world.read(Score, 1)) == (Score(1, 7), Score(1, 9))
    assert (then.system(Scorer).of(1), world.system(Scorer).of(1)) == (7, 9)
    assert (then.all(Score), [version.receipt for version in then.history(Score, 1)]) == (
        [Score(1, 7)],
        [first],
    )
    before = chain.at(first.block_number - 1).world(world.address)
    assert (before.all(Score), before.history(Score, 1), before.exists(Score, 1)) == ([], [], False)


def test_past_stays_as_it_was(chain: Chain, counter: Any) -> None:
    with chain.anchor():
        counter.add(100)
        past = chain.at(5)
        counter.add(100)
    counter.add(1)
    assert (past.handle(counter).total(), counter.total()) == (115, 16)


def test_looking_back_changes_nothing(chain: Chain, counter: Any) -> None:
    before = chain.state_root()
    past = chain.at(2)
    assert past.handle(counter).add.simulate(7).ok
    assert (past.handle(counter).total(), counter.total(), chain.state_root()) == (5, 15, before)


@pytest.mark.parametrize(
    "act", [lambda counter: counter.add(1), lambda counter: counter.add(n=1, value=3, check=False)]
)
def test_past_takes_no_calls(chain: Chain, counter: Any, act: Callable[[Any], None]) -> None:
    text = r"^block 3 is over and cannot change: send Counter\.add to the chain itself, or to chain\.fork\(at=3\)$"
    with pytest.raises(TypeError, match=text):
        act(chain.at(3).handle(counter))


def test_past_grants_nothing(chain: Chain) -> None:
    world = chain.deploy_world("cup", systems=[Scorer])
    with pytest.raises(
        TypeError, match=r"cannot change: send World\.grant_writer to the chain itself"
    ):
        chain.at(chain.head.number).world(world).grant_writer(Score, Scorer)


@pytest.mark.parametrize("number", [-1, 5, 2**70, "latest", None, 1.0])
def test_unknown_blocks_are_refused(chain: Chain, counter: Any, number: Any) -> None:
    with pytest.raises(
        ValueError, match=f"^there is no block {number}: the chain has blocks 0 to 4$"
    ):
        chain.at(number)


def test_failed_view_of_the_past_is_explained(chain: Chain, counter: Any) -> None:
    with pytest.raises(Reverted, match=r"^Counter has no entry with selector 0x"):
        chain.at(4).handle(Scorer, counter.address).of(1)


# Continuing from there


def test_fork_has_the_same_blocks(chain: Chain, counter: Any) -> None:
    fork = chain.fork()
    assert [fork.block_hash(n) for n in range(5)] == [chain.block_hash(n) for n in range(5)]
    assert [receipt.tx_hash for receipt in fork.receipts] == [
        receipt.tx_hash for receipt in chain.receipts
    ]
    assert (fork.state_root(), fork.now) == (chain.state_root(), chain.now)


@settings(deadline=None)
@given(st.integers(0, 3), st.lists(st.integers(1, 100), max_size=5))
def test_fork_continues_as_the_chain_would(calls: int, steps: list[int]) -> None:
    long, short = Chain(), Chain()
    counter = long.deploy(Counter)
    for n in range(3):
        counter.add(n)
    same = short.deploy(Counter)
    for n in range(calls):
        same.add(n)
    fork = long.fork(at=calls + 1)
    for made in (fork, short):
        made.advance(65)
        for n in steps:
            made.handle(counter).add(n, sender=made.account(f"{n}.testnet"))
            made.handle(counter).roll()
    assert fork.block_hash() == short.block_hash()


def test_fork_and_chain_part(chain: Chain, counter: Any) -> None:
    fork = chain.fork(at=2)
    there = fork.handle(counter)
    there.add(1)
    counter.add(100)
    assert (there.total(), counter.total()) == (6, 115)
    assert (fork.head.number, chain.head.number) == (3, 5)
    assert (fork.events(Counted).count(), chain.events(Counted).count()) == (2, 4)
    assert [receipt.args for receipt in fork.receipts.where(entry="add")] == [{"n": 5}, {"n": 1}]


def test_undoing_in_a_fork_stays_there(chain: Chain) -> None:
    start = chain.snapshot()
    counter = chain.deploy(Counter)
    counter.add(5)
    fork = chain.fork()
    fork.revert(start)
    assert (fork.head.number, len(fork.receipts), fork.events(Counted).count()) == (0, 0, 0)
    assert (chain.head.number, counter.total(), chain.events(Counted).count()) == (2, 5, 1)


def test_fork_keeps_clock_of_block(chain: Chain, counter: Any) -> None:
    fork = chain.fork(at=2)
    assert fork.now == chain.blocks[2].timestamp
    fork.advance(65)
    assert fork.handle(counter).add(1).timestamp == chain.blocks[2].timestamp + 65


def test_fork_of_now_keeps_moved_clock(chain: Chain, counter: Any) -> None:
    chain.advance(65)
    fork = chain.fork()
    fork.advance(1)
    assert fork.handle(counter).add(1).timestamp == chain.blocks[4].timestamp + 66
    assert counter.add(1).timestamp == chain.blocks[4].timestamp + 65


def test_fork_keeps_names(chain: Chain, counter: Any) -> None:
    first = chain.account("first.testnet")
    chain.mine()
    late, early = chain.fork(), chain.fork(at=4)
    assert late.handle(counter).my_name(sender=first) == "first.testnet"
    assert early.handle(counter).my_name(sender=first) == str(first)
    assert early.account("first.testnet") == first
    assert early.handle(counter).my_name(sender=first) == "first.testnet"


def test_fork_knows_declared_programs(chain: Chain, counter: Any) -> None:
    program = chain.declare(Scorer)
    assert chain.fork().machine.programs[program.digest] is program
    assert Scorer.__name__ not in {made.spec.name for made in Chain().machine.programs.values()}


def test_fork_rebinds_worlds(chain: Chain) -> None:
    world = chain.deploy_world("cup", systems=[Scorer], writers={Score: [Scorer]})
    fork = chain.fork()
    fork.world(world).system(Scorer).score(1, 5)
    fork.world(world).revoke_writer(Score, Scorer)
    assert (fork.world(world).read(Score, 1).points, world.read(Score, 1).points) == (5, 0)
    assert world.system(Scorer).score(1, 6).ok
    with pytest.raises(Reverted, match="no write access"):
        fork.world(world).system(Scorer).score(1, 6)


def test_fork_inside_open_block(chain: Chain, counter: Any) -> None:
    with chain.block():
        first = counter.add(1)
        fork = chain.fork()
        counter.add(2)
    receipt = fork.handle(counter).add(4)
    assert fork.head.gas_used == first.gas_used + receipt.gas_used
    assert (fork.handle(counter).total(), counter.total()) == (20, 18)
    assert (receipt.index, receipt.block_number, fork.head.number) == (1, 5, 5)


def test_fork_keeps_chain_rules() -> None:
    long, short = (Chain(seed=7, chain_id=99, gas_limit=100_000, base_fee=3) for _ in range(2))
    long.mine(3)
    short.mine(2)
    fork = long.fork(at=2)
    assert (fork.mine().prevrandao, fork.chain_id) == (short.mine().prevrandao, 99)
    assert fork.block_hash() == short.block_hash()
    with pytest.raises(InvalidTransaction, match="gas limit reached, a block holds"):
        fork.send(fork.accounts[0], gas=100_001)


@pytest.mark.parametrize("number", [-1, 5])
def test_fork_at_unknown_block(chain: Chain, counter: Any, number: int) -> None:
    with pytest.raises(
        ValueError, match=f"^there is no block {number}: the chain has blocks 0 to 4$"
    ):
        chain.fork(at=number)


# Setting things by hand


def test_setting_by_hand_is_undone_too(chain: Chain, counter: Any) -> None:
    bob, code = chain.accounts[1], chain.code(counter.address)
    with chain.anchor():
        chain.set_nonce(bob, 5)
        chain.set_code(bob, code)
        chain.set_storage(bob, 0, 42)
        chain.set_balance(bob, 3)
        assert (chain.handle(Counter, bob).total(), chain.nonce(bob), chain.balance(bob)) == (
            42,
            5,
            3,
        )
    assert (chain.code(bob), chain.nonce(bob), chain.storage(bob, 0)) == (b"", 0, 0)


def test_what_is_set_belongs_to_next_block(chain: Chain, counter: Any) -> None:
    chain.set_balance(counter.address, 1)
    chain.mine()
    assert [chain.at(n).balance(counter.address) for n in (4, 5)] == [300, 1]
