"""Accounts: those that the chain signs for, and the balance and transactions of any account."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request

from chain.crypto.hashing import checksum_address
from chain.explorer import page
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.activity import ROWS
from chain.explorer.pages.receipt_filters import narrowed
from chain.explorer.site import Site
from chain.types import Address

_MOST: Final = 200
_ETHER: Final = 10**18


def accounts(site: Site, request: Request) -> Page:
    first = page.number(request, "from") or 0
    known = list(site.chain.keys)
    rows = [
        (address, site.chain.nonce(Address(address)), ether(site.chain.balance(Address(address))))
        for address in known[first : first + _MOST]
    ]
    more = first + _MOST if len(known) > first + _MOST else None
    data: dict[str, object] = {
        "rows": rows,
        "total": len(known),
        "more": more,
        "checksum": checksum_address,
    }
    return Page("accounts.html", "Accounts", data, "/accounts")


async def account(site: Site, request: Request) -> Page:
    word = request.path_params["name"]
    try:
        address = site.chain.address_of(word)
    except (TypeError, ValueError, LookupError) as error:
        raise PageProblem(str(error)) from None
    before = page.number(request, "before")
    found, older, is_all = await narrowed(site, {"sender": address}, before, ROWS)
    code = site.chain.code(address)
    data: dict[str, Any] = {
        "address": bytes(address),
        "name": site.names.name(address),
        "checksum": checksum_address(address),
        "balance": ether(site.chain.balance(address)),
        "nonce": site.chain.nonce(address),
        "code": len(code),
        "is_contract": bytes(address) in site.names.contracts,
        "lines": site.lines.of(found),
        "older": older,
        "is_all": is_all,
        "is_first": before is None,
    }
    return Page("account.html", data["name"] or data["checksum"], data, "/accounts")


def ether(wei: int) -> str:
    """Return an amount in ether, without zeros at the end."""
    whole, rest = divmod(wei, _ETHER)
    return f"{whole:,}" + (f".{rest:018}".rstrip("0") if rest else "")
