"""Blocks, newest first, and one with its transactions."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from chain.explorer import page
from chain.explorer.lines import clock
from chain.explorer.page import Page, PageProblem
from chain.explorer.site import Site

_ROWS: Final = 50
_LINES: Final = 200


def blocks(site: Site, request: Request) -> Page:
    known = site.ledger.blocks
    before = page.number(request, "before")
    end = len(known) if before is None else min(before, len(known))
    start = known[0].timestamp
    shown = [known[number] for number in range(end - 1, max(-1, end - 1 - _ROWS), -1)]
    data = {
        "rows": [
            (block, clock(block.timestamp - start), block.end_receipt - block.first_receipt)
            for block in shown
        ],
        "older": end - _ROWS if end > _ROWS else None,
        "is_first": before is None,
    }
    return Page("blocks.html", "Blocks", data, "/blocks")


async def block(site: Site, request: Request) -> Page:
    known = site.ledger.blocks
    number = page.whole(request.path_params["number"], "the number of a block")
    if number >= len(known):
        raise PageProblem(
            f"There is no block {number}: the chain has blocks 0 to {len(known) - 1}."
        )
    found = known[number]
    first = page.number(request, "from") or 0
    asks = "hash" in request.query_params or site.ledger.headers.is_near(number)
    start = found.first_receipt + first
    end = min(start + _LINES, found.end_receipt)
    data = {
        "block": found,
        "hash": f"0x{site.ledger.block_hash(number).hex()}" if asks else None,
        "time": clock(found.timestamp - known[0].timestamp),
        "lines": site.lines.of(site.ledger.receipts[start:end]),
        "count": found.end_receipt - found.first_receipt,
        "more": first + _LINES if end < found.end_receipt else None,
        "last": len(known) - 1,
    }
    return Page("block.html", f"Block {number}", data, "/blocks")
