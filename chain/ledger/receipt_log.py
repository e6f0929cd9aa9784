"""All receipts of a chain, in order, and queries over them.

A field is indexed the first time it is queried. Receipts by their positions need no query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, overload

from chain.crypto.hashing import checksum_address
from chain.errors import Revert
from chain.foundation.sealed import Sealed, put
from chain.foundation.thread_lock import ThreadLock
from chain.ledger.comparisons import Comparison, containing
from chain.ledger.queries import (
    Condition,
    ConditionFinder,
    Page,
    Query,
    Range,
    any_of,
    contract_key,
    mentions,
)
from chain.ledger.receipts import Receipt, ReceiptRow
from chain.ledger.rows import Rows
from chain.ledger.sql.json_values import kept_cell
from chain.values import short_repr
from chain.values.inputs import LAST_TIME, flag, text, whole_number
from chain.values.kind import ANY, NUMBER, TEXT

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger
    from chain.ledger.store import Store

_ALL: Final = object()
_TABLE: Final = '"derived:receipts"'
_ADDRESSES: Final = ("sender", "to", "address")
# Fields that are numbers, with how SQLite compares them.
_NUMBERS: Final = {"value": ANY, "nonce": ANY, "gas_used": NUMBER, "gas_price": ANY}
_FIELDS: Final = (*_ADDRESSES, "contract", "entry", "ok", "error", *_NUMBERS)


class ReceiptLog(Sealed, Sequence[Receipt]):
    """All receipts of a chain, failed ones included.

    >>> len(chain.receipts), chain.receipts[-1] == win
    (8, True)
    """

    __slots__ = ("_ledger", "_rows", "lock")
    lock: ThreadLock  # the lock of the chain
    table = "derived:receipts"  # the table in which queries look
    columns = "position"  # its columns that they take

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        put(self, "lock", ledger.lock)
        self._rows: Rows[ReceiptRow] = Rows()

    def _append(self, row: ReceiptRow) -> None:
        self._rows.new.append(row)

    def _restore(self, rows: Sequence[ReceiptRow]) -> None:
        """Begin with stored receipts."""
        self._rows = Rows(rows)

    def _truncate(self, length: int) -> None:
        """Truncate the list to the first `length` receipts."""
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

    def _rows_from(self, position: int) -> list[ReceiptRow]:
        """Return the receipts from a position on, as they are stored."""
        return self._rows.since(position)

    def contains(self, receipt: Receipt) -> bool:
        """True if the receipt is still part of this log: it may have been undone, and another one may have its position."""
        return self._rows.has(receipt.position, receipt.row)

    def is_same(self, one: Receipt, other: Receipt) -> bool:
        """True if both are the same receipt of a chain in a file or a node, read twice."""
        is_one = one.position == other.position and one.ledger is other.ledger
        return is_one and all(map(self.contains, (one, other)))

    # Queries

    def where(
        self, test: Callable[[Receipt], bool] | None = None, /, **values: object
    ) -> Query[Receipt]:
        """Return a query for receipts by `sender`, `to`, `address`, `contract`, `entry`, `ok`, by `error` (the reason of the
        failure, as its text or as the class of a declared error), by `value`, `nonce`, `gas_used` and `gas_price`, and by any
        test. A number may be `at_least(5)` or `at_most(9)`, a reason `containing("turn")`, each of them `one_of(…)`.

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

    def concerning(self, account: object) -> Query[Receipt]:
        """Return a query for the receipts from an account, to it, or with it in some argument.

        >>> chain.receipts.concerning(bob).count(), chain.receipts.concerning("Race").count()
        (0, 3)
        """
        return Query(self).concerning(account)

    def page(self, *, before: int | None = None, limit: int = 50) -> Page[Receipt]:
        """Return the last `limit` receipts before a position, newest first.

        >>> chain.receipts.page(limit=2).items
        (<Receipt League.win in block 8: ok>, <Receipt World.grant_writer in block 7: ok>)
        """
        count, end = whole_number(limit, "limit", LAST_TIME, 1), len(self)
        if before is not None:
            end = min(end, whole_number(before, "before", LAST_TIME))
        places = tuple(range(end - 1, max(end - count, 0) - 1, -1))
        found = tuple(self[place] for place in places)
        return Page(found, places, found, end > count)

    def first(self) -> Receipt | None:
        """Return the first receipt, or None.

        >>> chain.receipts.first()
        <Receipt Race in block 1: ok>
        """
        return self[0] if len(self) else None

    def last(self) -> Receipt | None:
        """Return the last receipt, or None.

        >>> chain.receipts.last()
        <Receipt League.win in block 8: ok>
        """
        return self[-1] if len(self) else None

    def count(self, value: object = _ALL) -> int:
        """Return the number of receipts; with a `value`, how often it occurs, as for any sequence.

        >>> chain.receipts.count()
        8
        """
        return len(self) if value is _ALL else super().count(value)

    @property
    def store(self) -> Store:
        """The tables in which queries look."""
        return self._ledger.store

    def base(self) -> list[Condition]:
        """Return no conditions: a query is for all receipts."""
        return []

    def item(self, row: Sequence[Any]) -> Receipt:
        """Return the receipt in a row of the table. `receipt` is the same."""
        return Receipt(self._ledger, self._rows[row[0]])

    receipt = item  # the same as `item`

    def finder(self, name: str, value: Any) -> ConditionFinder:
        """Return a function that returns the condition that a field has this value."""
        if name not in _FIELDS:
            raise TypeError(
                f"receipts have no field '{name}' to query; there are {', '.join(_FIELDS)}"
            )
        if name in _NUMBERS:
            return partial(Condition, *_by_number(name, value))
        if name == "error" and value is not None:
            return partial(Condition, *_by_error(value))
        if isinstance(value, Comparison):
            raise TypeError(f"{name} = {value!r}: it takes a value, or one_of(…)")
        if name == "ok":
            return partial(Condition, "ok = ?", (flag(value, name),), "ok")
        if name == "contract" and value is not None:
            return self.contract_finder(value)
        if name == "entry" and value is not None:
            self._need_entry(text(value, name))
            return partial(self._by_entry, value)
        if name == "to" and value is None:
            return partial(Condition, "kind = 'create'")
        if name in _ADDRESSES:
            address = str(self._ledger.address_of(value, name))
            if name == "to":
                return partial(Condition, "address = ? and kind = 'call'", (address,), "address")
            return partial(Condition, f"{name} = ?", (address,), name)
        return partial(Condition, f"{name} is null")

    def account_finder(self, account: object) -> ConditionFinder:
        """Return a function that returns the condition on receipts from an account, to it, or with it in some argument."""
        address = self._ledger.address_of(account, "account")
        own = Condition("sender = ? or address = ?", (str(address), str(address)))
        return lambda: any_of([own, mentions(self._ledger, "args", address)])

    def _by_entry(self, value: str) -> Condition:
        """Find receipts by the name of a method; where a contract has no such method, by ABI name or signature."""
        others = [
            (digest, entry.name)
            for digest in {**self._ledger.artifacts, **self._ledger.programs}
            if (program := self._ledger.program(digest)) is not None
            for entry in program.spec.resolve(value)
            if entry.name != value
        ]
        found = "".join(" or digest = ? and entry = ?" for _ in others)
        return Condition(f"entry = ?{found}", [value, *chain.from_iterable(others)], "entry")

    def contract_finder(self, contract: object) -> ConditionFinder:
        """Return a function that returns the condition on the receipts of a contract."""
        name, value = contract_key(self._ledger, contract)
        column = "digest" if name == "program" else name
        cell = checksum_address(value) if name == "address" else value
        return partial(Condition, f"{column} = ?", (cell,), column)

    def _need_entry(self, name: str) -> None:
        """Refuse the name of an entry that no contract on this chain has, or ever had."""
        specs = self._ledger.known_specs
        known = {entry_name for spec in specs for entry_name in spec.entries}
        known.update(spec.init.name for spec in specs if spec.init is not None)
        if name in known or any(spec.resolve(name) for spec in specs):
            return
        if not self.store.ask(
            "receipts", f"select 1 from {_TABLE} where entry = ? limit 1", (name,)
        ):
            available = ", ".join(sorted(known)) or "none"
            raise TypeError(
                f"no contract on this chain has an entry '{name}'; there are {available}"
            )


def _by_number(name: str, value: Any) -> Condition:
    asked = value if isinstance(value, Comparison) else None
    if asked and asked.name == containing.__name__:
        raise TypeError(f"{name} = {asked!r}: it is a number")
    number = whole_number(asked.values[0] if asked else value, name)
    if asked:
        return Condition(*Comparison(asked.name, (number,)).condition(name, _NUMBERS[name]))
    return Condition(f"{name} = ?", (kept_cell(number),))


def _by_error(value: Any) -> Condition:
    """Find receipts by the reason of their failure."""
    if isinstance(value, Comparison) and value.name == containing.__name__:
        return Condition(*value.condition("error", TEXT))
    if isinstance(value, str):
        return Condition("error = ?", (value,), "error")
    if isinstance(value, Revert) and hasattr(value, "__error__"):
        return Condition("error_kind = 'error' and error = ?", (repr(value),))
    if isinstance(value, type) and hasattr(value, "__error__"):
        name = f"{value.__name__}("
        return Condition("error_kind = 'error' and substr(error, 1, ?) = ?", (len(name), name))
    raise TypeError(
        f"error = {short_repr(value)} is not a text, containing(…), a declared error or None"
    )
