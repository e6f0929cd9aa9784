"""Queries over receipts and events, as values.

A `Query` describes a question and holds no answers: it runs when it is iterated or counted. So it can be kept and run again
after the chain has grown or was rolled back. It queries any `Source`: the list of receipts, or the events of one type.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, overload

from chain.foundation.atomic_steps import locked
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, put, sealed
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.indexes import Positions, contains_sorted, descending
from chain.ledger.known_contracts import Contracts
from chain.ledger.receipts import Receipt
from chain.metering.program import program_of
from chain.schema.inputs import LAST_TIME, callable_of, whole_number
from chain.schema.validation import short_repr

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
PositionFinder: TypeAlias = Callable[[], Positions]
Range: TypeAlias = tuple[int | None, int | None]


class RecordSource(Protocol[T_co]):
    """A list that can be queried: by position (`place`) for an item and its receipt, by value for a finder of positions."""

    @property
    def lock(self) -> ThreadLock: ...
    def item(self, place: int) -> T_co: ...
    def receipt(self, place: int) -> Receipt: ...
    def all_positions(self) -> Positions: ...
    def finder(self, name: str, value: object) -> PositionFinder: ...
    def contract_finder(self, contract: object) -> PositionFinder: ...


@sealed
@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some results, newest first, each with its position in the chain's list and its receipt.

    >>> page = chain.events(Moved).page(limit=10)
    >>> page.items, page.places, page.receipts, page.older, page.has_older
    ((Moved(player=Address('0xf39F...'), square=4),), (0,), (<Receipt Race.roll in block 3: ok>,), None, False)
    """

    items: tuple[T, ...]  # the results
    places: tuple[int, ...]  # the position of each
    receipts: tuple[Receipt, ...]  # the receipt of each
    has_older: bool  # True if there are more

    @property
    def older(self) -> int | None:
        """The `before` of the next page; None if there is none."""
        return self.places[-1] if self.has_older else None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class Query(Sealed, Generic[T]):
    """A query: narrow it with `where`, `by_contract` and `between`, then iterate, `count`, or take `first`, `last`, `one`.

    It runs each time it is used, so it includes new items. `len`, `[i]` and slices work as for a list.

    >>> moves = chain.events(Moved)
    >>> len(moves), moves[0], [move.square for move in moves]
    (1, Moved(player=Address('0xf39F...'), square=4), [4])
    """

    __slots__ = ("_cuts", "_finders", "_source", "_tests", "lock")
    lock: Any  # the lock of the chain

    def __init__(
        self,
        source: RecordSource[T],
        finders: tuple[PositionFinder, ...] = (),
        cuts: tuple[tuple[str, Range], ...] = (),
        tests: tuple[Callable[[T], bool], ...] = (),
    ) -> None:
        self._source, self._finders, self._cuts, self._tests = source, finders, cuts, tests
        put(self, "lock", source.lock)

    @locked
    def where(self, test: Callable[[T], bool] | None = None, /, **values: object) -> Query[T]:
        """Keep only the items with these values in their fields for which `test` returns True.

        >>> chain.events(Moved).where(lambda move: move.square > 3, player=alice).count()
        1
        """
        if test is not None:
            callable_of(test, "test")
        finders = [self._source.finder(name, value) for name, value in values.items()]
        tests = self._tests if test is None else (*self._tests, test)
        return Query(self._source, (*self._finders, *finders), self._cuts, tests)

    @locked
    def by_contract(self, contract: object) -> Query[T]:
        """Keep only the items of a contract, given as its handle, address, class or name.

        >>> chain.events(Moved).by_contract(race).count()
        1
        """
        finders = self._source.all_positions, self._source.contract_finder(contract)
        return Query(self._source, (*self._finders, *finders), self._cuts, self._tests)

    def between(self, *, blocks: Range | None = None, times: Range | None = None) -> Query[T]:
        """Keep only the items in a range of block numbers or block times, both ends included; None leaves an end open.

        >>> chain.events(Moved).between(blocks=(0, 1), times=(chain.now, None)).count()
        0
        """
        named = (("block_number", "blocks", blocks), ("timestamp", "times", times))
        cuts = tuple((field, _ends(name, ends)) for field, name, ends in named if ends is not None)
        return Query(self._source, self._finders, (*self._cuts, *cuts), self._tests)

    def __iter__(self) -> Iterator[T]:
        return (item for _, item in self.matches())

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return self.first() is not None

    @overload
    @locked
    def __getitem__(self, which: int) -> T: ...
    @overload
    def __getitem__(self, which: slice) -> list[T]: ...
    def __getitem__(self, which: int | slice) -> T | list[T]:
        try:
            return self._at(which)
        except IndexError:
            raise IndexError(f"there is no result {which}: there are {self.count()}") from None

    def _at(self, which: int | slice) -> T | list[T]:
        if self._tests:
            return [*iter(self)][which]
        positions, item = [*self._candidates()], self._source.item
        if isinstance(which, slice):
            return [item(position) for position in positions[which]]
        return item(positions[which])

    @locked
    def count(self) -> int:
        """Return the number of results.

        >>> chain.receipts.where(ok=False).count()
        0
        """
        if self._tests:
            return sum(1 for _ in self)
        positions, others = self._lists()
        return sum(1 for _ in self._candidates()) if others else len(positions)

    def first(self) -> T | None:
        """Return the first item, or None.

        >>> chain.events(Moved, player=bob).first() is None
        True
        """
        return next(iter(self), None)

    def last(self) -> T | None:
        """Return the last item, or None.

        >>> chain.events(Moved).last().square
        4
        """
        return next((item for _, item in self.matches(backwards=True)), None)

    def one(self) -> T:
        """Return the only item; raise LookupError if there is none or more than one.

        >>> chain.receipts.where(entry="roll").one()
        <Receipt Race.roll in block 3: ok>
        """
        items = [*iter(self)]
        if len(items) != 1:
            raise LookupError(f"there are {len(items)} results, not one")
        return items[0]

    @locked
    def page(self, *, before: int | None = None, limit: int = 50) -> Page[T]:
        """Return the last `limit` items before a position, newest first. The cost depends only on the result, wherever the
        page begins.

        >>> page = chain.receipts.where(sender=alice).page(limit=2)
        >>> len(page), chain.receipts.where(sender=alice).page(before=page.older, limit=2).items
        (2, (<Receipt World.register in block 6: ok>, <Receipt League.constructor in block 5: ok>))
        """
        if before is not None:
            whole_number(before, "before", LAST_TIME)
        count = whole_number(limit, "limit", LAST_TIME, 1)
        found = [*islice(self.matches(backwards=True, before=before), count + 1)]
        places = tuple(place for place, _ in found[:count])
        receipts = tuple(map(self._source.receipt, places))
        return Page(tuple(item for _, item in found[:count]), places, receipts, len(found) > count)

    def receipts(self) -> Iterator[Receipt]:
        """Yield the receipt of each matching item.

        >>> [receipt.entry for receipt in chain.events(Moved).receipts()]
        ['roll']
        """
        return (self._source.receipt(position) for position, _ in self.matches())

    def __repr__(self) -> str:
        return f"<Query: {self.count()} found>"

    # Evaluation

    def matches(
        self, backwards: bool = False, before: int | None = None
    ) -> Iterator[tuple[int, T]]:
        """Yield each matching item with its position in the source; backwards, those before a position."""
        item, tests = self._source.item, self._tests
        for position in self._newest(before) if backwards else self._candidates():
            candidate = item(position)
            if all(test(candidate) for test in tests):
                yield position, candidate

    def _candidates(self) -> Iterator[int]:
        """Yield the positions that are left for the tests. Items added to the chain meanwhile are ignored."""
        positions, others = self._lists()
        return (
            position
            for position in islice(positions, len(positions))
            if all(contains_sorted(other, position) for other in others)
        )

    def _newest(self, before: int | None) -> Iterator[int]:
        """Yield the same positions, the last one first."""
        positions, others = self._lists()
        return descending((positions, *others), LAST_TIME if before is None else before)

    @locked
    def _lists(self) -> tuple[Positions, list[Positions]]:
        """Return the shortest list that contains all matches, and the other lists that must also contain each of them."""
        finders = self._finders or (self._source.all_positions,)
        shortest, *others = sorted((find() for find in finders), key=len)
        return self._slice(shortest), others

    def _slice(self, places: Positions) -> Positions:
        for name, (first, last) in self._cuts:
            start, stop = 0, len(places)
            if first is not None:
                start = bisect_left(places, first, key=self._reader(name))
            if last is not None:
                stop = bisect_right(places, last, key=self._reader(name))
            places = places[start:stop]
        return places

    def _reader(self, name: str) -> Callable[[int], Any]:
        read, receipt = attrgetter(name), self._source.receipt
        return lambda position: read(receipt(position))


def _ends(name: str, ends: object) -> Range:
    """Return the first and the last of a range, each a whole number or None."""
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise TypeError(
            f"{name} = {short_repr(ends)} is not a range: pass its two ends, as in (1, None)"
        )
    first, last = (None if end is None else whole_number(end, name, LAST_TIME) for end in ends)
    return first, last


def contract_key(ledger: Contracts, contract: object) -> tuple[str, Any]:
    """Return the key that selects a contract: "program", "contract" or "address", and the value to look up."""
    if isinstance(contract, type):
        return "program", program_of(contract).digest
    if isinstance(contract, str) and not contract.startswith("0x"):
        return _contract_called(ledger, contract)
    return "address", ledger.address_of(contract, "contract")


def _contract_called(ledger: Contracts, name: str) -> tuple[str, Any]:
    """Return the key for all contracts of a class by its name, or for the one with that name in texts: `Game#2`."""
    classes = {program.spec.name for program in ledger.programs.values()}
    if name in classes:
        return "contract", name
    contracts = AddressBook(ledger).contracts
    classes |= {contract_name.partition("#")[0] for contract_name in contracts.values()}
    if name in classes:
        return "contract", name
    for address, contract_name in contracts.items():
        if contract_name == name:
            return "address", address
    known = ", ".join(sorted({*classes, *contracts.values()})) or "none"
    raise TypeError(f"there is no contract '{name}' on this chain; there are {known}")
