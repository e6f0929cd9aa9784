"""Boards: each step of a game is a page, with the picture and what changed in it."""

from __future__ import annotations

import asyncio
import itertools
import sys
from threading import Thread
from typing import Any

import pytest

from chain import Chain, Contract, call
from chain.explorer import receipt_survey
from chain.explorer.pages import boards
from chain.explorer.receipt_survey import Survey
from chain.pictures.boards import Boards
from chain.pictures.picture import Picture
from chain.types import u64
from contracts.deblockle import Deblockle, rules
from tests.chain.explorer.visitor import Elements, Visitor
from tests.chain.toys import Counter


def steps(visitor: Visitor, url: str) -> list[int]:
    return [int(number) for number in visitor.get(url).all("a", "data-ply")]


def test_all_transactions_about_a_board_are_its_steps(visitor: Visitor) -> None:
    assert steps(visitor, "/board/Deblockle/0") == [1, 2, 3]
    assert steps(visitor, "/board/Deblockle/1") == [1]


def test_a_step_without_arguments_has_its_entry() -> None:
    chain = Chain()
    game = chain.deploy(Deblockle)
    game.create_game("first.testnet", "second.testnet", 3)
    for _ in range(2):
        game.pass_move(0, sender=chain.account("second.testnet"), check=False)
    steps = Elements(Visitor(chain).get("/board/Deblockle/0").markup.partition("<ol")[2])
    assert steps.words.count("pass_move") == 2


@pytest.mark.parametrize(
    ("ply", "listed"),
    [(1, [1, 2, 3, 4]), (4, [1, 2, 3, 4]), (5, [5, 6, 7, 8, 9]), (9, [5, 6, 7, 8, 9])],
)
def test_a_short_rest_of_steps_is_listed_with_those_before(
    monkeypatch: pytest.MonkeyPatch, ply: int, listed: list[int]
) -> None:
    monkeypatch.setattr(boards, "_CHUNK", 4)
    chain = Chain()
    game = chain.deploy(Deblockle)
    game.create_game("first.testnet", "second.testnet", 3)
    for _ in range(8):
        game.pass_move(0, check=False)
    assert steps(Visitor(chain), f"/board/Deblockle/0/{ply}") == listed


def test_a_step_shows_the_board_and_who_played(visitor: Visitor) -> None:
    page = visitor.get("/board/Deblockle/0/1")
    assert "create_game" in page.text
    assert "Player 1" in page.text
    assert page.all("section", "data-ply") == ["1"]


def test_a_refused_move_leaves_the_board(visitor: Visitor) -> None:
    page = visitor.get("/board/Deblockle/0/2")
    assert "Wrong player's turn!" in page.text
    assert "The board did not change." in page.text


def test_what_a_move_changed_is_outlined() -> None:
    chain = Chain()
    game = chain.deploy(Deblockle)
    players = chain.account("first.testnet"), chain.account("second.testnet")
    game.create_game(players[0].name, players[1].name, 3, sender=players[0])
    game.make_move(0, 4, 5, 4, 4, sender=players[0])
    page = Visitor(chain).get("/board/Deblockle/0")
    assert 'class="s-accent"' in page.markup
    assert "Changed:" in page.text


def test_the_script_gets_only_the_part_it_asks_for(visitor: Visitor) -> None:
    part = visitor.get("/board/Deblockle/0/1", x_part="stage")
    assert part.markup.startswith("<section")
    assert "<html" not in part.markup


def test_the_slider_works_without_script(visitor: Visitor) -> None:
    answer = visitor.get("/board/Deblockle/0?ply=2")
    assert (answer.status, answer.headers["location"]) == (303, "/board/Deblockle/0/2")


def test_a_board_is_a_picture_file_too(visitor: Visitor) -> None:
    answer = visitor.get("/board/Deblockle/0.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.body.startswith(b"<svg")


class Walk(Contract):
    @call
    def go(self) -> u64:
        return u64(sum(n % 3 for n in range(10_000)))


def test_a_picture_takes_no_ticks_from_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """It calls rules that the chain counts, while messages of another thread run."""
    chain = Chain()
    chain.deploy(Deblockle).create_game("first.testnet", "second.testnet", 3)
    walk, state, beside = Chain().deploy(Walk), rules.set_up(3)[0], list[int | None]()
    alone, picture, interval = walk.go().ticks, Boards.picture, sys.getswitchinterval()
    thread = Thread(target=lambda: beside.extend(walk.go().ticks for _ in range(9)))

    def slowly(*args: Any) -> Picture:
        if thread.ident is None:
            sys.setswitchinterval(1e-4)
            thread.start()
        for _ in range(50):
            list(rules.legal_moves(state))
        return picture(*args)

    with monkeypatch.context() as patched:
        patched.setattr(Boards, "picture", slowly)
        assert "Player 1 to roll" in Visitor(chain).get("/board/Deblockle/0.svg").text
    sys.setswitchinterval(interval)
    thread.join()
    assert beside == [alone] * 9


def test_a_rollback_removes_steps() -> None:
    chain = Chain()
    game = chain.deploy(Deblockle)
    game.create_game("alice", "bob", 1, sender=chain.accounts[0])
    survey, point = Survey(chain), chain.snapshot()
    game.create_game("alice", "bob", 1, sender=chain.accounts[0])
    game.pass_move(1, sender=chain.accounts[0], check=False)
    assert survey.update(1)
    assert [len(board.positions) for board in survey.boards.values()] == [1, 2]
    chain.revert(point)
    assert [len(board.positions) for board in survey.boards.values()] == [1]
    assert {entry: tally.calls for (_, entry), tally in survey.tallies.items() if tally.calls} == {
        "new": 1, "create_game": 1,
    }  # fmt: skip


def test_a_revert_works_after_a_class_became_known() -> None:
    chain = Chain()
    point = chain.snapshot()
    chain.deploy(Counter)
    survey = Survey(chain)
    survey.update()
    survey.tallies.clear()  # as if they had other names then
    chain.revert(point)
    assert survey.done == 0


def test_receipts_are_read_in_slices() -> None:
    chain = Chain()
    counter = chain.deploy(Counter)
    for _ in range(200):
        counter.add(1)
    survey = Survey(chain)
    assert not survey.update(seconds=0)
    while not survey.update(seconds=1e-9):
        assert survey.done % 64 in (0, 201 % 64)
    assert survey.done == 201


@pytest.mark.parametrize(("seconds", "rests"), [(0.0, 0), (1.0, 3)])
def test_reading_rests_only_for_other_requests(
    monkeypatch: pytest.MonkeyPatch, seconds: float, rests: int
) -> None:
    survey, left = Survey(Chain()), [False, False, False, True]
    clock, slept = itertools.count(step=seconds), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(survey, "update", lambda: left.pop(0))
    monkeypatch.setattr(receipt_survey, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(survey._read_on())
    assert sum(map(bool, slept)) == rests


class Faulty(Contract):
    """A game whose picture fails."""

    boards: u64

    @call
    def begin(self) -> u64:
        self.boards += 1
        return self.boards - 1


def test_a_contract_without_boards_has_none(visitor: Visitor) -> None:
    chain = Chain()
    chain.deploy(Faulty).begin()
    assert "No contract has a board to show yet." in Visitor(chain).get("/boards").text
