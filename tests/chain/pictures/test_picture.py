"""Effects of named parts: changes and their outline, heat, tooltips; and markup that must never appear."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from chain.pictures import Part, Picture, picture_of_parts, picture_of_text, rect
from chain.pictures.palette import COLOURS

SVG = "{http://www.w3.org/2000/svg}"
PATH_DATA = re.compile(r'<path d="([^"]*)"')


def cell(name: str, x: float, y: float, colour: str = "") -> Part:
    content = rect(0, 0, 10, 10, fill=colour) if colour else rect(0, 0, 0, 0)
    return Part(name, x, y, 10, 10, content, colour)


def row(*colours: str) -> Picture:
    return picture_of_parts(
        100, 10, [cell("abcd"[i], 10 * i, 0, colour) for i, colour in enumerate(colours)]
    )


def outline(drawn: Picture) -> set[str]:
    """The sides of the outline, each from one corner to the next."""
    halo, line = PATH_DATA.findall(drawn.above)
    assert halo == line
    return {f"M{side}" for side in line.split("M")[1:]}


def test_changes_are_named() -> None:
    assert row("red", "blue", "").changes(row("red", "", "blue")) == ["b", "c"]


def test_part_that_only_moved_has_not_changed() -> None:
    before = picture_of_parts(100, 10, [cell("a", 0, 0, "red"), cell("b", 10, 0, "blue")])
    after = picture_of_parts(100, 10, [cell("b", 0, 0, "blue")])
    assert after.changes(before) == ["a"]
    assert after.since(before).above == before.above


def test_outline_leaves_out_shared_sides() -> None:
    assert outline(row("", "red", "red").since(row("", "", ""))) == {
        "M10 0L20 0", "M20 0L30 0", "M30 0L30 10", "M30 10L20 10", "M20 10L10 10", "M10 10L10 0",
    }  # fmt: skip


def test_nothing_is_outlined_if_nothing_changed() -> None:
    same = row("red", "")
    assert same.since(row("red", "")) is same


def test_heat_is_strongest_for_the_greatest() -> None:
    hot = row("", "", "").heat({"a": 4, "b": 2, "c": 0})
    assert re.findall('fill-opacity="([^"]*)"', hot.above) == ["0.8", "0.47"]
    assert "<title>a: 4</title>" in hot.above


def test_heat_of_unknown_part_is_refused() -> None:
    with pytest.raises(KeyError, match="the picture has no part 'z9'"):
        row("").heat({"z9": 1})


def test_part_has_a_tooltip_and_can_be_pointed_at() -> None:
    drawn = ElementTree.fromstring(
        picture_of_parts(9, 9, [Part("c4", 1, 2, 3, 4, label="<empty>")]).svg()
    )
    (part,) = drawn.findall(f"{SVG}g/{SVG}g")
    assert part.get("transform") == "translate(1 2)"
    assert part.findtext(f"{SVG}title") == "c4: <empty>"
    hit = part.find(f"{SVG}rect")
    assert hit is not None
    assert hit.attrib == {"width": "3", "height": "4"}


def test_only_a_file_of_its_own_has_a_stylesheet() -> None:
    drawn = row("red")
    assert "style" not in drawn._repr_svg_()
    assert drawn._repr_svg_() == drawn.svg()
    style = drawn.svg(dark=True).partition("<style>")[2].partition("</style>")[0]
    assert f".f-red{{fill:{COLOURS['red'][1]}}}" in style


def test_every_colour_is_dark_on_a_dark_page() -> None:
    for name, shades in COLOURS.items():
        assert all(re.fullmatch("#[0-9a-f]{6}", shade) for shade in shades), name


def test_picture_is_described_for_those_who_do_not_see_it() -> None:
    drawn = picture_of_parts(9, 9, [], title="Race & co", description="1 . <2>\n3 . 4").svg()
    read = ElementTree.fromstring(drawn)
    assert (read.get("role"), read.get("aria-label")) == ("img", "Race & co")
    assert read.findtext(f"{SVG}desc") == "1 . <2>\n3 . 4"


def test_text_is_shown_line_by_line() -> None:
    before, after = picture_of_text("1 . <\n2 . 3\n"), picture_of_text("1 . <\n2 x 3\n")
    assert after.changes(before) == ["line 2"]
    assert "2\u00a0x\u00a03" in after.svg()
