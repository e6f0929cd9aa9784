"""Statistics by contract and entry."""

from __future__ import annotations

from starlette.requests import Request

from chain.explorer.lines import clock
from chain.explorer.page import Page
from chain.explorer.receipt_survey import CallTally
from chain.explorer.site import Site


async def stats(site: Site, request: Request) -> Page:
    await site.survey.catch_up()
    tallies = sorted(site.survey.tallies.items(), key=lambda item: -item[1].calls)
    total = CallTally()
    for _, tally in tallies:
        total.calls, total.failed, total.gas = (
            total.calls + tally.calls,
            total.failed + tally.failed,
            total.gas + tally.gas,
        )
    blocks = site.ledger.blocks
    data = {
        "total": total,
        "rows": [(address, entry, tally) for (address, entry), tally in tallies if tally.calls],
        "most": max((tally.calls for _, tally in tallies), default=1) or 1,
        "blocks": len(blocks),
        "accounts": len(site.ledger.state.accounts),
        "contracts": len(site.names.contracts),
        "boards": len(site.survey.boards),
        "logs": len(site.ledger.logs),
        "time": clock(blocks.head.timestamp - blocks[0].timestamp),
        "read": site.survey.done,
        "receipts": len(site.ledger.receipts),
    }
    return Page("stats.html", "Statistics", data)
