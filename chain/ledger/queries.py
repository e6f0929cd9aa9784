"""A question to the receipt log, as a value.

A `Query` is the question, not the answer: it looks when it is iterated or counted, so it can be kept and asked again as
the chain goes on, or back. What it asks is any `Source`: the list of receipts, or the events of one kind.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, overload

from chain.concurrency.atomic_steps import undisturbed
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.indexes import Positions, contains_sorted
from chain.ledger.receipts import Receipt
from chain.metering.program import program_of
from chain.schema.inputs import (
    LAST_TIME,
    callable_of,
    whole_number,
)
from chain.schema.validation import short_repr

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
PositionFinder: TypeAlias = Callable[[], Positions]
Range: TypeAlias = tuple[int | None, int | None]


class Source(Protocol[T_co]):
    """A list that can be asked: by place, the item itself and the receipt it stands in; by value, what finds the places."""

    @property
    def border(self) -> Any: ...
    def item(self, place: int) -> T_co: ...
    def receipt(self, place: int) -> Receipt: ...
    def all_positions(self) -> Positions: ...
    def finder(self, name: str, value: Any) -> PositionFinder: ...
    def contract_finder(self, contract: Any) -> PositionFinder: ...


class Query(Generic[T]):
    """A question: narrow it with `where`, `by` and `between`, then iterate, `count`, or take `first`, `last`, `one`."""

    __slots__ = ("_cuts", "_finders", "_source", "_tests", "border")

    def __init__(
        self,
        source: Source[T],
        finders: tuple[PositionFinder, ...] = (),
        cuts: tuple[tuple[str, Range], ...] = (),
        tests: tuple[Callable[[T], bool], ...] = (),
    ) -> None:
        self._source, self._finders, self._cuts, self._tests = source, finders, cuts, tests
        self.border = source.border

    @undisturbed
    def where(self, test: Callable[[T], bool] | None = None, /, **values: Any) -> Query[T]:
        """Only those with these values in their fields, and for which `test` holds."""
        if test is not None:
            callable_of(test, "test")
        finders = [self._source.finder(name, value) for name, value in values.items()]
        tests = self._tests if test is None else (*self._tests, test)
        return Query(self._source, (*self._finders, *finders), self._cuts, tests)

    @undisturbed
    def by_contract(self, contract: Any) -> Query[T]:
        """Only those of a contract: its handle, address, class or name."""
        finders = self._source.all_positions, self._source.contract_finder(contract)
        return Query(self._source, (*self._finders, *finders), self._cuts, self._tests)

    def between(self, *, blocks: Range | None = None, times: Range | None = None) -> Query[T]:
        """Only those in a range of block numbers or of block times, both ends included; None leaves an end open."""
        named = (("block_number", "blocks", blocks), ("timestamp", "times", times))
        cuts = tuple((field, _ends(name, ends)) for field, name, ends in named if ends is not None)
        return Query(self._source, self._finders, (*self._cuts, *cuts), self._tests)

    def __iter__(self) -> Iterator[T]:
        return (found for _, found in self.matches())

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return self.first() is not None

    @overload
    @undisturbed
    def __getitem__(self, which: int) -> T: ...
    @overload
    def __getitem__(self, which: slice) -> list[T]: ...
    def __getitem__(self, which: int | slice) -> T | list[T]:
        try:
            return self._at(which)
        except IndexError:
            raise IndexError(f"there is no answer {which}: there are {self.count()}") from None

    def _at(self, which: int | slice) -> T | list[T]:
        if self._tests:
            return [*iter(self)][which]
        places, item = [*self._candidates()], self._source.item
        if isinstance(which, slice):
            return [item(place) for place in places[which]]
        return item(places[which])

    @undisturbed
    def count(self) -> int:
        if self._tests:
            return sum(1 for _ in self)
        places, others = self._lists()
        return sum(1 for _ in self._candidates()) if others else len(places)

    def first(self) -> T | None:
        return next(iter(self), None)

    def last(self) -> T | None:
        return next((found for _, found in self.matches(backwards=True)), None)

    def one(self) -> T:
        """The only one there is; any other number of them is a LookupError."""
        found = [*iter(self)]
        if len(found) != 1:
            raise LookupError(f"{len(found)} answer the question, not one")
        return found[0]

    def receipts(self) -> Iterator[Receipt]:
        """The receipts in which the answers stand."""
        return (self._source.receipt(place) for place, _ in self.matches())

    def __repr__(self) -> str:
        return f"<{self.count()} found>"

    # Looking

    def matches(self, backwards: bool = False) -> Iterator[tuple[int, T]]:
        """Each answer with its place in the source."""
        item, tests = self._source.item, self._tests
        for place in self._candidates(backwards):
            found = item(place)
            if all(test(found) for test in tests):
                yield place, found

    def _candidates(self, backwards: bool = False) -> Iterator[int]:
        """The places left for the tests. What is added to the chain meanwhile is not looked at."""
        places, others = self._lists()
        walk = reversed(places) if backwards else islice(places, len(places))
        return (place for place in walk if all(contains_sorted(other, place) for other in others))

    @undisturbed
    def _lists(self) -> tuple[Positions, list[Positions]]:
        """The shortest list in which all answers stand, and the others in which each must stand too."""
        finders = self._finders or (self._source.all_positions,)
        shortest, *others = sorted((find() for find in finders), key=len)
        return self._cut(shortest), others

    def _cut(self, places: Positions) -> Positions:
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
        return lambda place: read(receipt(place))


def _ends(name: str, ends: Any) -> Range:
    """The first and the last of a range, each a whole number or None."""
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise TypeError(
            f"{name} = {short_repr(ends)} is not a range: give its two ends, as in (1, None)"
        )
    first, last = (None if end is None else whole_number(end, name, LAST_TIME) for end in ends)
    return first, last


def contract_key(ledger: Ledger, contract: Any) -> tuple[str, Any]:
    """By what a contract is asked for, and that: its name, its class, its handle or its address."""
    if isinstance(contract, type):
        return "program", program_of(contract).digest
    if isinstance(contract, str) and not contract.startswith("0x"):
        return _contract_called(ledger, contract)
    return "address", ledger.address_of(contract, "contract")


def _contract_called(ledger: Ledger, name: str) -> tuple[str, Any]:
    """All contracts of a class by its name, or the one contract that transcripts call so: `Game#2`."""
    classes = {program.spec.name for program in ledger.programs.values()}
    if name in classes:
        return "contract", name
    contracts = AddressBook(ledger).contracts  # read from the receipts
    classes |= {each.partition("#")[0] for each in contracts.values()}
    if name in classes:
        return "contract", name
    for address, each in contracts.items():
        if each == name:
            return "address", address
    known = ", ".join(sorted({*classes, *contracts.values()})) or "none"
    raise TypeError(f"there is no contract '{name}' on this chain; there are {known}")
