"""All receipts of a chain, in order, and queries over them.

A field is indexed the first time it is queried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, Final, overload

from chain.foundation.sealed import Sealed, put
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.indexes import Indexes, Positions
from chain.ledger.queries import Page, PositionFinder, Query, Range, contract_key
from chain.ledger.receipts import LOGS, Receipt, Record, Row
from chain.ledger.rows import Rows
from chain.machine.state import LogRow
from chain.schema.inputs import flag, text

_ALL: Final = object()
_ADDRESSES: Final = ("sender", "to", "address")
_READERS: Final = {"program": attrgetter("_digest"), "called": attrgetter("_digest", "entry")}
_NARROWED: Final = ("sender", "address", "contract", "entry", "called", "ok")
_FIELDS: Final = (*_ADDRESSES, "contract", "entry", "ok")


class ReceiptLog(Sealed, Sequence[Receipt]):
    """All receipts of a chain, failed ones included.

    >>> len(chain.receipts), chain.receipts[-1] == win
    (8, True)
    """

    __slots__ = ("_indexes", "_ledger", "_rows", "lock")
    lock: ThreadLock  # the lock of the chain

    def __init__(self, ledger: Record) -> None:
        self._ledger = ledger
        put(self, "lock", ledger.lock)
        self._rows: Rows[Row] = Rows()
        self._indexes = Indexes()

    def _forget_indexes(self) -> None:
        """Forget the indexes, because more is known about the contracts of the receipts."""
        self._indexes = Indexes()

    def _append(self, row: Row) -> None:
        self._rows.new.append(row)

    def _restore(self, rows: Sequence[Row]) -> None:
        """Begin with stored receipts."""
        self._rows = Rows(rows)

    def _truncate(self, length: int) -> None:
        """Truncate the list to the first `length` receipts."""
        if length < len(self._rows):
            self._indexes.truncate(length)
            self._rows.cut(length)

    def __repr__(self) -> str:
        return f"<ReceiptLog of {len(self)}>"

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Receipt: ...
    @overload
    def __getitem__(self, place: slice) -> list[Receipt]: ...
    def __getitem__(self, place: int | slice) -> Receipt | list[Receipt]:
        if isinstance(place, slice):
            return [Receipt(self._ledger, row) for row in self._rows[place]]
        try:
            return Receipt(self._ledger, self._rows[place])
        except IndexError:
            raise IndexError(f"there is no receipt {place}: there are {len(self)}") from None
        except TypeError:
            raise TypeError(f"{place!r} is not the number of a receipt") from None

    def _rows_from(self, position: int) -> list[Row]:
        """Return the receipts from a position on, as they are stored."""
        return self._rows[position:]

    def _logs_from(self, position: int, end: int | None = None) -> Iterator[Sequence[LogRow]]:
        """Yield the logs of each receipt from a position on, up to `end`."""
        return (row[LOGS] for row in self._rows[position:end])

    def contains(self, receipt: Receipt) -> bool:
        """True if the receipt is still part of this log: it may have been undone, and another one may have its position."""
        row, rows = receipt.row, self._rows
        position = row[0]
        return rows.is_stored(position) or (position < len(rows) and rows[position] is row)

    def is_same(self, one: Receipt, other: Receipt) -> bool:
        """True if both are the same receipt of a chain file, read twice."""
        is_one = one.position == other.position and one.ledger is other.ledger
        return is_one and self._rows.is_stored(one.position)

    # Queries

    def where(
        self, test: Callable[[Receipt], bool] | None = None, /, **values: object
    ) -> Query[Receipt]:
        """Return a query for receipts by `sender`, `to`, `address`, `contract`, `entry`, `ok`, and by any test.

        Raise TypeError for another field, or an entry that no contract has.

        >>> chain.receipts.where(lambda receipt: receipt.gas_used > 21_000, sender=alice, entry="roll").count()
        1
        """
        return Query(self).where(test, **values)

    def between(self, *, blocks: Range | None = None, times: Range | None = None) -> Query[Receipt]:
        """Return a query for a range of block numbers or block times, both ends included; None leaves an end open.

        >>> list(chain.receipts.between(blocks=(2, 2)))
        [<Receipt Race.join in block 2: ok>]
        """
        return Query(self).between(blocks=blocks, times=times)

    def page(self, *, before: int | None = None, limit: int = 50) -> Page[Receipt]:
        """Return the last `limit` receipts before a position, newest first.

        >>> chain.receipts.page(limit=2).items
        (<Receipt League.win in block 8: ok>, <Receipt World.grant_writer in block 7: ok>)
        """
        return Query(self).page(before=before, limit=limit)

    def first(self) -> Receipt | None:
        """Return the first receipt, or None.

        >>> chain.receipts.first()
        <Receipt Race in block 1: ok>
        """
        return Query(self).first()

    def last(self) -> Receipt | None:
        """Return the last receipt, or None.

        >>> chain.receipts.last()
        <Receipt League.win in block 8: ok>
        """
        return Query(self).last()

    def count(self, value: object = _ALL) -> int:
        """Return the number of receipts; with a `value`, how often it occurs, as for any sequence.

        >>> chain.receipts.count()
        8
        """
        return len(self) if value is _ALL else super().count(value)

    def item(self, place: int) -> Receipt:
        """Return the receipt at a position. `receipt` is the same."""
        return Receipt(self._ledger, self._rows[place])

    receipt = item  # the same as `item`

    def _block_of(self, place: int) -> int:
        """Return the number of the block of the receipt at a position."""
        number: int = self._rows[place][1]
        return number

    def all_positions(self) -> Positions:
        """Return the positions of all receipts."""
        return range(len(self._rows))

    def finder(self, name: str, value: Any) -> PositionFinder:
        """Return a function that finds the positions of a value."""
        if name not in _FIELDS:
            raise TypeError(
                f"receipts have no field '{name}' to query; there are {', '.join(_FIELDS)}"
            )
        if name == "ok":
            flag(value, name)
        elif name == "entry" and value is not None:
            text(value, name)
        if name == "contract" and value is not None:
            return self.contract_finder(value)
        if name == "entry" and value is not None:
            self._need_entry(value)
        if name in _ADDRESSES and (value is not None or name != "to"):
            value = self._ledger.address_of(value, name)
        if name == "entry":
            return partial(self._by_entry, value)
        return self._finder(name, value)

    def _by_entry(self, value: Any) -> Positions:
        """Find receipts by the name of a method; where a contract has no such method, by ABI name or signature."""
        positions = self._finder("entry", value)()
        others = [
            (digest, entry.name)
            for digest in {**self._ledger.artifacts, **self._ledger.programs}
            if (program := self._ledger.program(digest)) is not None
            for entry in program.spec.resolve(value)
            if entry.name != value
        ]
        lists = [self._finder("called", key)() for key in others]
        return sorted({*positions, *chain.from_iterable(lists)}) if any(lists) else positions

    def contract_finder(self, contract: object) -> PositionFinder:
        """Return a function that finds the positions of a contract."""
        return self._finder(*contract_key(self._ledger, contract))

    def _need_entry(self, name: str) -> None:
        """Refuse the name of an entry that no contract on this chain has, or ever had."""
        specs = self._ledger.known_specs
        known = {entry_name for spec in specs for entry_name in spec.entries}
        known.update(spec.init.name for spec in specs if spec.init is not None)
        if name in known or any(spec.resolve(name) for spec in specs):
            return
        if not self._finder("entry", name)():
            available = ", ".join(sorted(known)) or "none"
            raise TypeError(
                f"no contract on this chain has an entry '{name}'; there are {available}"
            )

    def _finder(self, name: str, value: object) -> PositionFinder:
        return partial(
            self._indexes.find, name, value, self.all_positions, partial(self._read, name)
        )

    def _read(self, name: str, position: int) -> Any:
        read = _READERS.get(name) or attrgetter(name)
        return read(self.item(position))

    def _index(self, end: int) -> None:
        """Index the first receipts by the fields that filter lists, so that a long list is indexed bit by bit."""
        for name in _NARROWED:
            self._indexes.of(name, self.all_positions, partial(self._read, name)).advance(end)
