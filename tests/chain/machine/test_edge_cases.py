"""Edge cases of the machine that a single line decides: each was once broken on purpose, and no other test noticed."""

from __future__ import annotations

import pytest

from chain import Chain, Contract, Map, Set, Vector, call
from chain.errors import InvalidTransaction
from chain.machine.frame import Frame
from chain.machine.machine import Machine
from chain.machine.transaction import Transaction
from chain.types import Address, u8, u64
from tests.chain.helpers import Code, Deploy

ALICE = Chain().accounts[0]


class Ledgers(Contract):
    scores: Map[Address, u64]
    marks: Map[u8, u8 | None]
    words: Map[u8, str | None]
    flags: Map[u8, bool | None]
    seen: Set[Address]
    moves: Vector[u64]

    @call
    def score(self, points: u64) -> None:
        self.scores[self.caller] = points
        self.moves.append(points)
        self.seen.add(self.caller)

    @call
    def unset(self) -> list[bool]:
        found = [0 in self.marks, 0 in self.words, 0 in self.flags]
        self.marks[0], self.words[0], self.flags[0] = 0, "", False
        return [*found, 0 in self.marks, 0 in self.words, 0 in self.flags]


def test_fork_traces_what_came_after_a_setting(chain: Chain, deploy: Deploy) -> None:
    chain.set_balance(chain.accounts[3], 5)
    deploy(Ledgers).score(7)
    fork = chain.fork()
    assert str(fork.receipts[-1].trace) == str(chain.receipts[-1].trace)


def test_fork_keeps_automine_and_interval(chain: Chain) -> None:
    chain.automine, chain.block_interval = False, 9
    fork = chain.fork()
    fork.send(ALICE)
    assert (fork.head.number, fork.mine().timestamp) == (0, chain.head.timestamp + 9)


def test_anchor_undoes_overrides_of_the_next_block(chain: Chain) -> None:
    with chain.anchor():
        chain.set_next_block(prevrandao=5)
    assert chain.mine().prevrandao != 5


@pytest.mark.parametrize("value", ["scores", "moves", "seen"])
def test_fork_names_slots_that_were_hashed_last(chain: Chain, deploy: Deploy, value: str) -> None:
    deploy(Ledgers).score(7)
    assert any(write.field == value for write in chain.fork().receipts[-1].writes)


def test_stored_zero_is_in_an_optional_map(deploy: Deploy) -> None:
    assert deploy(Ledgers).unset().return_value == [False] * 3 + [True] * 3


def test_deployment_returns_nothing(chain: Chain, deploy: Deploy, initcode: Code) -> None:
    deploy(Ledgers)
    chain.send(None, initcode(b"\x00"))
    assert [receipt.return_value for receipt in chain.receipts] == [None, None]


@pytest.mark.parametrize("name", ["é" * 16, "x" * 32])
def test_name_of_32_bytes_is_taken(chain: Chain, name: str) -> None:
    account = chain.account(name)
    assert chain.fork().account(name) == account


@pytest.mark.parametrize("name", ["é" * 17, "x" * 33, ""])
def test_longer_name_is_refused(chain: Chain, name: str) -> None:
    with pytest.raises(ValueError, match="use 1 to 32 printable bytes"):
        chain.account(name)
    chain.state_root()


def test_init_code_has_a_longest_size(chain: Chain) -> None:
    assert chain.send(None, bytes(49_152)).ok
    with pytest.raises(InvalidTransaction, match="49153"):
        chain.send(None, bytes(49_153))


class InterruptedMachine(Machine):
    def execute(self, frame: Frame) -> None:
        raise KeyboardInterrupt


def test_interrupted_transaction_changes_no_state() -> None:
    chain = Chain()
    alice, bob = map(bytes, (account.address for account in chain.accounts[:2]))
    before = chain.state.account(alice)
    with pytest.raises(KeyboardInterrupt):
        InterruptedMachine(chain.state).transact(
            Transaction(alice, bob, b"", 1, 100_000, 0, 10**9), chain.pending
        )
    assert chain.state.account(alice) == before
