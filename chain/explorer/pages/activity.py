"""All transactions, newest first, by contract, entry, sender and outcome."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request

from chain.crypto.hashing import checksum_address
from chain.explorer import equivalent_queries, page
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.receipt_filters import narrowed
from chain.explorer.site import Site

ROWS: Final = 50


async def activity(site: Site, request: Request) -> Page:
    asked = {name: page.word(request, name) for name in ("contract", "entry", "sender", "ok")}
    values: dict[str, object] = {name: value for name, value in asked.items() if value}
    if "ok" in values:
        values["ok"] = asked["ok"] != "0"
    try:
        before = page.number(request, "before")
        found, older, is_all = await narrowed(site, values, before, ROWS)
    except (TypeError, ValueError, LookupError) as error:
        raise PageProblem(str(error), 400) from None
    data = {
        "lines": site.lines.of(found),
        "older": older,
        "is_all": is_all,
        "is_first": before is None,
        "asked": asked,
        "is_filtered": bool(values),
        "contracts": list(dict.fromkeys(site.names.contracts.values())),
        "entries": _entries(site, asked["contract"]),
        "question": _question(site, values),
    }
    return Page("activity.html", "Activity", data, "/")


def _entries(site: Site, contract: str) -> list[str]:
    """The entries to filter by: of the contract, or of all contracts."""
    names = site.names.contracts_by_name
    wanted = [names[contract]] if contract in names else list(site.names.contracts)
    specs = [program.spec for address in wanted if (program := site.ledger.program_at(address))]
    calls = (entry.name for spec in specs for entry in spec.entries.values() if not entry.is_view)
    return sorted(set(calls))


def _question(site: Site, values: dict[str, Any]) -> equivalent_queries.Question:
    conditions = []
    for name, value in values.items():
        if name == "sender" or (name == "contract" and "#" in value):
            column = "sender" if name == "sender" else "address"
            value = checksum_address(site.ledger.address_of(value))
            conditions.append(equivalent_queries.sql_equals(column, value))
        else:
            conditions.append(equivalent_queries.sql_equals(name, value))
    where = f".where({equivalent_queries.python_args(values)})"
    return equivalent_queries.Question(
        f"chain.receipts{where}.page(limit={ROWS})",
        equivalent_queries.select("receipts", conditions, "position", ROWS),
        equivalent_queries.rpc_text("chain_receipts", {**values, "limit": ROWS, "backwards": True}),
    )
