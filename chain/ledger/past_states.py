"""Past states. A word of the past has the value of its last change before that time, which the derived tables know.

So a distant state costs as much as a recent one, and later changes of the chain never show in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from chain.foundation.atomic_steps import locked
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.timeline import Former, each_change
from chain.machine.overlay import OverlaidAccounts, lay_over, overlay
from chain.machine.state import ACCOUNT, Account, State

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_HASH = 40  # bytes before it in a stored account


class PastState:
    """The state at an index of the timeline: the base of an overlay."""

    __slots__ = ("__weakref__", "_former", "_ledger", "_moment", "lock")

    def __init__(self, ledger: Ledger, moment: int) -> None:
        self._ledger, self._moment = ledger, moment
        self.lock: ThreadLock = ledger.lock
        self._former: Former = {}  # what was at places that changed in moments that were undone

    @locked
    def account(self, address: bytes) -> Account | None:
        account: Account | None = self._value(address, ACCOUNT)
        return account

    @locked
    def word(self, address: bytes, slot: int) -> int:
        return self._value(address, slot) or 0

    @locked
    def addresses(self) -> Iterable[bytes]:
        found = self._each("address", "")
        return dict.fromkeys([*self._ledger.genesis, *found, *(place[0] for place in self._former)])

    @locked
    def slots_of(self, address: bytes) -> Iterable[int]:
        found = [
            int.from_bytes(slot) for slot in self._each("slot", "address = ? and", bytes(address))
        ]
        undone = [slot for at, slot in self._former if at == address and slot is not ACCOUNT]
        return dict.fromkeys([*found, *undone])

    def _each(self, column: str, condition: str, *values: object) -> list[bytes]:
        """Return the values of a column, from one to the next, however many rows each has. Some may have come later."""
        least = f'select min({column}) from "derived:words" where {condition} {column} >'
        question = f"""with recursive found(x) as (
            {least} x'' union all select ({least} found.x) from found where found.x is not null
        ) select x from found where x is not null"""
        store = self._ledger.store
        return [x for (x,) in store.ask("words", question, (*values, *values), self._moment)]

    def keep(self, end: int) -> None:
        """Keep the values that a truncation of the timeline to `end` is about to undo. May be interrupted and repeated."""
        if end < self._moment:
            for changes in self._ledger.timeline[end : self._moment]:
                for address, slot, *_ in each_change(changes):
                    self._former[address, slot] = self._value(address, slot)
            self._moment = end

    def _value(self, address: bytes, slot: Any) -> Any:
        if (address, slot) in self._former:
            return self._former[address, slot]
        question = (
            'select value, moment from "derived:words" where address = ? and slot = ? and moment < ?'
            " order by moment desc limit 1"
        )
        is_account = slot is ACCOUNT
        found = self._ask(question, bytes(address), b"" if is_account else slot.to_bytes(32))
        if not found:
            return self._ledger.genesis.get(address) if is_account else 0
        return stored_account(found[0][0]) if is_account else stored_word(found[0][0])

    def _ask(self, question: str, *values: object) -> list[Any]:
        return self._ledger.store.ask("words", question, (*values, self._moment), self._moment)


class PastStates:
    """The states of the past of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._held: WeakSet[PastState] = WeakSet()
        self._stored: PastState | None = None  # below the present state

    def state(self, moment: int) -> State:
        """Return the state at an index of the timeline. The caller may change it."""
        past, state = PastState(self._ledger, moment), self._ledger.state
        self._held.add(past)
        return overlay(past, state.codes, state.slots)

    def restore(self, moment: int) -> None:
        """Begin with the state that the tables have at a moment."""
        self._stored = past = PastState(self._ledger, moment)
        self._held.add(past)
        lay_over(self._ledger.state, past)

    def fork(self, moment: int) -> State:
        """Return an independent state, for another chain that continues from an index of the timeline."""
        accounts = self._ledger.state.accounts
        if isinstance(accounts, OverlaidAccounts) and accounts.base is self._stored:
            state = self.state(moment)
            state.codes, state.slots = state.codes.copy(), state.slots.copy()
            return state
        state = self._ledger.state.copy()
        for changes in reversed(self._ledger.timeline[moment:]):
            state.undo_changes(changes)
        return state

    def moments(self, address: bytes, slot: int, end: int) -> Iterator[int]:
        """Yield the moments before `end` at which a word changed, the last one first."""
        question = (
            'select moment from "derived:words" where address = ? and slot = ? and moment < ?'
            " order by moment desc limit ?"
        )
        count = 1
        while True:
            values = bytes(address), slot.to_bytes(32), end, count
            found = self._ledger.store.ask("words", question, values, end)
            yield from (moment for (moment,) in found)
            if len(found) < count:
                return
            end, count = found[-1][0], 4 * count

    def first(self, address: bytes, slot: int) -> int | None:
        """Return the first moment at which a word changed; None if there is none."""
        question = 'select min(moment) from "derived:words" where address = ? and slot = ?'
        values = bytes(address), slot.to_bytes(32)
        moment: int | None = self._ledger.store.ask("words", question, values)[0][0]
        return moment

    def truncate(self, end: int) -> None:
        """Keep all past states unchanged while the timeline is truncated."""
        if self._held:
            for past in list(self._held):
                past.keep(end)


# Values as the table has them


def stored_value(slot: Any, value: Any) -> object:
    """Return an account or a word as a cell."""
    if value is None:
        return None
    if slot is not ACCOUNT:
        return value if value < 1 << 63 else value.to_bytes(32)
    nonce, balance, code_hash = value
    return nonce.to_bytes(8) + balance.to_bytes(32) + code_hash


def stored_account(cell: bytes | None) -> Account | None:
    if cell is None:
        return None
    return int.from_bytes(cell[:8]), int.from_bytes(cell[8:_HASH]), cell[_HASH:]


def stored_word(cell: int | bytes | None) -> int:
    return int.from_bytes(cell) if isinstance(cell, bytes) else cell or 0
