"""The items that a step truncates. They are kept until it ends, because an interrupted step restores them."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from chain.ledger.receipts import Row
from chain.machine.state import Changes

T = TypeVar("T")


class Removed(NamedTuple, Generic[T]):
    """The length to which a list was truncated, and the items that it had beyond it."""

    length: int
    items: list[T]

    def before(self, kept: Removed[T]) -> Removed[T]:
        """Return these items, as far as they come before those `kept` from an earlier truncation, and then those."""
        new = self.items[: max(0, kept.length - self.length)]
        return Removed(min(self.length, kept.length), [*new, *kept.items])


class TruncatedTail(NamedTuple):
    """The items beyond the truncated lists of a ledger, as they were when the step began."""

    blocks: Removed[Row]
    timeline: Removed[Changes]
    notes: Removed[int]
    receipts: Removed[Row]

    def before(self, kept: TruncatedTail) -> TruncatedTail:
        """Return this tail joined with one of an earlier truncation in the same step."""
        return TruncatedTail(
            self.blocks.before(kept.blocks),
            self.timeline.before(kept.timeline),
            self.notes.before(kept.notes),
            self.receipts.before(kept.receipts),
        )
