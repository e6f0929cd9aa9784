"""Reports: complete pages without script that agree with the results, whatever the names of the strategies."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from chain.arena import Plan, Store, Tally, play
from chain.arena.estimates import Pairs, Sprt
from chain.arena.report import report_of, write_report
from chain.arena.report_page import report_page
from chain.pictures import Part, picture_of_parts
from tests.chain.arena import evil_nim
from tests.chain.arena.evil_nim import EVIL


class Page(HTMLParser):
    """The elements of a page, which must be closed in turn, and its table cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag == "td":
            self.cells.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.cells[-1] += data


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs")
    play(Plan.of(evil_nim.__name__, [EVIL, "random"]), 40, out=folder)
    return write_report(folder).read_text("utf-8")


def test_page_is_complete_and_without_script(text: str) -> None:
    page = Page(text)
    assert page.open == []
    assert page.tags.isdisjoint({"script", "img", "link", "iframe"})
    assert not [name for name in page.attributes if name.startswith("on") or name in ("src", "href")]  # fmt: skip
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_names_are_shown_as_they_are(text: str) -> None:
    assert EVIL in Page(text).cells
    assert EVIL not in text


def test_tables_say_what_results_say(tmp_path: Path) -> None:
    tally = play(Plan.of(evil_nim.__name__, ["random"]), 8, out=tmp_path)
    cells = Page(write_report(tmp_path, tmp_path / "own.html").read_text("utf-8")).cells
    start = cells.index("seat 1")
    first = tally.by_seat()[0]
    assert cells[start : start + 3] == ["seat 1", "8", f"{first.wins:g}"]
    taken = tally.gas["take"]
    start = cells.index("take")
    assert cells[start + 1 : start + 3] == [f"{taken.count}", f"{taken.least:,}"]


def test_failures_are_reported_with_transcript(text: str) -> None:
    assert "RuntimeError: seven" in Page(text).cells
    assert '{"transcript":2,"seed"' in unescape(text)
    assert re.search(rf"boardchain play {evil_nim.__name__} --out \S+/runs\d+ --replay \d+", text)


def test_places_that_the_board_lacks_are_not_drawn() -> None:
    tally = Tally(Plan("nowhere", ("a", "b"), ""), games=1)
    tally.plies.add(7)
    tally.heat.update({"a1": 3, "elsewhere": 4})
    board = picture_of_parts(10, 10, [Part("a1", 0, 0, 10, 10)])
    page = report_page(tally, [], board)
    assert "<title>a1: 3</title>" in page
    assert Page(page).cells[-6:-3] == ["elsewhere", "4", "57.14%"]


def test_test_of_strength_is_told_of_pairs_that_are_alike() -> None:
    tally = Tally(
        Plan("nowhere", ("a", "b"), ""), Sprt(0, 10), games=2, pairs=Pairs((0, 0, 1, 0, 0))
    )
    tally.plies.add(7)
    page = report_page(tally, [], None)
    assert "All pairs have the same score, so the difference cannot be estimated." in page
    assert "Sequential test of 0 against 10 Elo: LLR " in page
    assert "1 point" in Page(page).cells


def test_report_of_nothing_is_a_page() -> None:
    with Store() as store:
        store.follow(Plan.of(evil_nim.__name__, ["random"]))
        assert Page(report_of(store)).open == []
