"""The boards of a game: how they are found and read, and which of them a receipt is about."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest

from chain import Chain, Contract, Reverted, call
from chain.pictures import board_picture, boards_of, load_ipython_extension, picture_of
from contracts.blokus import Blokus
from contracts.deblockle import Deblockle, rules
from contracts.mage_duel import Game, PlayerProfile, deploy
from contracts.sagrada import Sagrada

FIRST, SECOND = "first.testnet", "second.testnet"

ONE_BOARD = {
    "__init__": "",
    "picture": """
        from chain.pictures import Part, Picture, picture_of_parts, rect
        def picture(state: int) -> Picture:
            bars = [Part(f"{i}", 9 * i, 0, 8, 8, rect(0, 0, 8, 8, fill="blue")) for i in range(state)]
            return picture_of_parts(90, 8, bars)
        def read_state(game) -> int:
            return game.fields.height
    """,
    "contract": """
        from chain import Contract, call
        from chain.types import u64
        class Pile(Contract):
            height: u64
            @call
            def grow(self) -> None:
                self.height += 1
    """,
}

DRAWN_AS_TEXT = {
    "__init__": "",
    "rules": "def draw(state: int) -> str:\n    return '*' * state",
    "contract": """
        from chain import Contract, call, view
        from chain.types import u64
        class Pile(Contract):
            height: u64
            @call
            def grow(self) -> None:
                self.height += 1
            @view
            def state(self, pile: u64) -> u64:
                return self.height
    """,
}


class Board(Contract):
    """A contract that no picture is drawn of."""

    @call
    def move(self) -> None:
        self.log("moved")


class Variant(Deblockle):
    """Shown as what it derives from."""


@pytest.fixture
def pile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> Iterator[Any]:
    """The contract of a package with these modules."""
    folder = tmp_path / "piles"
    folder.mkdir()
    for name, text in request.param.items():
        (folder / f"{name}.py").write_text(dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("piles.contract").Pile
    for name in [name for name in sys.modules if name.partition(".")[0] == "piles"]:
        del sys.modules[name]


@pytest.fixture
def duel(chain: Chain) -> Any:
    """Deblockle with one game and one roll in it."""
    duel = chain.deploy(Deblockle)
    duel.create_game(FIRST, SECOND)
    duel.make_move(0, 3, 5, 2, 5, sender=chain.account(FIRST))
    return duel


@pytest.mark.parametrize(
    ("contract", "key"),
    [
        (Blokus, "game_id"),
        (Deblockle, "index"),
        (Variant, "index"),
        (Game, "board_id"),
        (Sagrada, "game_id"),
    ],
)
def test_board_is_named_as_its_reader_says(contract: type[Contract], key: str) -> None:
    boards = boards_of(contract)
    assert boards is not None
    assert boards.key == key


def test_contract_without_picture_has_no_boards(chain: Chain) -> None:
    assert boards_of(Board) is None
    board = chain.deploy(Board)
    assert board._repr_svg_() is None
    with pytest.raises(LookupError, match=r"^Board has no boards to show: write picture"):
        board_picture(board, 0)


def test_receipt_is_about_the_board_that_it_names(duel: Any, chain: Chain) -> None:
    boards = boards_of(Deblockle)
    assert boards is not None
    made, moved = chain.receipts[1:3]
    failed = duel.make_move(7, 3, 5, 2, 5, check=False)
    assert [boards.named_by(receipt) for receipt in (made, moved, failed)] == [[0], [0], [7]]


def test_undone_events_name_a_board_too() -> None:
    boards = boards_of(Game)
    assert boards is not None
    told = [SimpleNamespace(board_id=3), SimpleNamespace(player=1), SimpleNamespace(board_id=3)]
    # Without a result: that would take longest to decode.
    about: dict[str, Any] = {"args": {}, "events": told, "undone_events": []}
    assert boards.named_by(SimpleNamespace(**about)) == [3]
    about |= {"events": [], "undone_events": told}
    assert boards.named_by(SimpleNamespace(**about)) == [3]


def test_world_has_the_boards_of_its_duels(chain: Chain) -> None:
    world, (alice, bob) = deploy(chain), chain.accounts[:2]
    game = world.system(Game)
    game.create_game(sender=alice)
    game.join_game(alice, sender=bob)
    assert board_picture(game, 0).title == "Mage Duel: Either side may open"
    assert game._repr_svg_() == board_picture(game, 0).svg()
    assert world.system(PlayerProfile)._repr_svg_() is None


def test_board_is_seen_as_it_was(duel: Any, chain: Chain) -> None:
    before = board_picture(chain.at(block=2).handle(duel), 0)
    now = board_picture(duel, 0)
    assert now.changes(before) == ["b5", "c5"]
    assert before.description == rules.draw(rules.set_up()[0])


def test_handle_shows_the_board_played_last(duel: Any, chain: Chain) -> None:
    duel.create_game(FIRST, SECOND, 1)
    assert duel._repr_svg_() == board_picture(duel, 1).svg()
    then = chain.at(block=3).handle(duel)
    assert then._repr_svg_() == board_picture(then, 0).svg()
    duel.pass_move(0, sender=chain.account(SECOND))
    assert duel._repr_svg_() == board_picture(duel, 0).svg() != then._repr_svg_()


def test_board_that_does_not_exist_is_refused(duel: Any, chain: Chain) -> None:
    with pytest.raises(LookupError, match="there is no game 4"):
        board_picture(duel, 4)
    with pytest.raises(Reverted, match="Game not found"):
        board_picture(chain.deploy(Blokus), 4)
    with pytest.raises(LookupError, match="there is no game 4 that has begun"):
        board_picture(chain.deploy(Sagrada), 4)


def test_state_has_its_picture() -> None:
    state, _ = rules.set_up()
    drawn = picture_of(state)
    assert drawn is not None
    assert drawn.title == "Deblockle: Player 1 to roll"
    assert picture_of(state.game) is None
    assert picture_of(7) is None


@pytest.mark.parametrize("pile", [ONE_BOARD], indirect=True)
def test_contract_can_be_a_board_itself(pile: Any, chain: Chain) -> None:
    handle = chain.deploy(pile)
    assert handle._repr_svg_() == board_picture(handle).svg()
    before = board_picture(handle)
    receipt = handle.grow()
    assert board_picture(handle).changes(before) == ["0"]
    boards = boards_of(pile)
    assert boards is not None
    assert boards.named_by(receipt) == [None]


@pytest.mark.parametrize("pile", [DRAWN_AS_TEXT], indirect=True)
def test_game_without_picture_shows_its_text(pile: Any, chain: Chain) -> None:
    handle = chain.deploy(pile)
    handle.grow()
    handle.grow()
    boards = boards_of(pile)
    assert boards is not None
    assert boards.key == "pile"
    assert board_picture(handle, 0).description == "**"


def test_notebook_shows_states() -> None:
    printers: dict[type, Any] = {}
    formatter = SimpleNamespace(for_type=printers.__setitem__)
    load_ipython_extension(
        SimpleNamespace(display_formatter=SimpleNamespace(formatters={"image/svg+xml": formatter}))
    )
    show, (state, _) = printers[object], rules.set_up()
    drawn = picture_of(state)
    assert drawn is not None
    assert show(state) == drawn.svg() == show(drawn)
    assert show("a text") is None
