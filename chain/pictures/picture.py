"""A picture of a board: a background with named parts on it.

A part is a square, a die, a slot: anything that can change on its own. It has a position, and content that is drawn
relative to its top left corner, so a part that only moves keeps its content. The names are enough for the outline of
what changed (`after.since(before)`), for colours that show how often something happened (`picture.heat({"c4": 31})`),
and for tooltips.

The markup has no stylesheet and no ids, so one page can hold many pictures, under any content security policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from chain.foundation.dataclass import dataclass
from chain.foundation.sealed import sealed
from chain.pictures.markup import NOTHING, Markup, element, escape, join, path, rect, text
from chain.pictures.palette import STYLESHEET

FONT: Final = "system-ui,-apple-system,Segoe UI,Roboto,DejaVu Sans,sans-serif"
_LEAST_HEAT: Final = 0.15  # the opacity of the faintest colour
_MOST_HEAT: Final = 0.8

Side: TypeAlias = tuple[float, float, float, float]  # from a corner to the next one, clockwise


@sealed
@dataclass(frozen=True, slots=True)
class Part:
    """A named piece of a picture. The name identifies it, the label is its tooltip.

    >>> part = Part("a1", 0, 0, 40, 40, circle(20, 20, 15), "a stone")
    >>> part.svg()[:3]
    '<g '
    """

    name: str  # the name that `changes` reports
    x: float  # the position of its left side
    y: float  # the position of its top side
    width: float  # its size
    height: float  # its size
    content: Markup = NOTHING  # its shapes, positioned as if x and y were 0
    label: str = ""  # the text for readers

    @property
    def look(self) -> tuple[Markup, str]:
        """Everything about a part that counts as a change."""
        return self.content, self.label

    def svg(self) -> Markup:
        """Return the markup."""
        tooltip = escape(f"{self.name}: {self.label}" if self.label else self.name)
        shown = self.content or f'<rect width="{self.width:g}" height="{self.height:g}"/>'
        at = f"translate({self.x:g} {self.y:g})"
        return Markup(f'<g transform="{at}"><title>{tooltip}</title>{shown}</g>')

    def sides(self) -> Iterator[Side]:
        """Yield the four sides."""
        right, bottom = self.x + self.width, self.y + self.height
        yield self.x, self.y, right, self.y
        yield right, self.y, right, bottom
        yield right, bottom, self.x, bottom
        yield self.x, bottom, self.x, self.y


@sealed
@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing of a board, with the board as text for screen readers.

    >>> before, after = picture_of_text("x _"), picture_of_text("x o")
    >>> after.changes(before), after.description
    (['line 1'], 'x o')
    >>> after.since(before).svg()[:4], after.heat({"line 1": 3}).svg() != after.svg()
    ('<svg', True)
    """

    width: float  # in units of the drawing
    height: float  # in units of the drawing
    parts: Mapping[str, Part]  # the parts by name
    ground: Markup = NOTHING  # what is drawn below the parts
    above: Markup = NOTHING  # what is drawn above the parts
    title: str = ""  # the text for readers
    description: str = ""  # the board as text

    def __repr__(self) -> str:
        return f"<Picture {self.title!r}, parts: {len(self.parts)}>"

    def changes(self, before: Picture) -> list[str]:
        """Return the names of the parts that look different from before, appeared, or are gone."""
        names = dict.fromkeys((*before.parts, *self.parts))
        return [name for name in names if _look(self, name) != _look(before, name)]

    def since(self, before: Picture) -> Picture:
        """Return this picture with an outline around the changed parts. Adjacent parts share one outline."""
        changed = [self.parts[name] for name in self.changes(before) if name in self.parts]
        outline = _outline(changed)
        halo = path(outline, fill="none", stroke="halo", stroke_width=5, stroke_linecap="round")
        line = path(outline, fill="none", stroke="accent", stroke_width=2.4, stroke_linecap="round")
        return self._with(halo, line) if changed else self

    def heat(self, counts: Mapping[str, float]) -> Picture:
        """Return this picture with its parts coloured by numbers, the strongest for the greatest."""
        unknown = [name for name in counts if name not in self.parts]
        if unknown:
            raise KeyError(f"the picture has no part '{unknown[0]}'")
        most = max(counts.values(), default=0)
        return self._with(
            *(_heat(self.parts[name], count, most) for name, count in counts.items() if count > 0)
        )

    def svg(self, *, dark: bool = False) -> str:
        """Return the markup; with `dark`, for a file of its own, also the stylesheet for readers whose pages are dark."""
        style = f"<style>{STYLESHEET}</style>" if dark else ""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" font-family="{FONT}" '
            f'role="img" aria-label="{escape(self.title)}">'
        )
        ground = rect(0, 0, self.width, self.height, rx=10, fill="ground")
        # The unpainted area of a part also shows the tooltip.
        marked = [part.svg() for part in self.parts.values()]
        parts = element("g", *marked, fill="none", pointer_events="all")
        description = element("desc", self.description)
        return f"{head}{style}{description}{ground}{self.ground}{parts}{self.above}</svg>"

    def _repr_svg_(self) -> str:
        return self.svg()

    def _with(self, *above: Markup) -> Picture:
        return replace(self, above=join((self.above, *above)))


def picture_of_parts(
    width: float, height: float, parts: Iterable[Part], *, ground: Iterable[str] = (), above: Iterable[str] = (),
    title: str = "", description: str = "",
) -> Picture:  # fmt: skip
    """Return a picture of parts, with the shapes below and above them.

    >>> square = Part("a1", 0, 0, 40, 40, rect(0, 0, 40, 40, fill="ink"), "a black square")
    >>> list(picture_of_parts(40, 40, [square], title="A board").parts)
    ['a1']
    """
    named = {part.name: part for part in parts}
    return Picture(width, height, named, join(ground), join(above), title, description)


def picture_of_text(words: str, title: str = "") -> Picture:
    """Return a picture of lines of text, for a game that draws its boards only as text. Each line is a part.

    >>> list(picture_of_text("x o", title="Noughts").parts)
    ['line 1']
    """
    lines = words.rstrip("\n").split("\n")
    width = 24 + 7.9 * max(map(len, lines), default=0)
    parts = [
        Part(f"line {number}", 0, 18 * number - 8, width, 18, _line(line), line)
        for number, line in enumerate(lines, 1)
    ]
    return picture_of_parts(width, 18 * len(lines) + 20, parts, title=title, description=words)


def _line(words: str) -> Markup:
    """A line of monospaced text that keeps its spaces."""
    letters = text(12, 9, words.replace(" ", "\u00a0"))
    return element(
        "g", letters, font_family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace"
    )


def _look(picture: Picture, name: str) -> tuple[Markup, str] | None:
    part = picture.parts.get(name)
    return None if part is None else part.look


def _outline(parts: list[Part]) -> str:
    """The path around parts; a side between two of them is left out."""
    sides = dict.fromkeys(side for part in parts for side in part.sides())
    return "".join(
        f"M{x:g} {y:g}L{to_x:g} {to_y:g}"
        for x, y, to_x, to_y in sides
        if (to_x, to_y, x, y) not in sides
    )


def _heat(part: Part, count: float, most: float) -> Markup:
    strength = _LEAST_HEAT + (_MOST_HEAT - _LEAST_HEAT) * count / most
    label = element("title", f"{part.name}: {count:g}")
    return element(
        "rect", label, x=part.x, y=part.y, width=part.width, height=part.height,
        fill="accent", fill_opacity=round(strength, 2),
    )  # fmt: skip
