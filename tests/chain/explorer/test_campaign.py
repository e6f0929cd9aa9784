"""The pages of a campaign: its results, each game step by step, and that nothing is written."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner

from chain.arena import Plan, Store, Tally, play
from chain.arena.match import Row, play_game, row_of_lost_game
from chain.arena.selection import Selection
from chain.cli.main import cli
from chain.explorer.campaign import pages
from chain.explorer.campaign.site import CampaignSite
from chain.foundation import folder_lock
from chain.foundation.folder_lock import FolderInUse, is_locked, locked
from tests.chain.arena import evil_nim
from tests.chain.arena.evil_nim import EVIL
from tests.chain.explorer.visitor import Answer, PageVisitor, check_markup, reachable

GAMES: Final = 24


def kept(folder: Path, plan: Plan, rows: list[Row], goal: int) -> Path:
    """Keep rows as if they had been played."""
    with Store(folder) as store:
        store.follow(plan, goal)
        store.add(rows, store.tally())
    return folder


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan.of(evil_nim.__name__, [EVIL, "random"])


@pytest.fixture(scope="module")
def rows(plan: Plan) -> list[Row]:
    return [play_game(plan, number) for number in range(GAMES)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, plan: Plan, rows: list[Row]) -> Path:
    """Results of which some are failures."""
    return kept(tmp_path_factory.mktemp("runs"), plan, rows, GAMES)


@pytest.fixture(scope="module")
def visitor(folder: Path) -> PageVisitor:
    return PageVisitor(CampaignSite(folder))


def test_every_link_answers_and_every_name_stays_text(visitor: PageVisitor) -> None:
    found = reachable(visitor)
    assert {url: page.status for url, page in found.items() if page.status not in (200, 303)} == {}
    report = found.pop("/report")
    assert report.headers["content-security-policy"].endswith("; sandbox")
    assert EVIL in report.text
    check_markup(found)


def test_standings_are_those_of_the_results(visitor: PageVisitor, plan: Plan, rows: list[Row]) -> None:  # fmt: skip
    tally = Tally(plan)
    for row in rows:
        tally.add(row)
    text = visitor.get("/").text
    best = tally.shares()[0]
    assert f"{best.strategy} {best.games} {best.wins:g}" in text
    assert f"Failed {tally.failures}" in text
    assert "finished" in text


@pytest.mark.parametrize(
    "like",
    [
        Selection("random"),
        Selection("random", 0),
        Selection("random", 1, "won"),
        Selection("", 0, "lost"),
        Selection("random", None, "shared"),
        Selection(ending="empty"),
        Selection(ending="nothing"),
        Selection(EVIL, 1, failed=True),
    ],
)
def test_games_are_chosen(visitor: PageVisitor, rows: list[Row], like: Selection) -> None:
    asked = {
        "strategy": like.strategy,
        "seat": "" if like.seat is None else like.seat + 1,
        "result": like.result,
        "ending": like.ending,
        "failed": "1" if like.failed else "",
    }
    shown = numbers(visitor.get(f"/games?{urlencode(asked)}"))
    assert shown == [row.game for row in rows if is_like(row, like)]


def is_like(row: Row, like: Selection) -> bool:
    winners = json.loads(row.winners)

    def fits(seat: int, name: str) -> bool:
        result = "" if not winners else "lost" if seat not in winners else "won"
        return like.strategy in ("", name) and like.seat in (None, seat) and like.result in ("", result)  # fmt: skip

    return (
        any(fits(seat, name) for seat, name in enumerate(json.loads(row.seats)))
        and like.ending in ("", row.ending)
        and (not like.failed or row.failure is not None)
    )


def numbers(answer: Answer) -> list[int]:
    """The games of a list."""
    links = [attrs for tag, attrs in answer.elements if tag == "a" and attrs.get("class") == "row"]
    return [int((attrs["href"] or "").removeprefix("/game/")) for attrs in links]


@pytest.mark.parametrize("name", ["_ROWS", "_MOST_READ"])
def test_pages_follow_each_other(visitor: PageVisitor, monkeypatch: pytest.MonkeyPatch, name: str) -> None:  # fmt: skip
    """Each game is on one page, however many are shown or looked through."""
    monkeypatch.setattr(pages, name, 7)
    seen, url = list[int](), "/games"
    while url:
        answer = visitor.get(url)
        seen += numbers(answer)
        url = next((f"/games{attrs['href']}" for tag, attrs in answer.elements if attrs.get("rel") == "next"), "")  # fmt: skip
    assert seen == [*range(GAMES)]


def test_failure_is_reported_with_transcript(visitor: PageVisitor, rows: list[Row]) -> None:
    failed = next(row for row in rows if row.failure)
    text = visitor.get(f"/game/{failed.game}").text
    assert failed.failure is not None and failed.failure in text
    assert '{"transcript":2,"seed"' in unescape(text)


def test_game_is_stepped_through(tmp_path: Path) -> None:
    """The board is drawn from a replay on a chain, and its links stay in that replay."""
    plan = Plan.of("contracts.deblockle", ["random"], bare=True, most_plies=4)
    visitor = PageVisitor(CampaignSite(kept(tmp_path, plan, [play_game(plan, 0)], 1)))
    led = visitor.get("/game/0/steps")
    assert (led.status, led.headers["location"]) == (303, "/game/0/chain/board/Deblockle/0/1")
    page = visitor.get(led.headers["location"])
    assert "Game 0 of contracts.deblockle" in page.text
    kinds = (("a", "href"), ("link", "href"), ("script", "src"), ("img", "src"), ("form", "action"))
    links = {link for kind in kinds for link in page.all(*kind)}
    assert {"/game/0", "/game/0/chain/tx/1", "/game/0/chain/board/Deblockle/0"} <= links
    assert {link for link in links if not f"{link}/".startswith("/game/0/")} == {"#main"}
    assert visitor.get("/game/0/chain/tx/1").status == 200
    slid = visitor.get("/game/0/chain/board/Deblockle/0?ply=2")
    assert slid.headers["location"] == "/game/0/chain/board/Deblockle/0/2"


@pytest.mark.parametrize(
    ("target", "digest", "is_lost", "told"),
    [
        (evil_nim.__name__, "ab", False, "has changed since"),
        ("no.such.game", "", False, "there is no package 'no.such.game' here"),
        (evil_nim.__name__, "", True, "its players crashed"),
    ],
)
def test_game_that_cannot_be_played_again_says_why(
    plan: Plan, tmp_path: Path, target: str, digest: str, is_lost: bool, told: str
) -> None:
    other = replace(plan, target=target, digest=digest)
    row = row_of_lost_game(plan, 0, "1 random: 2\n")
    site = CampaignSite(kept(tmp_path, other, [row if is_lost else row._replace(failure=None)], 1))
    for url in ("/game/0/steps", "/game/0/chain/"):
        page = PageVisitor(site).get(url)
        assert page.status == 409 and told in page.text


@pytest.mark.parametrize(
    ("url", "status", "told"),
    [
        ("/game/9999", 404, "Game 9999 is not among the results."),
        ("/game/x", 400, "the number of a game is a whole number, not 'x'"),
        ("/game/9999/chain/", 404, "Game 9999 is not among the results."),
        ("/games?result=maybe", 400, "a result is won, lost, shared, not 'maybe'"),
        ("/games?seat=two", 400, "a seat is a whole number"),
        ("/games?from=-1", 400, "from is a whole number"),
        (f"/games?from={2**63 - 1}", 400, "from is a whole number"),
        (f"/game/{2**63 - 1}", 400, "the number of a game is a whole number"),
        ("/nowhere", 404, "There is no such page."),
    ],
)
def test_wrong_page_address_is_reported(
    visitor: PageVisitor, url: str, status: int, told: str
) -> None:
    page = visitor.get(url)
    assert page.status == status and told in page.text


def test_number_of_a_game_is_found(visitor: PageVisitor) -> None:
    assert visitor.get("/search?q=%237").headers["location"] == "/game/7"


def test_running_campaign_is_shown(
    plan: Plan, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else may write into its folder."""
    monkeypatch.setattr(folder_lock, "_PATIENCE", 0.01)
    kept(tmp_path, plan, rows[:3], 9)
    visitor = PageVisitor(CampaignSite(tmp_path))
    assert "stopped" in visitor.get("/").text
    with locked(tmp_path):
        assert "being played" in visitor.get("/").text
        with pytest.raises(FolderInUse, match="another process writes into"):
            play(plan, 9, out=tmp_path)
        kept(tmp_path, plan, rows[3:5], 9)
        assert "Games 5 of 9" in visitor.get("/").text
    assert not is_locked(tmp_path)


def test_results_are_only_read(folder: Path, visitor: PageVisitor) -> None:
    before = (folder / "results.sqlite").read_bytes()
    for url in ("/", "/games?failed=1", "/game/0", "/game/0/steps", "/report"):
        visitor.get(url)
    assert (folder / "results.sqlite").read_bytes() == before
    assert {file.name.partition("-")[0] for file in folder.iterdir()} == {"results.sqlite"}


def test_deleted_results_are_reported(plan: Plan, rows: list[Row], tmp_path: Path) -> None:
    visitor = PageVisitor(CampaignSite(kept(tmp_path, plan, rows[:3], 9)))
    for file in tmp_path.iterdir():
        file.unlink()
    for url in ("/", "/games", "/game/1", "/report"):
        page = visitor.get(url)
        assert (page.status, "there are no results in" in page.text) == (503, True)


def test_command_refuses_what_has_no_results(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_text("something else")
    for where, words, told in (
        (tmp_path, (), "there are no results in"),
        (tmp_path.parent, (), "there are no results in"),
        (folder, ("--write",), "results are only read"),
    ):
        done = CliRunner().invoke(cli, ["explore", str(where), *words])
        assert (done.exit_code, told in done.stderr) == (2, True)
