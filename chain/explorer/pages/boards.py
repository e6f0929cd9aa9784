"""Boards: a list of all, and a page for each with its transactions as steps of the game."""

from __future__ import annotations

from itertools import islice
from statistics import mode
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chain.explorer import page
from chain.explorer.distant_past import approach
from chain.explorer.lines import Line
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.transaction import emitted
from chain.explorer.receipt_survey import BoardRecord
from chain.explorer.site import Site
from chain.foundation.dataclass import dataclass
from chain.pictures.markup import text
from chain.pictures.picture import picture_of_parts

_CARDS: Final = 24
_PATIENCE: Final = 0.25  # seconds for which a page waits until transactions are read
_NOTHING: Final = "nothing to draw yet"
_CHUNK: Final = 60  # plies that are listed at a time; a short rest is listed with those before it

_SVG_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A board in the list of boards."""

    name: str
    url: str
    plies: int
    last: Any  # the last receipt about it


async def boards(site: Site, request: Request) -> Page:
    await site.survey.catch_up(_PATIENCE)
    contract, names = page.word(request, "contract"), site.names.contracts
    address = contract_named(site, contract) if contract else None
    newest = site.survey.newest(address, page.number(request, "before"))
    records = list(islice(newest, _CARDS + 1))
    shown = records[:_CARDS]
    data: dict[str, object] = {
        "cards": [_card(site, record) for record in shown],
        "contract": contract,
        "games": [name for address, name in names.items() if site.survey.counts[address]],
        "older": shown[-1].positions[-1] if len(records) > _CARDS else None,
        "read": site.survey.done,
        "total": len(site.ledger.receipts),
    }
    return Page("boards.html", "Boards", data, "/boards")


def _card(site: Site, record: BoardRecord) -> Card:
    receipt = site.ledger.receipts[record.positions[-1]]
    return Card(title_of(site, record), url_of(site, record), len(record.positions), receipt)


def title_of(site: Site, record: BoardRecord) -> str:
    name = site.names.display(record.address)
    return name if record.board_id is None else f"{name} {record.word}"


def url_of(site: Site, record: BoardRecord) -> str:
    contract = site.names.url(record.address).removeprefix("/contract/")
    return f"/board/{contract}/{quote(record.word, safe='')}"


async def board(site: Site, request: Request) -> Page | Response:
    record = await _record(site, request)
    count = len(record.positions)
    if "ply" in request.query_params:  # from the slider, without script
        ply = page.whole(page.word(request, "ply"), "a step")
        return RedirectResponse(f"{url_of(site, record)}/{max(1, min(ply, count))}", 303)
    given = request.path_params.get("ply")
    ply = count if given is None else page.whole(given, "a step")
    if not 1 <= ply <= count:
        raise PageProblem(f"There is no step {ply}: the board has 1 to {count}.")
    receipt = site.ledger.receipts[record.positions[ply - 1]]
    await approach(site.ledger)
    chunk = min((ply - 1) // _CHUNK, max(0, count - _CHUNK // 2) // _CHUNK)
    data: dict[str, object] = {
        "title": title_of(site, record),
        "record": record,
        "url": url_of(site, record),
        "contract": site.names.link(record.address),
        "ply": ply,
        "count": count,
        "step": site.pictures.step(record, receipt),
        "line": site.lines.line(receipt),
        "emitted": [emitted(site, row, receipt.address) for row in receipt.log_rows],
        "chunk": chunk,
        "log": [],
        "usual": "",
    }
    if request.headers.get("x-part") != "stage":
        data["log"] = log = _log(site, record, chunk)
        data["usual"] = mode(line.entry for _, line in log)
    return Page("board.html", f"{data['title']}, step {ply}", data, "/boards")


def _log(site: Site, record: BoardRecord, chunk: int) -> list[tuple[int, Line]]:
    """The steps of one chunk with their numbers."""
    first, end = chunk * _CHUNK, chunk * _CHUNK + _CHUNK
    if len(record.positions) - end < _CHUNK // 2:
        end = len(record.positions)
    positions = record.positions[first:end]
    game = site.survey.game(site.ledger.receipts[positions[0]]._digest)
    make = site.lines.without(game.key if game else None)
    lines = make.of(site.ledger.receipts[position] for position in positions)
    return list(enumerate(lines, first + 1))


async def picture(site: Site, request: Request) -> Response:
    """One board as a file, for a README or an `<img>`: the present board, or the board after a step."""
    record = await _record(site, request)
    ply = page.number(request, "ply") or len(record.positions)
    if ply > len(record.positions):
        raise PageProblem(f"There is no step {ply}: the board has 1 to {len(record.positions)}.")
    await approach(site.ledger)
    step = site.pictures.step(record, site.ledger.receipts[record.positions[ply - 1]])
    drawn = step.after or step.before
    if drawn is None:
        drawn = picture_of_parts(
            400, 300, (), above=[text(200, 150, _NOTHING, anchor="middle", fill="muted")]
        )
    if step.after and step.before and "plain" not in request.query_params:
        drawn = step.after.since(step.before)
    return Response(drawn.svg(dark=True), media_type="image/svg+xml", headers=_SVG_HEADERS)


async def _record(site: Site, request: Request) -> BoardRecord:
    """Return the board that the address of a page names."""
    await site.survey.catch_up()
    name, word = request.path_params["contract"], request.path_params["board"]
    address = contract_named(site, name)
    if (address, word) not in site.survey.boards:
        await site.survey.catch_up(_PATIENCE)
    record = site.survey.boards.get((address, word))
    if record is None:
        part = "" if site.survey.is_complete else " yet: older transactions are still being read"
        raise PageProblem(f"{name} has no board {word}{part}.")
    return record


def contract_named(site: Site, name: str) -> bytes:
    """Return the address of a Python contract, given as a name that it has or had, or as its address."""
    address = site.names.contracts_by_name.get(name)
    if address is None and name.startswith("0x") and len(name) == 42:
        try:
            address = bytes.fromhex(name[2:])
        except ValueError:
            address = None
    if address is None or address not in site.names.contracts:
        raise PageProblem(f"There is no Python contract {name} on this chain.")
    return address
