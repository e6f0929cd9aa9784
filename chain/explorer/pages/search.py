"""Search: goes straight to the named page, or shows a list if the word may mean several things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chain.explorer import page
from chain.explorer.page import Page
from chain.explorer.site import Site
from chain.types import Address

_MOST: Final = 60
_HASH: Final = "0x[0-9a-fA-F]{64}"


async def search(site: Site, request: Request) -> Page | Response:
    word = page.word(request, "q")
    if re.fullmatch(_HASH, word):  # so that its hash is known
        site.ledger.find(bytes.fromhex(word[2:]))
    found = list(dict.fromkeys(_found(site, word))) if word else []
    exact = [url for is_exact, _, _, url in found if is_exact]
    if len(exact) == 1:
        return RedirectResponse(exact[0], 303)
    if len(found) == 1:
        return RedirectResponse(found[0][3], 303)
    return Page("search.html", "Search", {"q": word, "found": found[:_MOST]})


def _found(site: Site, word: str) -> Iterator[tuple[bool, str, str, str]]:
    """Yield the possible meanings of a word: True for an exact match, the type, the name and the page."""
    yield from _numbers(site, word)
    yield from _hashes(site, word)
    lower = word.lower()
    for address, name in site.names.contracts.items():
        if lower in name.lower():
            yield name == word, "contract", name, site.names.url(address)
    for address in site.chain.keys:
        name = site.names.display(address)
        if lower in name.lower():
            yield name == word, "account", name, site.names.url(address)
    for declared in dict.fromkeys(site.event_names.values()):
        if lower in declared.lower():
            yield declared == word, "event", declared, f"/events?event={quote(declared)}"
    for address, contract in site.names.contracts.items():
        program = site.ledger.program_at(address)
        for entry in program.spec.entries if program else ():
            if lower in entry.lower():
                yield (
                    False,
                    "entry",
                    f"{contract}.{entry}",
                    f"{site.names.url(address)}/{quote(entry)}",
                )


def _numbers(site: Site, word: str) -> Iterator[tuple[bool, str, str, str]]:
    digits = word.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        return
    number = int(digits)
    if number < len(site.ledger.receipts):
        yield word != digits, "transaction", f"#{number}", f"/tx/{number}"
    if word == digits and number < len(site.ledger.blocks):
        yield False, "block", str(number), f"/block/{number}"


def _hashes(site: Site, word: str) -> Iterator[tuple[bool, str, str, str]]:
    if re.fullmatch("0x[0-9a-fA-F]{40}", word):
        address = bytes.fromhex(word[2:])
        yield True, "address", site.names.display(Address(address)), site.names.url(address)
    if re.fullmatch(_HASH, word):
        raw = bytes.fromhex(word[2:])
        receipt = site.ledger.find(raw)
        if receipt is not None:
            yield True, "transaction", f"#{receipt.position}", f"/tx/{receipt.position}"
        number = site.ledger.headers.find(raw)
        if number is not None:
            yield True, "block", str(number), f"/block/{number}"
