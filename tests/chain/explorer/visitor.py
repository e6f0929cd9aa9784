"""A visitor of the pages of a chain, in process."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from chain import Chain
from chain.explorer.explorer import Explorer
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App

HOST = "localhost:8545"
# What templates and pictures are made of. Nothing of it may come from a chain.
ELEMENTS = (
    "html head meta title link script body a header img nav form input main footer span button h1 h2 label select option"
    " table caption thead tr th tbody td bdi details summary dl dt dd code p pre ul li b i ol section div output noscript"
    " figure figcaption textarea kbd svg path rect g circle text desc ellipse line polygon polyline"
)


class Elements(HTMLParser):
    """All elements of a page with their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


class Answer:
    """The answer to a request."""

    def __init__(self, sent: list[dict[str, Any]]) -> None:
        self.status: int = sent[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        self.body = b"".join(part.get("body", b"") for part in sent[1:])

    @property
    def markup(self) -> str:
        return self.body.decode()

    @property
    def elements(self) -> list[tuple[str, dict[str, str | None]]]:
        return Elements(self.markup).found

    @property
    def text(self) -> str:
        return " ".join(" ".join(Elements(self.markup).words).split())

    def all(self, tag: str, attribute: str) -> list[str]:
        """The values of an attribute, of all elements of one sort that have it."""
        return [attrs[attribute] or "" for name, attrs in self.elements if name == tag and attribute in attrs]  # fmt: skip

    @property
    def keys(self) -> list[int]:
        """The numbers of the rows of its list."""
        return [int(key) for key in self.all("tr", "data-key")]


class PageVisitor:
    """Asks an application for its pages, as a browser does."""

    def __init__(self, app: Callable[[Any, Any, Any], Awaitable[None]]) -> None:
        self.app = app

    def get(self, url: str, **headers: str) -> Answer:
        return self._ask("GET", url, b"", headers)

    def post(self, url: str, fields: dict[str, str], **headers: str) -> Answer:
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._ask("POST", url, urlencode(fields).encode(), kind | headers)

    def _ask(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        path, _, query = url.partition("?")
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        all_headers = {"host": HOST, **headers}
        scope = {
            "type": "http", "method": method, "path": unquote(path), "raw_path": path.encode(),
            "query_string": query.encode(), "root_path": "", "scheme": "http", "http_version": "1.1",
            "server": ("localhost", 8545), "client": ("127.0.0.1", 1),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in all_headers.items()],
        }  # fmt: skip

        async def answer() -> None:
            await self.app(scope, receive, send)

        asyncio.run(answer())
        return Answer(sent)


class Visitor(PageVisitor):
    """Asks a node."""

    def __init__(self, chain: Chain, *, writes: bool = False) -> None:
        self.chain = chain
        mount = partial(Explorer, chain, writes=writes)
        super().__init__(App(chain.node, AccessPolicy(), lambda: None, mount))


def reachable(visitor: PageVisitor) -> dict[str, Answer]:
    """Every page that can be reached by links, by its address; a few of each sort."""
    found: dict[str, Answer] = {}
    waiting, sorts = ["/"], dict[str, int]()
    while waiting:
        url = waiting.pop(0)
        sort = "/".join(re.sub(r"\d+", "#", urlsplit(url).path).split("/")[:4])
        sorts[sort] = sorts.get(sort, 0) + 1
        if url in found or sorts[sort] > 12:
            continue
        found[url] = visitor.get(url)
        if "location" in found[url].headers:
            waiting.append(found[url].headers["location"])
        elif found[url].headers["content-type"].startswith("text/html"):
            links = found[url].all("a", "href") + found[url].all("img", "src")
            waiting += [_absolute(url, link) for link in links]
    return found


def _absolute(url: str, link: str) -> str:
    link = link.partition("#")[0]
    return link if link.startswith("/") else urlsplit(url).path + link


def check_markup(pages: dict[str, Answer]) -> None:
    """Fail if anything from a chain or from results has become markup."""
    for url, page in pages.items():
        if not page.headers.get("content-type", "").startswith("text/html"):
            continue
        for tag, attributes in page.elements:
            assert tag in ELEMENTS.split(), (url, tag)
            assert not [name for name in attributes if name.startswith("on") or name == "style"], (
                url
            )
            for name in ("href", "src", "action"):
                value = attributes.get(name) or "/"
                assert value[0] in "/?#" and not value.startswith("//"), (url, value)
