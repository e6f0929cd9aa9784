"""Markup is safe whatever is put into it, and shapes are painted by names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain.pictures import Markup, circle, element, group, rect, shorten, text
from chain.pictures.markup import escape

HOSTILE = "<img src=x onerror='alert(1)'>&\"\x00\x1b"


@given(st.text())
def test_any_text_stays_text(words: str) -> None:
    read = ElementTree.fromstring(element("g", words, name=words))
    assert len(read) == 0
    assert (read.text or "") == "".join(
        "\ufffd" if escape(letter) == "\ufffd" else letter for letter in words
    )


def test_hostile_name_is_shown_as_written() -> None:
    expected = "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;\ufffd\ufffd"
    assert element("text", HOSTILE) == f"<text>{expected}</text>"
    assert element("g", title=HOSTILE) == f'<g title="{expected}"/>'


def test_markup_is_put_in_as_it_is() -> None:
    assert element("g", element("title", "a < b"), "&") == "<g><title>a &lt; b</title>&amp;</g>"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (rect(0, 0, 18, 18, fill="none"), '<rect width="18" height="18" fill="none"/>'),
        (circle(1.5, 2, 3, stroke_width=0.8), '<circle cx="1.5" cy="2" r="3" stroke-width="0.8"/>'),
        (group(x=4, y=2, turn=90), '<g transform="translate(4 2) rotate(90)"/>'),
        (element("g", opacity=None), "<g/>"),
        (
            element("path", fill="blue", stroke="blue-deep"),
            '<path fill="#3273c4" stroke="#1d4c8b" class="f-blue s-blue-deep"/>',
        ),
    ],
)
def test_shape_is_written_shortly(made: Markup, expected: str) -> None:
    assert made == expected


def test_text_of_other_scripts_keeps_its_direction_to_itself() -> None:
    assert 'unicode-bidi="isolate"' in text(0, 0, "\u202eada")
    assert "unicode-bidi" not in text(0, 0, "ada")


def test_long_text_is_shortened() -> None:
    assert (shorten("ada", 3), shorten("ada bruno", 5)) == ("ada", "ada…")
