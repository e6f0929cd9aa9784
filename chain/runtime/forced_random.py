"""Outcomes of chance that somebody forces: a test, by tag and value, or a replay, with what was forced in the first play.

What was forced in a transaction is a part of its record, or nobody could play it again. The record says for each draw its tag
and what came: the number that `below` gave, the place of the item that `choice` took, the places in the order of `shuffle`;
None stands for a draw that found nothing left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from chain.schema.validation import short_repr

DrawRecord: TypeAlias = tuple[tuple[str, Any], ...]


class ForcedRandom(ABC):
    """Where `self.random` asks before it draws. Each question is answered with None where the tag is not forced."""

    scope: Callable[[], object] | None = None  # what has forced them, as long as it lives

    def __init__(self) -> None:
        self._drawn: list[tuple[str, Any]] = []
        self._taken: dict[str, int] = {}  # by tag, of the outcomes

    @property
    def is_wanted(self) -> bool:
        return self.scope is None or self.scope() is not None

    @property
    def taken(self) -> dict[str, int]:
        """How far the outcomes are taken; to be given back to `go_back`."""
        return self._taken

    def go_back(self, taken: dict[str, int]) -> None:
        """Nothing was taken since."""
        self._taken, self._drawn = taken, []

    def below(self, n: int, tag: str) -> int | None:
        """The number that is to come."""
        found = self.next_outcome(tag)
        if found is None:
            return None
        [number] = found
        self._drawn.append((tag, number if type(number) is int else -1))
        if not (type(number) is int and 0 <= number < n):
            raise ValueError(f"the loaded outcome {number!r} for '{tag}' is not in 0..{n - 1}")
        return number

    def choose_index(self, items: Sequence[Any], tag: str) -> int | None:
        """The place of the item that is to be taken."""
        found = self.next_outcome(tag)
        if found is None:
            return None
        place = self.index_of(found[0], items)
        self._drawn.append((tag, place))
        if not 0 <= place < len(items):
            raise ValueError(f"the loaded outcome {found[0]!r} for '{tag}' is none of {items!r}")
        return place

    def permutation(self, items: Sequence[Any], tag: str) -> Sequence[int] | None:
        """The places of the items in their new order."""
        found = self.next_outcome(tag)
        if found is None:
            return None
        order = self.order_of(found[0], items)
        self._drawn.append((tag, tuple(order)))
        if sorted(order) != list(range(len(items))):
            raise ValueError(
                f"the loaded outcome {found[0]!r} for '{tag}' is no order of {items!r}"
            )
        return order

    def drain_record(self) -> DrawRecord:
        """What was forced since this was last asked."""
        told, self._drawn = tuple(self._drawn), []
        return told

    def exhausted_error(self, tag: str) -> LookupError:
        self._drawn.append((tag, None))
        return LookupError(f"more draws are tagged '{tag}' than outcomes were loaded")

    @abstractmethod
    def next_outcome(self, tag: str) -> tuple[Any] | None:
        """The next outcome for `tag` in a tuple; None where the tag is not forced."""

    @abstractmethod
    def index_of(self, outcome: Any, items: Sequence[Any]) -> int:
        """Where the outcome is among `items`; -1 if it is not."""

    @abstractmethod
    def order_of(self, outcome: Any, items: Sequence[Any]) -> Sequence[int]:
        """The places of the items in the order of the outcome, as far as they are there."""


class LoadedOutcomes(ForcedRandom):
    """For each tag the outcomes still to come, as values."""

    def __init__(self, outcomes: dict[str, list[Any]]) -> None:
        super().__init__()
        for tag, items in outcomes.items():
            if not isinstance(items, list | tuple):
                raise TypeError(
                    f"the outcomes of '{tag}' are a list: write {tag}=[{short_repr(items)}], not {short_repr(items)}"
                )
        self._outcomes = {tag: list(items) for tag, items in outcomes.items()}

    def next_outcome(self, tag: str) -> tuple[Any] | None:
        outcomes = self._outcomes.get(tag)
        if outcomes is None:
            return None
        taken = self._taken.get(tag, 0)
        if taken == len(outcomes):
            raise self.exhausted_error(tag)
        self._taken = {**self._taken, tag: taken + 1}
        return (outcomes[taken],)

    def index_of(self, outcome: Any, items: Sequence[Any]) -> int:
        return items.index(outcome) if outcome in items else -1

    def order_of(self, outcome: Any, items: Sequence[Any]) -> Sequence[int]:
        left = list(range(len(items)))
        order = []
        for wanted in outcome:
            place = next((i for i in left if items[i] == wanted), None)
            if place is not None:
                left.remove(place)
            order.append(-1 if place is None else place)
        return order

    @property
    def unused(self) -> dict[str, list[Any]]:
        """What nobody has drawn yet."""
        found = {tag: items[self._taken.get(tag, 0) :] for tag, items in self._outcomes.items()}
        return {tag: items for tag, items in found.items() if items}

    def check_empty(self) -> None:
        if self.unused:
            raise AssertionError(f"loaded outcomes that nobody drew: {self.unused}")


class RecordedOutcomes(ForcedRandom):
    """What was forced in a transaction that is played again."""

    def __init__(self, drawn: DrawRecord) -> None:
        super().__init__()
        self._outcomes: defaultdict[str, list[Any]] = defaultdict(list)
        for tag, outcome in drawn:
            self._outcomes[tag].append(outcome)

    def next_outcome(self, tag: str) -> tuple[Any] | None:
        outcomes = self._outcomes.get(tag)
        if outcomes is None:
            return None
        taken = self._taken.get(tag, 0)
        self._taken = {**self._taken, tag: taken + 1}
        if taken >= len(outcomes) or outcomes[taken] is None:
            raise self.exhausted_error(tag)
        return (outcomes[taken],)

    def index_of(self, outcome: Any, items: Sequence[Any]) -> int:
        return outcome if type(outcome) is int else -1

    def order_of(self, outcome: Any, items: Sequence[Any]) -> Sequence[int]:
        return outcome if isinstance(outcome, tuple) else ()
