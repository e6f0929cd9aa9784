"""Responses: a page's template, the headers of all pages, and the few files that pages need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import jinja2
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from chain.explorer.live import Feeds
from chain.explorer.page import Page
from chain.explorer.words import prose
from chain.pictures.markup import escape
from chain.pictures.palette import dark_rules
from chain.source import disk_cache

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without one, browsers send forms from the origin `null`
    "cache-control": "no-store",
}
_HERE: Final = Path(__file__).parent
_PART: Final = "x-part"  # the header with which the script asks for one block of a template
# A link within the site. All text is escaped, so a quote in a page is one of an attribute.
_LINK: Final = re.compile('(?<= )(href|action|src|data-url)="/')
_STATIC: Final = {
    "explorer.css": "text/css",
    "explorer.js": "text/javascript",
    "mark.svg": "image/svg+xml",
}


class Renderer:
    """Makes the pages of a site that is found at `base`."""

    def __init__(self, base: str = "") -> None:
        self.base, self._templates = base, _environment()

    def response(self, page: Page, request: Request, context: Mapping[str, object]) -> Response:
        """Return a page, or the block of it that the script asks for."""
        template = self._templates.get_template(page.template)
        named = {"page": page, "query": request.query_params, "path": request.url.path}
        context = {**named, **context, **page.data}
        part = request.headers.get(_PART, "")
        if part in template.blocks:
            text = "".join(template.blocks[part](template.new_context(context)))
        else:
            text = template.render(context)
        if self.base:
            text = _LINK.sub(rf'\1="{self.base}/', text)
        return HTMLResponse(text, page.status, HEADERS)

    def finished(self, response: Response) -> Response:
        """Return a response with the headers that all have, unless it has its own. It leads to pages here."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if response.headers.get("location", "").startswith("/"):
            response.headers["location"] = self.base + response.headers["location"]
        return response


def feed(live: Feeds) -> Response:
    """Return the news for one open page."""
    if not live.has_room:
        return PlainTextResponse("too many pages listen already", 503, HEADERS)
    return StreamingResponse(live.feed(), media_type="text/event-stream", headers=HEADERS)


async def static(request: Request) -> Response:
    name = request.path_params["file"]
    if name not in _STATIC:
        return PlainTextResponse("there is no such file", 404, HEADERS)
    text = (_HERE / "static" / name).read_text("utf-8")
    if name == "explorer.css":
        text += f"@media screen and (prefers-color-scheme:dark){{{dark_rules()}}}"
    headers = HEADERS | {"cache-control": "no-cache"}
    return Response(text, media_type=f"{_STATIC[name]}; charset=utf-8", headers=headers)


class _CompiledTemplates(BytecodeCache):
    """Templates as they were compiled for an earlier process: to compile one takes longer than a page may."""

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = disk_cache.load(*self._key(bucket))

    def dump_bytecode(self, bucket: Bucket) -> None:
        disk_cache.save(bucket.code, *self._key(bucket))

    def _key(self, bucket: Bucket) -> tuple[str, ...]:
        return "template", jinja2.__version__, bucket.key, bucket.checksum


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=_finalize,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False, bytecode_cache=_CompiledTemplates(),
    )  # fmt: skip
    environment.filters["digits"] = lambda number: f"{number:,}"
    environment.filters["prose"] = prose
    environment.globals["parts"] = environment.get_template("parts.html").module
    return environment


def _finalize(value: object) -> Any:
    """Return the value of an expression in a template as markup: all text is escaped, controls become visible."""
    if hasattr(value, "__html__"):
        return value
    return escape("" if value is None else value if isinstance(value, str) else str(value))
