"""The site of one chain: its routes, its templates, and what its pages share."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from chain.explorer.approach import Approach
from chain.explorer.board_pictures import BoardPictures
from chain.explorer.lines import Lines
from chain.explorer.live import Live
from chain.explorer.names import Names
from chain.explorer.page import Page, Problem
from chain.explorer.pages import PAGES, WITH_FORMS
from chain.explorer.pages.events import names_of_events
from chain.explorer.stored_fields import StoredFields
from chain.explorer.survey import Survey
from chain.explorer.words import ShortWords, WholeWords, keyword, prose
from chain.ledger.decoded.worlds import StoredWorld, is_world
from chain.pictures.markup import escape
from chain.pictures.palette import dark_rules
from chain.rpc.server.app import Ask
from chain.simulator.chain import Chain

Handler: TypeAlias = Callable[["Site", Request], Any]

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without one, browsers send forms from the origin `null`
    "cache-control": "no-store",
}
_HERE: Final = Path(__file__).parent
_MENU: Final = (
    ("Activity", "/"), ("Boards", "/boards"), ("Events", "/events"), ("Contracts", "/contracts"), ("Worlds", "/worlds"),
    ("Blocks", "/blocks"), ("Accounts", "/accounts"), ("SQL", "/sql"),
)  # fmt: skip
_PART: Final = "x-part"  # the header with which the script asks for one block of a template


class Site:
    """The pages of one chain, and what is remembered between them."""

    def __init__(self, chain: Chain, ask: Ask, *, writes: bool) -> None:
        self.chain, self.ask, self.writes = chain, ask, writes
        self.ledger = chain.ledger
        self.token = secrets.token_urlsafe(24)  # a form proves with it that a page here made it
        self.survey, self.live = Survey(chain), Live(chain.ledger)
        self.pictures = BoardPictures(chain, self.survey)
        self.fields, self.past = StoredFields(chain.ledger), Approach(chain)
        self._names: tuple[object, Names] | None = None
        self._event_names: tuple[int, dict[Any, str]] = -1, {}
        self._templates = _environment()
        self.application = Starlette(
            routes=[
                Route("/-/live", self._feed),
                Route("/-/{file}", _static),
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
        """How to ask for each type of event, by its key."""
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
            return self._render(page, request) if isinstance(page, Page) else with_headers(page)

        return answer

    def _render(self, page: Page, request: Request) -> Response:
        template = self._templates.get_template(page.template)
        names = self.names
        context: dict[str, object] = {
            "page": page, "menu": _MENU, "site": self, "names": names, "head": self.ledger.blocks.head,
            "show": WholeWords(names).value, "short": ShortWords(names).show, "query": request.query_params,
            "path": request.url.path, "keyword": keyword, **page.data,
        }  # fmt: skip
        part = request.headers.get(_PART, "")
        if part in template.blocks:
            block = template.blocks[part]
            text = "".join(block(template.new_context(context)))
        else:
            text = template.render(context)
        return HTMLResponse(text, page.status, HEADERS)

    async def _missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        text = "There is no such page." if status == 404 else "This is a page to look at."
        return self._render(
            Page("problem.html", "Not here", {"text": text}, status=status), request
        )

    async def _feed(self, _: Request) -> Response:
        if not self.live.has_room:
            return PlainTextResponse("too many pages listen already", 503, HEADERS)
        feed = self.live.feed()
        return StreamingResponse(feed, media_type="text/event-stream", headers=HEADERS)


def _methods(handler: Handler) -> list[str]:
    return ["GET", "POST"] if handler in WITH_FORMS else ["GET"]


def with_headers(response: Response) -> Response:
    """Return a response with the headers that all have, unless it has its own."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=_finalize,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    environment.filters["digits"] = lambda number: f"{number:,}"
    environment.filters["prose"] = prose
    environment.globals["parts"] = environment.get_template("parts.html").module
    return environment


def _finalize(value: object) -> Any:
    """Return what stands between braces in a template as markup: all text is escaped, controls become visible."""
    if hasattr(value, "__html__"):
        return value
    return escape("" if value is None else value if isinstance(value, str) else str(value))


_STATIC: Final = {
    "explorer.css": "text/css",
    "explorer.js": "text/javascript",
    "mark.svg": "image/svg+xml",
}


async def _static(request: Request) -> Response:
    name = request.path_params["file"]
    if name not in _STATIC:
        return with_headers(PlainTextResponse("there is no such file", 404))
    text = (_HERE / "static" / name).read_text("utf-8")
    if name == "explorer.css":
        text += f"@media screen and (prefers-color-scheme:dark){{{dark_rules()}}}"
    headers = HEADERS | {"cache-control": "no-cache"}
    return Response(text, media_type=f"{_STATIC[name]}; charset=utf-8", headers=headers)
