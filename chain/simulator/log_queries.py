"""Queries on the log of a chain: receipts, events, SQL, exports, and the activity as text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from chain.foundation.atomic_steps import reading
from chain.ledger import decoded
from chain.ledger.creations import DeployedContract
from chain.ledger.event_source import query_events
from chain.ledger.queries import Query
from chain.ledger.receipt_log import ReceiptLog
from chain.simulator.reader import ChainReader
from chain.values.inputs import LAST_TIME, whole_number

if TYPE_CHECKING:  # the tables are imported on first use
    from chain.ledger.sql.export import Target
    from chain.ledger.sql.result import QueryResult
    from chain.ledger.sql.sql_view import SqlView

E = TypeVar("E")
_SQL: Final = "chain.ledger.sql."


class LogQueries(ChainReader):
    """The part of `Chain` that answers queries from its ledger."""

    __slots__ = ()

    @property
    def receipts(self) -> ReceiptLog:
        """The record of every transaction, in order: `chain.receipts.where(sender=alice, ok=False)`."""
        self.settle()
        return self.ledger.receipts

    @property
    def contracts(self) -> list[DeployedContract]:
        """The deployed Python contracts in the order of their creation, each with its name and the receipt that created it."""
        self.settle()
        return self.ledger.creations.deployed()

    @overload
    def events(self, event: type[E], /, **values: object) -> Query[E]: ...
    @overload
    def events(self, event: str, /, **values: object) -> Query[Any]: ...
    @overload
    def events(self, /) -> Query[Any]: ...
    @reading
    def events(self, event: type[object] | str | None = None, /, **values: object) -> Query[Any]:
        """Return the events of one type, filtered by field values: `chain.events(Moved, player=alice).last()`.

        Without a type, return those of all types in their order.

        >>> chain.events(Moved, player=alice).last()
        Moved(player=Address('0xf39F...'), square=4)
        """
        return query_events(self.ledger.logs, event, values)

    @reading
    def sql(self, question: str, /, *values: object, **named: object) -> QueryResult:
        """Return the result of an SQL query. Tables are `receipts`, `logs`, `models`, `writes` (who changed which field),
        `fields` (what is there now), one for each event and model, and `tables`, which lists them.

        `values` replace `?` in the query, `named` replace `:name`. `name(address)` is the name of an account or contract.
        Whole numbers of any size sort and compare exactly; sums of more than 64 bits are rounded.

        >>> print(chain.sql("select block, entry, ok from receipts where contract = 'Race'"))
        block  entry  ok
        -----  -----  --
            1  null    1
            2  join    1
            3  roll    1
        """
        return self.database.query(question, values, named)

    @property
    def database(self) -> SqlView:
        """The tables that `sql` queries."""
        view: SqlView = self.ledger.store.view
        return view

    @reading
    def export_jsonl(self, target: Target, what: str = "receipts") -> None:
        """Write all `receipts`, or all `events`, to a path or an open file, one JSON object per line.

        >>> import io
        >>> chain.export_jsonl(target := io.StringIO())
        >>> target.getvalue()[:60]
        '{"position":0,"block":1,"index":0,"timestamp":1704067201,"ty'
        """
        import_module(f"{_SQL}export").write_jsonl(self.ledger, target, what)

    @reading
    def export_csv(self, target: Target, what: str | type) -> None:
        """Write one table of `sql` to a path or an open file. `what` is its name, or the class of an event or model.

        >>> import io
        >>> chain.export_csv(target := io.StringIO(), Moved)
        >>> print(target.getvalue())
        "player","square","receipt","block","timestamp","address","log"
        "0xf39F...",4,2,3,1704067203,"0x5FbD...",0
        """
        import_module(f"{_SQL}export").write_csv(self.ledger, target, what)

    @reading
    def activity(self, since: int = 0) -> str:
        """Return the activity as text, of all transactions or of those from receipt number `since` on.

        >>> print(chain.activity(since=win.position))
        8 +8s alice: League.win(5) ok [... gas]
        """
        return decoded.activity_of(self.ledger, whole_number(since, "since", LAST_TIME))
