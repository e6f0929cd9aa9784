"""SQL: any query on the tables of the chain, bounded in work and size, and some ready-made ones."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from chain.explorer import equivalent_queries
from chain.explorer.page import Page
from chain.explorer.site import Site
from chain.ledger.sql.tables import all_tables
from chain.rpc.errors import RpcError

_ROWS: Final = 500  # that are shown
_LONGEST: Final = 20_000  # characters of a question
_SAVED: Final = (
    ("Calls by entry", "select contract, entry, count(*) as calls, sum(1 - ok) as failed, round(avg(gas_used)) as gas\n"
     "from receipts group by contract, entry order by calls desc"),
    ("Reasons for failure", "select error, contract, entry, count(*) as times, max(position) as last\n"
     "from receipts where ok = 0 group by error, contract, entry order by times desc"),
    ("Who plays most", "select sender_name, sender, count(*) as calls, sum(1 - ok) as failed\n"
     "from receipts group by sender order by calls desc limit 50"),
    ("The most expensive calls", "select position, contract, entry, gas_used from receipts order by gas_used desc limit 50"),
    ("Events by type", "select event, name(address) as contract, count(*) as times from logs\n"
     "group by event, address order by times desc"),
    ("All tables", "select * from tables"),
)  # fmt: skip


async def sql(site: Site, request: Request) -> Page:
    question = request.query_params.get("q", "").strip()[:_LONGEST]
    data: dict[str, object] = {
        "q": question, "saved": _SAVED, "tables": _tables(site), "columns": [], "rows": [], "total": 0, "wrong": None,
        "right": [], "rpc": equivalent_queries.rpc_text("chain_sql", question), "python": f"chain.sql({question!r})",
    }  # fmt: skip
    if question:
        try:
            answer = await site.ask("chain_sql", [question])
        except RpcError as error:
            data["wrong"] = str(error)
        else:
            rows = answer["rows"]
            numbers = [
                all(isinstance(row[i], int | float) for row in rows)
                for i in range(len(answer["columns"]))
            ]
            data |= {
                "columns": answer["columns"],
                "rows": rows[:_ROWS],
                "total": len(rows),
                "right": numbers,
            }
    return Page("sql.html", "SQL", data, "/sql", 400 if data["wrong"] else 200)


def _tables(site: Site) -> list[tuple[str, str, str]]:
    """The tables with their kind, and a query for the last rows of each."""
    rows = []
    for table in all_tables(site.ledger, settled=True):
        order = f" order by {table.key} desc" if table.key else ""
        rows.append((table.name, table.kind, f"select * from {table.name}{order} limit 50"))
    return rows
