"""SVG as text that is safe to put into a page, whatever a chain's data contains.

Only `element` and the shapes here create `Markup`. All other text is escaped when it is put into an element, so a name
such as `<img src=x onerror=…>` is shown as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

from chain.pictures.palette import COLOURS, PAINTS, class_of

# A number of an attribute, its text, or None for no attribute.
Value: TypeAlias = str | float | None

_SPECIAL: Final = re.compile("[&<>\"'\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


class Markup(str):
    """Text that is markup already and is not escaped again.

    >>> isinstance(rect(0, 0, 1, 1), Markup)
    True
    """

    __slots__ = ()

    def __html__(self) -> str:
        """Return the markup itself, as template engines expect."""
        return self


NOTHING: Final = Markup()


def escape(text: str) -> Markup:
    """Return text as markup. Characters that XML does not allow are replaced."""
    if isinstance(text, Markup):
        return text
    return Markup(_SPECIAL.sub(lambda found: _ESCAPES.get(found[0], "\ufffd"), text))


def join(pieces: Iterable[str]) -> Markup:
    """Return the concatenated pieces of markup; plain text among them is escaped.

    >>> join([circle(5, 5, 4), "<b>"])
    '<circle cx="5" cy="5" r="4"/>&lt;b&gt;'
    """
    return Markup("".join([escape(piece) for piece in pieces]))


def element(name: str, /, *content: str, **attributes: Value) -> Markup:
    """Return an element. `fill` and `stroke` take names of the palette; `stroke_width` becomes `stroke-width`.

    >>> element("title", "<b>")
    '<title>&lt;b&gt;</title>'
    """
    words = [f"<{name}"]
    classes = []
    for key, value in attributes.items():
        if value is None:
            continue
        if key in PAINTS and value in COLOURS:
            classes.append(class_of(key, str(value)))
            value = COLOURS[str(value)][0]
        shown = escape(value) if isinstance(value, str) else f"{value:g}"
        words.append(f' {_attribute(key)}="{shown}"')
    if classes:
        words.append(f' class="{" ".join(classes)}"')
    words.append(f">{join(content)}</{name}>" if content else "/>")
    return Markup("".join(words))


@cache
def _attribute(key: str) -> str:
    return key.replace("_", "-")


def group(*content: str, x: float = 0, y: float = 0, turn: float = 0) -> Markup:
    """Return content that is rotated clockwise, in degrees, and then moved to (x, y).

    >>> group(circle(0, 0, 4), x=10, turn=90)
    '<g transform="translate(10 0) rotate(90)"><circle cx="0" cy="0" r="4"/></g>'
    """
    moves = f"translate({x:g} {y:g})" + (f" rotate({turn:g})" if turn else "")
    return element("g", *content, transform=moves)


def rect(x: float, y: float, width: float, height: float, **paint: Value) -> Markup:
    """Return a rectangle; `paint` are attributes such as `fill`, `stroke` and `rx`.

    >>> rect(0, 0, 10, 20, stroke_width=2)
    '<rect width="10" height="20" stroke-width="2"/>'
    """
    return element("rect", x=x or None, y=y or None, width=width, height=height, **paint)


def circle(x: float, y: float, radius: float, **paint: Value) -> Markup:
    """Return a circle.

    >>> circle(5, 5, 4)
    '<circle cx="5" cy="5" r="4"/>'
    """
    return element("circle", cx=x, cy=y, r=radius, **paint)


def path(data: str, **paint: Value) -> Markup:
    """Return a path.

    >>> path("M0 0L9 9")
    '<path d="M0 0L9 9"/>'
    """
    return element("path", d=data, **paint)


def text(
    x: float, y: float, words: str, *, size: float = 13, anchor: str | None = None, bold: bool = False, fill: str = "ink"
) -> Markup:  # fmt: skip
    """Return a line of text, vertically centred at y. `anchor` is `middle` or `end`; by default the text begins at x.

    >>> text(0, 10, "Score", bold=True, anchor="middle")[:5]
    '<text'
    """
    return element(
        "text", words, x=x, y=round(y + 0.35 * size, 2), font_size=size, text_anchor=anchor,
        font_weight=600 if bold else None, unicode_bidi=None if words.isascii() else "isolate", fill=fill,
    )  # fmt: skip


def shorten(words: str, length: int) -> str:
    """Return the text, shortened to a maximum number of characters.

    >>> shorten("first.testnet", 8)
    'first.t…'
    """
    return words if len(words) <= length else f"{words[: length - 1].rstrip()}…"
