"""The questions that a person asks a chain: receipts, events, SQL, exports, and the transcript to be read."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from chain.concurrency.atomic_steps import (
    Steps,
    reading,
)
from chain.ledger.decoded.activity import transcript_of
from chain.ledger.ledger import Ledger
from chain.ledger.queries import Query
from chain.ledger.receipt_log import ReceiptLog
from chain.ledger.sql.export import (
    Target,
    write_csv,
    write_jsonl,
)
from chain.ledger.sql.result import QueryResult
from chain.ledger.sql.sql_view import SqlView
from chain.schema.inputs import (
    LAST_TIME,
    whole_number,
)

E = TypeVar("E")


class LogQueries(Steps):
    """What a chain answers out of its ledger."""

    __slots__ = ()

    ledger: Ledger
    _database: SqlView | None

    @property
    def receipts(self) -> ReceiptLog:
        """The record of every transaction, in order: `chain.receipts.where(sender=alice, ok=False)`."""
        self.settle()
        return self.ledger.receipts

    @overload
    def events(self, event: type[E], /, **values: Any) -> Query[E]: ...
    @overload
    def events(self, event: str, /, **values: Any) -> Query[Any]: ...
    @reading
    def events(self, event: type[Any] | str, /, **values: Any) -> Query[Any]:
        """Events of one kind, by the values of their fields: `chain.events(Moved, player=alice).last()`."""
        return self.ledger.events.ask(event, values)

    @reading
    def sql(self, question: str, /, *values: Any, **named: Any) -> QueryResult:
        """The answer to a question in SQL. Tables are `receipts`, `logs`, one for each event and model, and `tables`.

        `values` stand for `?` in the question, `named` for `:name`; `name(address)` gives the name of an account or contract.
        Whole numbers of any size sort, compare and add up as such; what else is computed of them beyond 64 bits is rounded.
        """
        return self.database.query(question, values, named)

    @property
    def database(self) -> SqlView:
        """The tables that `sql` asks."""
        if self._database is None:
            self._database = SqlView(self.ledger)
        return self._database

    @reading
    def export_jsonl(self, target: Target, what: str = "receipts") -> None:
        """Write all `receipts`, or all `events`, to a path or an open file, one JSON object a line."""
        write_jsonl(self.ledger, target, what)

    @reading
    def export_csv(self, target: Target, what: str | type) -> None:
        """Write one table of those that `sql` has, by name or by the class of an event or model, to a path or an open file."""
        write_csv(self.ledger, target, what)

    @reading
    def transcript(self, since: int = 0) -> str:
        """What happened, to be read: all transactions, or those from a receipt's position on."""
        return transcript_of(self.ledger, whole_number(since, "since", LAST_TIME))
