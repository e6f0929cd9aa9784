"""All receipts of a chain, in order, and the questions one can ask of them.

A field is indexed the first time someone asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, overload

from chain.inputs import flag, text
from chain.ledger.indexes import Indexes, Places
from chain.ledger.queries import Ends, Finder, Query, contract_value
from chain.ledger.receipts import Receipt, Row

if TYPE_CHECKING:
    from chain.ledger.ledger import Ledger

_ADDRESSES: Final = ("sender", "to", "address")
_FIELDS: Final = (*_ADDRESSES, "contract", "entry", "ok")


class ReceiptLog(Sequence[Receipt]):
    """All receipts of a chain, failed ones included."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: list[Row] = []
        self._indexes = Indexes()

    def append(self, row: Row) -> None:
        self._rows.append(row)

    def cut(self, length: int) -> None:
        """Take back all but the first `length` receipts."""
        if length < len(self._rows):
            self._indexes.cut(length)
            del self._rows[length:]

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
        return Receipt(self._ledger, self._rows[place])

    def holds(self, receipt: Receipt) -> bool:
        """Whether it still stands here: it may have been taken back, and another put in its place."""
        place = receipt.position
        return place < len(self._rows) and self._rows[place] is receipt.row

    # Questions

    def where(
        self, test: Callable[[Receipt], bool] | None = None, /, **values: Any
    ) -> Query[Receipt]:
        """Receipts by `sender`, `to`, `address`, `contract`, `entry`, `ok`, and by any test."""
        return Query(self).where(test, **values)

    def between(self, *, blocks: Ends | None = None, times: Ends | None = None) -> Query[Receipt]:
        """Receipts in a range of block numbers or of block times, both ends included; None leaves an end open."""
        return Query(self).between(blocks=blocks, times=times)

    def item(self, place: int) -> Receipt:
        return Receipt(self._ledger, self._rows[place])

    receipt = item

    def everything(self) -> Places:
        return range(len(self._rows))

    def finder(self, name: str, value: Any) -> Finder:
        if name not in _FIELDS:
            raise TypeError(f"receipts have no '{name}' to ask for; there are {', '.join(_FIELDS)}")
        if name == "ok":
            flag(value, name)
        elif name == "entry" and value is not None:
            text(value, name)
        if name == "contract" and value is not None:
            return self.finder_by(value)
        if name in _ADDRESSES and value is not None:
            value = self._ledger.address_of(value, name)
        return self._finder(name, value)

    def finder_by(self, contract: Any) -> Finder:
        return self._finder(*contract_value(self._ledger, contract))

    def _finder(self, name: str, value: Any) -> Finder:
        read = attrgetter("_digest" if name == "program" else name)
        return partial(
            self._indexes.find, name, value, self.everything, lambda place: read(self.item(place))
        )
