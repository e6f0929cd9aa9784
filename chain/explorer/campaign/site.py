"""The site of a campaign's results: its routes, and what its pages share."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from chain.arena.store import NoResults, Store
from chain.explorer import page
from chain.explorer.campaign import pages
from chain.explorer.campaign.replays import Replays
from chain.explorer.live import Feeds
from chain.explorer.page import Page, PageProblem
from chain.explorer.rendering import Renderer, feed, static
from chain.foundation.folder_lock import is_locked
from chain.rpc.server.app import Message, Receive, Send

_MENU: Final = (("Campaign", "/"), ("Games", "/games"), ("Report", "/report"))


class CampaignSite:
    """The pages of the results in a folder. It is what a server mounts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.replays = folder, Replays()
        with Store(folder, writes=False) as store:
            self.plan = store.known_plan
        self._live, self._renderer = _Live(self), Renderer()
        self._application = Starlette(
            routes=[
                Route("/-/live", self._feed),
                Route("/-/{file}", static),
                *(Route(path, self._endpoint(handler)) for path, handler in pages.PAGES.items()),
                Mount("/game/{number}/chain", app=self._in_game),
            ],
            exception_handlers={404: self._missing, 405: self._missing},
        )

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        await self._application(scope, receive, send)

    @property
    def is_watched(self) -> bool:
        return self._live.has_listeners

    def publish(self) -> None:
        self._live.publish()

    def close(self) -> None:
        self._live.close()
        self.replays.close()

    @contextmanager
    def results(self) -> Iterator[Store]:
        """Open the results."""
        try:
            with Store(self.folder, writes=False) as store:
                yield store
        except (sqlite3.Error, NoResults) as error:
            raise PageProblem(f"The results cannot be read: {error}.", 503) from None

    @property
    def done(self) -> int:
        """The number of stored games."""
        with suppress(PageProblem), self.results() as store:
            return store.done
        return 0

    def _endpoint(self, handler: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            try:
                made = handler(self, request)
                found = await made if isawaitable(made) else made
            except PageProblem as problem:
                return self._problem(problem, request)
            return self._render(found, request) if isinstance(found, Page) else self._renderer.finished(found)  # fmt: skip

        return answer

    async def _in_game(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer with a page of the chain of a game, whose paths begin behind those of the game."""
        try:
            number = page.whole(scope["path_params"]["number"], "the number of a game")
            application = await pages.replayed(self, number)
        except PageProblem as problem:
            await self._problem(problem, Request(scope))(scope, receive, send)
            return
        path = scope["path"].partition("/chain")[2] or "/"
        own: Message = {"path": path, "raw_path": path.encode(), "root_path": "", "path_params": {}}
        await application({**scope, **own}, receive, send)

    def _render(self, found: Page, request: Request) -> Response:
        context = {"menu": _MENU, "done": self.done, "plan": self.plan}
        return self._renderer.response(found, request, context)

    def _problem(self, problem: PageProblem, request: Request) -> Response:
        return self._render(problem.page("campaign/problem.html"), request)

    async def _missing(self, request: Request, error: Exception) -> Response:
        return self._problem(PageProblem("There is no such page."), request)

    async def _feed(self, _: Request) -> Response:
        return feed(self._live)


class _Live(Feeds):
    """The pages that wait for more games."""

    def __init__(self, site: CampaignSite) -> None:
        super().__init__()
        self._site = site

    @property
    def state(self) -> Mapping[str, int]:
        return {"block": self._site.done, "playing": int(is_locked(self._site.folder)), "cuts": 0}
