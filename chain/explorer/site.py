"""The site of one chain: its routes, its templates, and what its pages share."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chain.explorer.board_pictures import BoardPictures
from chain.explorer.lines import Lines
from chain.explorer.live import Live
from chain.explorer.names import Names
from chain.explorer.page import Page, Problem
from chain.explorer.pages import PAGES, WITH_FORMS
from chain.explorer.pages.events import names_of_events
from chain.explorer.rendering import Renderer, feed, static
from chain.explorer.stored_fields import StoredFields
from chain.explorer.survey import Survey
from chain.explorer.words import ShortWords, WholeWords, keyword
from chain.ledger.decoded.worlds import StoredWorld, is_world
from chain.rpc.server.app import Ask
from chain.simulator.chain import Chain

Handler: TypeAlias = Callable[["Site", Request], Any]
Within: TypeAlias = tuple[str, str]  # an address, and what is there

_MENU: Final = (
    ("Activity", "/"), ("Boards", "/boards"), ("Events", "/events"), ("Contracts", "/contracts"), ("Worlds", "/worlds"),
    ("Blocks", "/blocks"), ("Accounts", "/accounts"), ("SQL", "/sql"),
)  # fmt: skip


class Site:
    """The pages of one chain, and the data that is kept between requests.

    They may be a part of another site: then they are found at `base`, and `within` is that from which they are reached.
    """

    def __init__(
        self, chain: Chain, ask: Ask, *, writes: bool, base: str = "", within: Within | None = None
    ) -> None:
        self.chain, self.ask, self.writes = chain, ask, writes
        self.ledger, self.within = chain.ledger, within
        # Proof in a form that a page of this site created it.
        self.token = secrets.token_urlsafe(24)
        self.survey, self.live = Survey(chain), Live(chain.ledger)
        self.pictures = BoardPictures(chain, self.survey)
        self.fields = StoredFields(chain.ledger)
        self._names: tuple[object, Names] | None = None
        self._event_names: tuple[int, dict[Any, str]] = -1, {}
        self._renderer = Renderer(base)
        self.application = Starlette(
            routes=[
                Route("/-/live", self._feed),
                Route("/-/{file}", static),
                *(Route(path, self._endpoint(handler), methods=_methods(handler)) for path, handler in PAGES.items()),
            ],
            exception_handlers={404: self._missing, 405: self._missing},
        )  # fmt: skip

    @property
    def names(self) -> Names:
        """The names on the chain now."""
        now = self.live.state, len(self.ledger.timeline)
        if self._names is None or self._names[0] != now:
            self._names = now, Names(self.ledger)
        return self._names[1]

    @property
    def lines(self) -> Lines:
        return Lines(self.ledger, self.names)

    @property
    def words(self) -> ShortWords:
        return ShortWords(self.names)

    @property
    def worlds(self) -> list[StoredWorld]:
        """The Worlds, each in all its namespaces."""
        ledger = self.ledger
        found = [
            StoredWorld(ledger, ledger.state, address, len(ledger.timeline))
            for address in self.names.contracts
            if is_world(ledger.program_at(address))
        ]
        return [space for world in found for space in world.spaces()]

    @property
    def event_names(self) -> dict[Any, str]:
        """The query name of each event type, by its key."""
        self.ledger.event_types.contracts()  # brings the version up to date
        version = self.ledger.event_types.version
        if self._event_names[0] != version:
            self._event_names = version, names_of_events(self.ledger)
        return self._event_names[1]

    def _endpoint(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            self.chain.settle()
            try:
                made = handler(self, request)
                page = await made if isawaitable(made) else made
            except Problem as problem:
                page = Page(
                    "problem.html", "Not here", {"text": str(problem)}, status=problem.status
                )
            finished = self._renderer.finished
            return self._render(page, request) if isinstance(page, Page) else finished(page)

        return answer

    def _render(self, page: Page, request: Request) -> Response:
        names = self.names
        context = {
            "menu": _MENU, "site": self, "names": names, "head": self.ledger.blocks.head, "keyword": keyword,
            "show": WholeWords(names).value, "short": ShortWords(names).show,
        }  # fmt: skip
        return self._renderer.response(page, request, context)

    async def _missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        text = "There is no such page." if status == 404 else "This page can only be read."
        return self._render(
            Page("problem.html", "Not here", {"text": text}, status=status), request
        )

    async def _feed(self, _: Request) -> Response:
        return feed(self.live)


def _methods(handler: Handler) -> list[str]:
    return ["GET", "POST"] if handler in WITH_FORMS else ["GET"]
