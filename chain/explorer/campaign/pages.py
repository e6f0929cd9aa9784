"""The pages of a campaign: the address of each, and the function that finds what it shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from chain.arena.match import Row
from chain.arena.plots import percent
from chain.arena.report import report_of
from chain.arena.report_page import name_of, wins_plot
from chain.arena.selection import RESULTS, Selection
from chain.arena.store import Store
from chain.arena.tally import Tally
from chain.explorer import page
from chain.explorer.application import Application
from chain.explorer.campaign.replays import base_of
from chain.explorer.page import Page, PageProblem
from chain.explorer.pages.boards import url_of
from chain.foundation.dataclass import dataclass
from chain.foundation.folder_lock import is_locked

if TYPE_CHECKING:
    from chain.explorer.campaign.site import CampaignSite

_ROWS: Final = 50
_FAILURES: Final = 10
_MOST_READ: Final = 100_000  # games, of which none may be as it is asked for
# Seconds for which a game's transactions are read before its boards are shown.
_PATIENCE: Final = 2.0
_REPORT_HEADERS: Final = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a game, and its result."""

    strategy: str
    place: int | None
    score: int | None
    has_won: bool


def campaign(site: CampaignSite, request: Request) -> Page:
    with site.results() as store:
        tally, done, goal = store.kept_tally, store.done, store.goal
        failures = list(islice(store.failures(), _FAILURES)) if tally.failures else []
    data: dict[str, object] = {
        "tally": tally,
        "state": _state(tally, done, goal, is_played=is_locked(site.folder)),
        "goal": goal,
        "shares": tally.shares(),
        "seats": tally.by_seat() if tally.games > tally.failures else [],
        "plot": wins_plot(tally) if tally.shares() else None,
        "strength": _strength(tally),
        "failures": failures,
        "percent": percent,
        "name_of": name_of,
    }
    return Page("campaign/campaign.html", site.plan.target, data, "/")


def _state(tally: Tally, done: int, goal: int | None, *, is_played: bool) -> str:
    if is_played:
        return "being played"
    if tally.is_decided:
        return "decided"
    return "finished" if goal is not None and done >= goal else "stopped"


def _strength(tally: Tally) -> str | None:
    """Return what the pairs say about two strategies."""
    if tally.pairs.are_alike:
        return None
    first, second = tally.plan.strategies
    elo, error = tally.pairs.elo
    text = f"{first} is {elo:+.1f} ± {error:.1f} Elo over {second}"
    if tally.sprt is not None:
        low, high = tally.sprt.bounds
        text += f"; LLR {tally.sprt.llr(tally.pairs):.2f}, which decides at {low:.2f} or {high:.2f}"
    if tally.accepted is not None:
        text += f": {tally.accepted:g} Elo"
    return text


def games(site: CampaignSite, request: Request) -> Page:
    asked = {name: page.word(request, name) for name in ("strategy", "seat", "result", "ending", "failed")}  # fmt: skip
    like, first = _selection(asked), page.number(request, "from") or 0
    with site.results() as store:
        found = list(islice(store.rows(first=first, until=first + _MOST_READ, like=like), _ROWS + 1))  # fmt: skip
        tally, last = store.kept_tally, store.last
    rows, older = found[:_ROWS], None
    if len(found) > _ROWS:
        older = found[_ROWS].game
    elif last is not None and last >= first + _MOST_READ:
        older = first + _MOST_READ
    data: dict[str, object] = {
        "rows": [(row, seats_of(row)) for row in rows],
        "asked": asked,
        "is_filtered": any(asked.values()),
        "is_first": not first,
        "older": older,
        "is_all": len(found) > _ROWS or older is None,
        "strategies": dict.fromkeys(site.plan.strategies),
        "seats": range(1, len(site.plan.strategies) + 1),
        "results": RESULTS,
        "endings": sorted(tally.endings),
    }
    return Page("campaign/games.html", "Games", data, "/games")


def _selection(asked: dict[str, str]) -> Selection:
    if asked["result"] not in ("", *RESULTS):
        raise PageProblem(f"a result is {', '.join(RESULTS)}, not '{asked['result']}'", 400)
    seat = page.whole(asked["seat"], "a seat") - 1 if asked["seat"] else None
    return Selection(asked["strategy"], seat, asked["result"], asked["ending"], bool(asked["failed"]))  # fmt: skip


def seats_of(row: Row) -> list[Seat]:
    """Return the seats of a game. One that failed has no places."""
    names, winners = json.loads(row.seats), json.loads(row.winners)
    places, scores = json.loads(row.places), json.loads(row.scores)
    return [
        Seat(name, places[i] if places else None, scores[i] if scores else None, i in winners)
        for i, name in enumerate(names)
    ]


def game(site: CampaignSite, request: Request) -> Page:
    with site.results() as store:
        row = _row(store, _number(request))
        last = store.last or 0
    calls = json.loads(row.calls) if row.calls else {}
    data: dict[str, object] = {
        "row": row,
        "seats": seats_of(row),
        "calls": sorted(calls.items(), key=lambda each: -each[1][1]),
        "last": last,
        "folder": site.folder,
    }
    return Page("campaign/game.html", f"Game {row.game}", data, "/games")


async def steps(site: CampaignSite, request: Request) -> Response:
    """Lead to the board that most of the game is about, on its chain; to the chain if there is none."""
    number = _number(request)
    inside = (await replayed(site, number)).site
    await inside.survey.catch_up(_PATIENCE)
    boards = inside.survey.boards.values()
    if not boards:
        return RedirectResponse(f"{base_of(number)}/", 303)
    most = max(boards, key=lambda board: len(board.positions))
    return RedirectResponse(f"{base_of(number)}{url_of(inside, most)}/1", 303)


async def replayed(site: CampaignSite, number: int) -> Application:
    """Return the pages of the chain on which a game is played again."""
    with site.results() as store:
        row = _row(store, number)
    return await site.replays.pages(site.plan, row)


async def report(site: CampaignSite, request: Request) -> Response:
    def written() -> str:
        with site.results() as store:
            return report_of(store)

    text = await asyncio.to_thread(written)
    return Response(text, media_type="text/html; charset=utf-8", headers=_REPORT_HEADERS)


def search(site: CampaignSite, request: Request) -> Response:
    word = page.word(request, "q")
    return RedirectResponse(f"/game/{page.whole(word, 'the number of a game')}" if word else "/games", 303)  # fmt: skip


def _number(request: Request) -> int:
    return page.whole(request.path_params["number"], "the number of a game")


def _row(store: Store, number: int) -> Row:
    row = store.row(number)
    if row is None:
        raise PageProblem(f"Game {number} is not among the results.")
    return row


PAGES: Final[dict[str, Callable[..., object]]] = {
    "/": campaign,
    "/games": games,
    "/game/{number}": game,
    "/game/{number}/steps": steps,
    "/report": report,
    "/search": search,
}
