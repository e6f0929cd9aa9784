"""The result of a function of `pages/`, and readers of a page's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from chain.foundation.dataclass import dataclass

_LARGEST: Final = 2**53  # numbers near 2**63 do not fit into SQLite once something is added


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its template and the data for it. `section` is its entry in the menu."""

    template: str
    title: str
    data: Mapping[str, object] = field(default_factory=dict)
    section: str = ""
    status: int = 200


class PageProblem(Exception):
    """A page that cannot be shown, with the reason as a sentence."""

    def __init__(self, text: str, status: int = 404) -> None:
        super().__init__(text)
        self.status = status

    def page(self, template: str = "problem.html") -> Page:
        title = HTTPStatus(self.status).phrase.capitalize()  # "Not found"
        return Page(template, title, {"text": str(self)}, status=self.status)


def word(request: Request, name: str) -> str:
    """Return a parameter without surrounding spaces; empty if it is missing."""
    return request.query_params.get(name, "").strip()


def number(request: Request, name: str) -> int | None:
    """Return a parameter that is a whole number; None if it is missing."""
    text = word(request, name)
    return None if not text else whole(text, name)


def whole(text: str, what: str) -> int:
    """Return a whole number from a part of an address."""
    digits = text.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits) < _LARGEST):
        raise PageProblem(f"{what} is a whole number, not '{text}'", 400)
    return int(digits)


def form_fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form as a browser sends it."""
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
