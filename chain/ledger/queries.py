"""Queries over receipts and events, as values.

A `Query` describes a question and holds no answers: it is asked, in SQL, when it is iterated or counted. So it can be kept and
asked again after the chain has grown or was rolled back. It queries any `RecordSource`: the list of receipts, or the events of
one type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    overload,
)

from chain.foundation.atomic_steps import locked
from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import Sealed, put, sealed
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.comparisons import Comparison, one_of
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.known_contracts import Contracts
from chain.ledger.receipts import Receipt
from chain.metering.program import program_of
from chain.values import short_repr
from chain.values.inputs import LAST_TIME, callable_of, whole_number

if TYPE_CHECKING:
    from chain.ledger.store import Store

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Range: TypeAlias = tuple[int | None, int | None]

_SOME: Final = 64  # rows that are read at first; more and more follow


class Condition(NamedTuple):
    """A condition on the rows of a table: its text in SQL, and the values for each `?` in it."""

    text: str
    values: Sequence[object] = ()
    key: str = ""  # the expression that is worth an index


ConditionFinder: TypeAlias = Callable[[], Condition]


class RecordSource(Protocol[T_co]):
    """A table that can be queried: its items are made of the columns of its rows, the first of which is the position."""

    @property
    def lock(self) -> ThreadLock: ...
    @property
    def store(self) -> Store: ...
    @property
    def table(self) -> str:
        """The derived table."""

    @property
    def columns(self) -> str:
        """The columns that `item` and `receipt` take."""

    def base(self) -> list[Condition]:
        """Return the conditions that all rows of the source meet."""

    def item(self, row: Sequence[Any]) -> T_co: ...
    def receipt(self, row: Sequence[Any]) -> Receipt: ...
    def finder(self, name: str, value: object) -> ConditionFinder: ...
    def contract_finder(self, contract: object) -> ConditionFinder: ...
    def account_finder(self, account: object) -> ConditionFinder: ...


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

    __slots__ = ("_finders", "_source", "_tests", "lock")
    lock: Any  # the lock of the chain

    def __init__(
        self,
        source: RecordSource[T],
        finders: tuple[ConditionFinder, ...] = (),
        tests: tuple[Callable[[T], bool], ...] = (),
    ) -> None:
        self._source, self._finders, self._tests = source, finders, tests
        put(self, "lock", source.lock)

    @locked
    def where(self, test: Callable[[T], bool] | None = None, /, **values: object) -> Query[T]:
        """Keep only the items with these values in their fields for which `test` returns True.

        >>> chain.events(Moved).where(lambda move: move.square > 3, player=alice).count()
        1
        """
        if test is not None:
            callable_of(test, "test")
        finders = [_finder(self._source, name, value) for name, value in values.items()]
        tests = self._tests if test is None else (*self._tests, test)
        return Query(self._source, (*self._finders, *finders), tests)

    @locked
    def by_contract(self, contract: object) -> Query[T]:
        """Keep only the items of a contract, given as its handle, address, class or name.

        >>> chain.events(Moved).by_contract(race).count()
        1
        """
        finder = self._source.contract_finder(contract)
        return Query(self._source, (*self._finders, finder), self._tests)

    @locked
    def concerning(self, account: object) -> Query[T]:
        """Keep only the events with an account or contract in some field, and the receipts from it, to it, or with it in some
        argument. The account is given as its handle, address or name; texts that are its name count too.

        >>> chain.events().concerning(alice).count(), chain.events(Moved).concerning(race).count()
        (2, 0)
        """
        finder = self._source.account_finder(account)
        return Query(self._source, (*self._finders, finder), self._tests)

    def between(self, *, blocks: Range | None = None, times: Range | None = None) -> Query[T]:
        """Keep only the items in a range of block numbers or block times, both ends included; None leaves an end open.

        >>> chain.events(Moved).between(blocks=(0, 1), times=(chain.now, None)).count()
        0
        """
        ranges = [
            _range(column, _ends(name, ends))
            for column, name, ends in (("block", "blocks", blocks), ("timestamp", "times", times))
            if ends is not None
        ]
        found: list[ConditionFinder] = [partial(_itself, each) for each in ranges]
        return Query(self._source, (*self._finders, *found), self._tests)

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
        if self._tests or isinstance(which, slice):
            rows = [row for row, _ in self.found()] if self._tests else self._ask(tail="order by position")  # fmt: skip
            item = self._source.item
            return [*map(item, rows[which])] if isinstance(which, slice) else item(rows[which])
        backwards = which < 0
        rows = self._ask(tail=f"{_ORDER[backwards]} limit 1 offset {~which if backwards else which}")  # fmt: skip
        return self._source.item(rows[0])

    @locked
    def count(self) -> int:
        """Return the number of results.

        >>> chain.receipts.where(ok=False).count()
        0
        """
        if self._tests:
            return sum(1 for _ in self)
        return int(self._ask("count(*)")[0][0])

    def first(self) -> T | None:
        """Return the first item, or None.

        >>> chain.events(Moved, player=bob).first() is None
        True
        """
        return next((item for _, item in self.found(some=1)), None)

    def last(self) -> T | None:
        """Return the last item, or None.

        >>> chain.events(Moved).last().square
        4
        """
        return next((item for _, item in self.found(True, some=1)), None)

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
        found = [*islice(self.found(True, before, count + 1), count + 1)]
        shown = found[:count]
        places = tuple(row[0] for row, _ in shown)
        receipts = tuple(self._source.receipt(row) for row, _ in shown)
        return Page(tuple(item for _, item in shown), places, receipts, len(found) > count)

    def receipts(self) -> Iterator[Receipt]:
        """Yield the receipt of each matching item.

        >>> [receipt.entry for receipt in chain.events(Moved).receipts()]
        ['roll']
        """
        return (self._source.receipt(row) for row, _ in self.found())

    def __repr__(self) -> str:
        return f"<Query: {self.count()} found>"

    # Asking

    def matches(
        self, backwards: bool = False, before: int | None = None
    ) -> Iterator[tuple[int, T]]:
        """Yield each matching item with its position in the source; backwards, those before a position."""
        return ((row[0], item) for row, item in self.found(backwards, before))

    def found(
        self, backwards: bool = False, before: int | None = None, some: int = _SOME
    ) -> Iterator[tuple[Sequence[Any], T]]:
        """Yield each matching item with its row in the derived table. Items added to the chain meanwhile are ignored.

        At first `some` rows are read, then more and more.
        """
        bound = None if before is None else Condition("position < ?", (before,))
        if before is None and not backwards:
            bound = Condition("position <= ?", (self._last_position(),))
        bounds, tests = [bound] if bound else [], self._tests
        size = max(some, _SOME) if tests else some
        while True:
            rows = self._ask(tail=f"{_ORDER[backwards]} limit {size}", bounds=bounds)
            for row in rows:
                item = self._source.item(row)
                if all(test(item) for test in tests):
                    yield row, item
            if len(rows) < size:
                return
            sign = "<" if backwards else ">"
            bounds = [*([bound] if bound else []), Condition(f"position {sign} ?", (rows[-1][0],))]
            size *= 4

    def _last_position(self) -> int | None:
        """Return the last position in the table."""
        table = self._source.table
        question = f'select max(position) from "{table}"'
        last: int | None = self._source.store.ask(table.removeprefix("derived:"), question)[0][0]
        return last

    @locked
    def _ask(
        self, what: str | None = None, tail: str = "", bounds: Sequence[Condition] = ()
    ) -> list[Any]:
        """Return these columns of all rows that meet the conditions."""
        source = self._source
        store = source.store
        found = [*source.base(), *(find() for find in self._finders), *bounds]
        part = source.table.removeprefix("derived:")
        where = " and ".join(f"({condition.text})" for condition in found) or "true"
        values = [value for condition in found for value in condition.values]
        for condition in found:
            if condition.key:
                store.index(condition.key, f'"{source.table}" ({condition.key})')
        question = f'select {what or source.columns} from "{source.table}" where {where} {tail}'
        return store.ask(part, question, values)


_ORDER: Final = {False: "order by position", True: "order by position desc"}


def _itself(condition: Condition) -> Condition:
    return condition


def _finder(source: RecordSource[Any], name: str, value: object) -> ConditionFinder:
    """Return the finder of a source for a field; several values are alternatives."""
    if not isinstance(value, Comparison) or value.name != one_of.__name__:
        return source.finder(name, value)
    finders = [source.finder(name, each) for each in value.values]
    return lambda: any_of([find() for find in finders])


def any_of(found: Sequence[Condition]) -> Condition:
    """Return the condition that one of these is met."""
    texts = " or ".join(f"({condition.text})" for condition in found) or "false"
    values = [value for condition in found for value in condition.values]
    return Condition(texts, values, found[0].key if len(found) == 1 else "")


def mentions(ledger: Contracts, json_column: str, account: object) -> Condition:
    """Return the condition that an account is among the values of a column of JSON, by its address or its name."""
    address = ledger.address_of(account, "account")
    name = AddressBook(ledger).account(address)
    text = f"exists (select 1 from json_tree({json_column}) where atom in (?, ?))"
    return Condition(text, (str(address), name))


def _range(column: str, ends: Range) -> Condition:
    """Return the condition that a column is between two ends, both included."""
    bounds = [(sign, end) for sign, end in zip((">=", "<="), ends, strict=True) if end is not None]
    text = " and ".join(f"{column} {sign} ?" for sign, _ in bounds) or "true"
    return Condition(text, [end for _, end in bounds])


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
