"""Forced outcomes of randomness: a test forces them by tag and value, a replay repeats those of the recorded transaction.

Forced outcomes are part of the record of a transaction, which could not be replayed without them. The record has the tag and
the outcome of each draw: the number for `below`, the index of the item for `choice`, the indexes in their order for `shuffle`
and `sample`, and None for a draw for which no outcome was left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from chain.values import short_repr

DrawRecord: TypeAlias = tuple[tuple[str, object], ...]


def count_of(items: Sequence[object]) -> int:
    """Return the number of items, also of a range that is too long for `len`."""
    if isinstance(items, range):
        return max(
            0, (items.stop - items.start + items.step - (1 if items.step > 0 else -1)) // items.step
        )
    return len(items)


class ForcedRandom(ABC):
    """The source that `self.random` asks before it draws. Each method returns None if the tag is not forced."""

    # Returns the owner of the outcomes, None once it is gone.
    scope: Callable[[], object] | None = None

    def __init__(self) -> None:
        self._drawn: list[tuple[str, object]] = []
        self._taken: dict[str, int] = {}  # the number of outcomes used, by tag

    @property
    def is_wanted(self) -> bool:
        """True if the owner of the outcomes still exists."""
        return self.scope is None or self.scope() is not None

    @property
    def taken(self) -> dict[str, int]:
        """The number of outcomes used, by tag. `go_back` restores it."""
        return self._taken

    def roll_back(self, taken: dict[str, int]) -> None:
        """Undo all draws since `taken` was read."""
        self._taken, self._drawn = taken, []

    def below(self, n: int, tag: str) -> int | None:
        """Return the forced number."""
        forced = self.next_outcome(tag)
        if forced is None:
            return None
        [number] = forced
        self._drawn.append((tag, number if type(number) is int else -1))
        if not (type(number) is int and 0 <= number < n):
            raise ValueError(f"the loaded outcome {number!r} for '{tag}' is not in 0..{n - 1}")
        return number

    def choose_index(self, items: Sequence[object], tag: str) -> int | None:
        """Return the index of the forced item."""
        forced = self.next_outcome(tag)
        if forced is None:
            return None
        index = self.index_of(forced[0], items)
        self._drawn.append((tag, index))
        if not 0 <= index < count_of(items):
            raise ValueError(
                f"the loaded outcome {forced[0]!r} for '{tag}' is not one of {items!r}"
            )
        return index

    def permutation(self, items: Sequence[object], tag: str) -> Sequence[int] | None:
        """Return the indexes of the items in their new order."""
        forced = self.next_outcome(tag)
        if forced is None:
            return None
        order = self.order_of(forced[0], items)
        self._drawn.append((tag, tuple(order)))
        if sorted(order) != list(range(len(items))):
            raise ValueError(
                f"the loaded outcome {forced[0]!r} for '{tag}' is not an order of {items!r}"
            )
        return order

    def selection(self, items: Sequence[object], count: int, tag: str) -> Sequence[int] | None:
        """Return the indexes of the items that are drawn without putting them back."""
        forced = self.next_outcome(tag)
        if forced is None:
            return None
        drawn = self.order_of(forced[0], items)
        self._drawn.append((tag, tuple(drawn)))
        if len(drawn) != count or -1 in drawn:
            raise ValueError(
                f"the loaded outcome {forced[0]!r} for '{tag}' is not {count} of {items!r}"
            )
        return drawn

    def drain_record(self) -> DrawRecord:
        """Return the record of the forced draws since the last call."""
        record, self._drawn = tuple(self._drawn), []
        return record

    def exhausted_error(self, tag: str) -> LookupError:
        """Record a draw for which no outcome is left, and return the error to raise."""
        self._drawn.append((tag, None))
        return LookupError(f"more draws are tagged '{tag}' than outcomes were loaded")

    @abstractmethod
    def next_outcome(self, tag: str) -> tuple[object] | None:
        """Return the next outcome for `tag` in a tuple, or None if the tag is not forced."""

    @abstractmethod
    def index_of(self, outcome: object, items: Sequence[object]) -> int:
        """Return the index of the outcome in `items`, or -1 if it is not one of them."""

    @abstractmethod
    def order_of(self, outcome: object, items: Sequence[object]) -> Sequence[int]:
        """Return the indexes of the items in the order of the outcome; -1 for a value that is not one of them."""


class LoadedOutcomes(ForcedRandom):
    """The outcomes that a test has loaded, by tag, as values."""

    def __init__(self, outcomes: dict[str, list[object]]) -> None:
        super().__init__()
        for tag, items in outcomes.items():
            if not isinstance(items, list | tuple):
                raise TypeError(
                    f"the outcomes of '{tag}' are a list: write {tag}=[{short_repr(items)}], not {short_repr(items)}"
                )
        self.outcomes = {tag: list(items) for tag, items in outcomes.items()}
        self._other_tags: dict[str, None] = {}  # of the draws that were free

    def next_outcome(self, tag: str) -> tuple[object] | None:
        outcomes = self.outcomes.get(tag)
        if outcomes is None:
            self._other_tags[tag] = None
            return None
        taken = self._taken.get(tag, 0)
        if taken == len(outcomes):
            raise self.exhausted_error(tag)
        self._taken = {**self._taken, tag: taken + 1}
        return (outcomes[taken],)

    def index_of(self, outcome: object, items: Sequence[object]) -> int:
        return items.index(outcome) if outcome in items else -1

    def order_of(self, outcome: Any, items: Sequence[object]) -> Sequence[int]:
        unused = list(range(len(items)))
        order = []
        for value in outcome:
            index = next((i for i in unused if items[i] == value), None)
            if index is not None:
                unused.remove(index)
            order.append(-1 if index is None else index)
        return order

    @property
    def unused(self) -> dict[str, list[object]]:
        """The outcomes that were not drawn, by tag."""
        unused = {tag: items[self._taken.get(tag, 0) :] for tag, items in self.outcomes.items()}
        return {tag: items for tag, items in unused.items() if items}

    def check_empty(self) -> None:
        """Check that all outcomes were drawn."""
        if self.unused:
            others = ", ".join(map(repr, self._other_tags))
            raise AssertionError(
                f"loaded outcomes that were not drawn: {self.unused}"
                + (f"; there were draws of {others}" if others else "")
            )


class RecordedOutcomes(ForcedRandom):
    """The forced outcomes of a transaction that is replayed."""

    def __init__(self, drawn: DrawRecord) -> None:
        super().__init__()
        self._outcomes: defaultdict[str, list[object]] = defaultdict(list)
        for tag, outcome in drawn:
            self._outcomes[tag].append(outcome)

    def next_outcome(self, tag: str) -> tuple[object] | None:
        outcomes = self._outcomes.get(tag)
        if outcomes is None:
            return None
        taken = self._taken.get(tag, 0)
        self._taken = {**self._taken, tag: taken + 1}
        if taken >= len(outcomes) or outcomes[taken] is None:
            raise self.exhausted_error(tag)
        return (outcomes[taken],)

    def index_of(self, outcome: object, items: Sequence[object]) -> int:
        return outcome if type(outcome) is int else -1

    def order_of(self, outcome: object, items: Sequence[object]) -> Sequence[int]:
        return outcome if isinstance(outcome, tuple) else ()
