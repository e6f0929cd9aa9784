"""The versions of a value in storage: a field, an item of one, or a model of a World, as each transaction left it.

They are found from the present back. A value is read as of some index of the timeline, and the words that it was read from are
recorded. It was the same back to the last change of any of these words, and is read again as of before it. The index of
changes knows when a word changed, so what did not change the value is never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from chain.foundation.atomic_steps import locked
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.ledger.receipts import Receipt
from chain.ledger.timeline import each_change
from chain.machine.state import ACCOUNT, State
from chain.storage.read_only import ReadOnlyStorage

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

T = TypeVar("T")


@sealed
@dataclass(frozen=True, slots=True)
class Version(Generic[T]):
    """A field or a model as one transaction left it; `value` is None if the model was erased.

    >>> version = chain.history(race, "squares", alice)[-1]
    >>> version.value, version.block_number, version.receipt == receipt
    (4, 3, True)
    """

    value: T | None  # the field or the model
    block_number: int  # the block of the transaction
    timestamp: int  # the time of the transaction
    receipt: Receipt  # the receipt of the transaction


class History:
    """The past of one ledger, value by value."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.lock = ledger, ledger.lock

    @locked
    def versions(
        self, address: bytes, read: Callable[[ReadOnlyStorage], T | None], moment: int, most: int | None = None
    ) -> list[Version[T]]:  # fmt: skip
        """Return what `read` returned for the words of a contract, before a timeline index: the last `most` versions."""
        words, found = _FormerWords(self._ledger, address, moment), list[Version[T]]()
        value = read(words)
        while len(found) != most and (changed := words.last_change()) is not None:
            words.go_back(changed)
            after, value = value, read(words)
            receipt = self._ledger.receipt_at_index(changed)
            if value != after and receipt is not None:
                found.append(Version(after, receipt.block_number, receipt.timestamp, receipt))
        return found[::-1]


class _FormerWords(ReadOnlyStorage):
    """The words of a contract before a timeline index, which goes back from change to change."""

    __slots__ = ("_address", "_changes", "_known", "_ledger", "_moment", "_read", "_then")

    def __init__(self, ledger: Ledger, address: bytes, moment: int) -> None:
        self._known: dict[int, int] = {}
        super().__init__(ledger.state.slots, self._known)
        self._ledger, self._address, self._moment = ledger, address, moment
        self._read: set[int] = set()  # the slots of the value
        # By slot: the last moment at which the word changed, and those before it.
        self._changes: dict[int, tuple[int, Iterator[int]]] = {}
        self._then: State | None = None

    def sload(self, slot: int) -> int:
        self._read.add(slot)
        if slot not in self._known:
            self._then = self._then or self._ledger.past.state(self._moment)
            self._known[slot] = self._then.word(self._address, slot)
        return self._known[slot]

    def last_change(self) -> int | None:
        """Return when any of the words that were read changed last; None if never."""
        last = max(map(self._last_change, self._read), default=-1)
        return None if last < 0 else last

    def _last_change(self, slot: int) -> int:
        if slot not in self._changes:
            earlier = self._ledger.past.moments(self._address, slot, self._moment)
            self._changes[slot] = next(earlier, -1), earlier
        last, earlier = self._changes[slot]
        while last >= self._moment:
            last = next(earlier, -1)
        self._changes[slot] = last, earlier
        return last

    def go_back(self, moment: int) -> None:
        """Become the words before the changes at a timeline index, which was `last_change`."""
        for address, slot, before, _ in reversed([*each_change(self._ledger.timeline[moment])]):
            if address == self._address and slot is not ACCOUNT:
                self._known[slot] = before or 0
        self._moment, self._then = moment, None
        self._read.clear()
