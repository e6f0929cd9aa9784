"""The web application of one site: its routes, and what answers a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chain.explorer.page import Page, PageProblem
from chain.explorer.pages import PAGES, WITH_FORMS
from chain.explorer.rendering import Renderer, feed, static
from chain.explorer.site import Site
from chain.explorer.words import ShortWords, WholeWords, keyword
from chain.rpc.server.app import Message, Receive, Send

Handler: TypeAlias = Callable[[Site, Request], Any]

_MENU: Final = (
    ("Activity", "/"), ("Boards", "/boards"), ("Events", "/events"), ("Contracts", "/contracts"), ("Worlds", "/worlds"),
    ("Blocks", "/blocks"), ("Accounts", "/accounts"), ("SQL", "/sql"),
)  # fmt: skip


class Application:
    """Serves the pages of a site. If they are a part of another one, they are found at `base`."""

    def __init__(self, site: Site, base: str = "") -> None:
        self.site = site
        self._renderer = Renderer(base)
        self._routes = Starlette(
            routes=[
                Route("/-/live", self._feed),
                Route("/-/{file}", static),
                *(Route(path, self._endpoint(handler), methods=_methods(handler)) for path, handler in PAGES.items()),
            ],
            exception_handlers={404: self._missing, 405: self._missing},
        )  # fmt: skip

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        await self._routes(scope, receive, send)

    def _endpoint(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            self.site.chain.settle()
            try:
                made = handler(self.site, request)
                page = await made if isawaitable(made) else made
            except PageProblem as problem:
                page = problem.page()
            finished = self._renderer.finished
            return self._render(page, request) if isinstance(page, Page) else finished(page)

        return answer

    def _render(self, page: Page, request: Request) -> Response:
        site, names = self.site, self.site.names
        context = {
            "menu": _MENU, "site": site, "names": names, "head": site.ledger.blocks.head, "keyword": keyword,
            "show": WholeWords(names).value, "short": ShortWords(names).word,
        }  # fmt: skip
        return self._renderer.response(page, request, context)

    async def _missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        text = "There is no such page." if status == 404 else "This page can only be read."
        return self._render(PageProblem(text, status).page(), request)

    async def _feed(self, _: Request) -> Response:
        return feed(self.site.live)


def _methods(handler: Handler) -> list[str]:
    return ["GET", "POST"] if handler in WITH_FORMS else ["GET"]
