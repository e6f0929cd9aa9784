"""Receipts by contract, entry, sender and outcome: from indexes, or by reading the newest ones while the indexes are built."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final

from chain.explorer.site import Site
from chain.ledger.queries import contract_key
from chain.ledger.receipts import Receipt

_PATIENCE: Final = 0.012  # seconds for which receipts are read


async def narrowed(
    site: Site, values: dict[str, object], before: int | None, rows: int
) -> tuple[list[Receipt], int | None, bool]:
    """Return a page of receipts, newest first, the `before` of the next one, and whether it may have more."""
    await site.survey.catch_up()
    receipts = site.ledger.receipts
    if not values or site.survey.is_complete:
        found = receipts.where(**values).page(before=before, limit=rows)
        return list(found), found.older, True
    tests = [_test(site, name, value) for name, value in values.items()]
    position = len(receipts) if before is None else min(before, len(receipts))
    matches, end = list[Receipt](), perf_counter() + _PATIENCE
    while position and len(matches) < rows and (perf_counter() < end or not matches):
        position -= 1
        receipt = receipts[position]
        if all(read(receipt) == value for read, value in tests):
            matches.append(receipt)
        if perf_counter() > end:
            break
    return matches, position or None, len(matches) == rows


def _test(site: Site, name: str, value: object) -> tuple[Any, Any]:
    """Return the test of a receipt: a function that reads a field, and the value that it must have."""
    if name == "contract":
        name, value = contract_key(site.ledger, value)
    if name == "program":
        return (lambda receipt: receipt._digest), value
    if name in ("sender", "address"):
        value = site.ledger.address_of(value, name)
    return (lambda receipt: getattr(receipt, name)), value
