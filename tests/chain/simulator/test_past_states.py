"""States of the past and forks, read while the chain goes on, goes back, and is interrupted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Chain, Contract, Map, call, view
from chain.machine.state import State
from chain.types import u8, u64

ADDRESSES = (b"\x01" * 20, b"\x02" * 20)
Content = tuple[dict[bytes, Any], dict[bytes, dict[int, int]]]


class Cells(Contract):
    cells: Map[u8, u64]

    @call
    def put(self, key: u8, value: u64) -> None:
        self.cells[key] = value

    @view
    def of(self, key: u8) -> u64:
        return self.cells[key]


def content(state: State) -> Content:
    """All accounts and words."""
    words = {address: dict(storage) for address, storage in state.storages.items()}
    return dict(state.accounts), {address: kept for address, kept in words.items() if kept}


def by_question(state: State, of: Content) -> Content:
    """The same accounts and words, each asked alone."""
    accounts = {address: state.account(address) for address in of[0]}
    return accounts, {
        a: {slot: state.word(a, slot) for slot in words} for a, words in of[1].items()
    }


class Play:
    """Chains that are changed at random, with the states that they had."""

    def __init__(self) -> None:
        self.chains = [Chain()]
        self.moments = [[content(self.chains[0].state)]]
        self.read: list[tuple[State, Content]] = []

    def change(self, which: int, act: Callable[[State], None]) -> None:
        chain = self.chains[which]
        act(chain.state)
        chain.driver.record_changes()
        states = self.moments[which]
        del states[len(chain.ledger.timeline) :]
        states.append(content(chain.state))

    def revert(self, which: int, moment: int) -> None:
        chain = self.chains[which]
        chain.ledger.truncate(1, min(moment, len(chain.ledger.timeline)), 0)

    def look(self, which: int, moment: int, keep: bool) -> None:
        chain, states = self.chains[which], self.moments[which]
        moment = min(moment, len(chain.ledger.timeline))
        state = chain.ledger.past.state(moment)
        assert state.word(ADDRESSES[0], 1) == states[moment][1].get(ADDRESSES[0], {}).get(1, 0)
        if keep:
            self.read.append((state, states[moment]))
        else:
            assert content(state) == states[moment]

    def fork(self, which: int) -> None:
        chain = self.chains[which]
        self.chains.append(chain.fork())
        self.moments.append(self.moments[which][: len(chain.ledger.timeline) + 1])


def word_set(address: bytes, slot: int, word: int) -> Callable[[State], None]:
    return lambda state: state.set_word(address, slot, word)


def both_set(address: bytes, slot: int, word: int) -> Callable[[State], None]:
    def act(state: State) -> None:
        state.set_word(address, slot, word)
        state.set_account(address, (slot, word, state.account(address)[2]))
        state.set_word(address, slot, word + 1)

    return act


def deleted(address: bytes, slot: int, word: int) -> Callable[[State], None]:
    def act(state: State) -> None:
        state.delete_account(address)
        state.set_word(address, slot, word)

    return act


_SMALL = st.integers(0, 3)
_CHANGES = st.builds(
    lambda act, *values: act(*values),
    st.sampled_from([word_set, both_set, deleted]), st.sampled_from(ADDRESSES), _SMALL, _SMALL,
)  # fmt: skip
_ACTS = st.one_of(
    st.tuples(st.just(Play.change), _SMALL, _CHANGES),
    st.tuples(st.just(Play.change), st.just(0), _CHANGES),
    st.tuples(st.just(Play.look), _SMALL, st.integers(0, 12), st.booleans()),
    st.tuples(st.just(Play.revert), _SMALL, st.integers(0, 12)),
    st.tuples(st.just(Play.fork), _SMALL),
)


@settings(max_examples=120)
@given(st.lists(_ACTS, min_size=10, max_size=40))
def test_past_and_forks_stay_as_they_were(acts: list[Any]) -> None:
    play = Play()
    for act, which, *values in acts:
        act(play, which % len(play.chains), *values)
        for chain, states in zip(play.chains, play.moments, strict=True):
            assert content(chain.state) == states[len(chain.ledger.timeline)]
    for state, expected in play.read:
        assert by_question(state, expected) == expected
        assert content(state) == expected


def test_past_does_not_see_the_running_transaction(chain: Chain) -> None:
    cells = chain.deploy(Cells)
    cells.put(1, 5)
    past = chain.ledger.past.state(len(chain.ledger.timeline))
    chain.state.set_word(cells.address, 9, 8)
    assert (past.word(cells.address, 9), chain.state.word(cells.address, 9)) == (0, 8)
    chain.state.abandon()
    assert past.word(cells.address, 9) == 0


def test_past_forgets_what_was_undone(chain: Chain) -> None:
    cells, before = chain.deploy(Cells), chain.snapshot()
    number = cells.put(1, 5).block_number
    assert chain.at(block=number).handle(cells).of(1) == 5
    chain.revert(before)
    cells.put(2, 6)
    assert [chain.at(block=number).handle(cells).of(key) for key in (1, 2)] == [0, 6]


def test_before_and_after_lie_within_a_block(chain: Chain) -> None:
    cells = chain.deploy(Cells)
    with chain.block():
        receipts = [cells.put(1, value) for value in (3, 4, 5)]
        assert chain.before(receipts[1]).handle(cells).of(1) == 3  # the block is still open
    chain.account("zoe")
    receipts.append(cells.put(1, 6))
    before = [chain.before(receipt).handle(cells).of(1) for receipt in receipts]
    after = [chain.after(receipt).handle(cells).of(1) for receipt in receipts]
    assert (before, after) == ([0, 3, 4, 5], [3, 4, 5, 6])
    assert chain.before(receipts[2]).block.number == receipts[2].block_number


def test_undone_receipt_has_no_before(chain: Chain) -> None:
    cells = chain.deploy(Cells)
    with chain.anchor():
        receipt = cells.put(1, 3)
    with pytest.raises(LookupError, match="this transaction was undone"):
        chain.before(receipt)


def test_held_states_survive_requests_for_others(chain: Chain) -> None:
    cells = chain.deploy(Cells)
    receipts = [cells.put(1, value) for value in range(1, 9)]
    held = [chain.after(receipt) for receipt in receipts[:3]]
    assert chain.after(receipts[4]).handle(cells).of(1) == 5
    assert [past.handle(cells).of(1) for past in held] == [1, 2, 3]


def test_fork_continues_with_the_chain(chain: Chain) -> None:
    cells = chain.deploy(Cells)
    cells.put(1, 3)
    fork = chain.fork()
    cells.put(1, 4)
    twin = fork.handle(cells)
    twin.put(2, 9)
    again = fork.fork(at=2).handle(cells)
    assert [each.of(key) for each in (cells, twin, again) for key in (1, 2)] == [4, 0, 3, 9, 3, 0]
    assert fork.receipts[-1].writes[0].keys == (2,)
