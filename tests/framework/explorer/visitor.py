"""A visitor of the pages of a chain, in process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlencode

from chain import Chain
from chain.explorer.explorer import Explorer
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App

HOST = "localhost:8545"


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


class Visitor:
    """Asks a node for its pages, as a browser does."""

    def __init__(self, chain: Chain, *, writes: bool = False) -> None:
        self.chain = chain
        mount = partial(Explorer, chain, writes=writes)
        self.app = App(chain.node, AccessPolicy(), lambda: None, mount)

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
        asyncio.run(self.app(scope, receive, send))
        return Answer(sent)
