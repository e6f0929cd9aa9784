"""The places in `contracts/README.md` where a game departs from its document, if no other test shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from chain import Chain
from chain.testing import reverts
from contracts.deblockle import Deblockle
from contracts.mage_duel import GameCanceled, GameModel, GameStatus, PlayerProfile, PlayerSide
from contracts.mage_duel.playouts import Duel
from tests.chain.helpers import untyped

BLUE, RED = PlayerSide.BLUE, PlayerSide.RED
PAGE: Final = (Path(__file__).parents[2] / "contracts" / "README.md").read_text("utf-8")
ROWS: Final = [line for line in PAGE.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_four_cells(row: str) -> None:
    cells = [cell.strip() for cell in row.strip("|").split(" | ")]
    assert len(cells) == 4
    assert all(cells)


def test_number_that_does_not_fit_is_reported_as_on_the_page(chain: Chain) -> None:
    sentence = "create_game: num_cubes = -1 does not fit u64 (0..2^64-1)"
    assert sentence in PAGE
    with reverts(sentence):
        chain.deploy(Deblockle).create_game("a", "b", -1)


def test_pass_without_index_is_refused(chain: Chain) -> None:
    with pytest.raises(TypeError, match="needs 'index'"):
        untyped(chain.deploy(Deblockle)).pass_move()


def test_finished_game_can_be_canceled(world: Any, game: Any, opened: Any, alice: Any) -> None:
    opened.skip(RED)
    opened.skip(BLUE)
    assert game.cancel_game(sender=alice).events == [GameCanceled(alice, GameStatus.CANCELED)]
    assert world.read(GameModel, alice) == GameModel(alice, GameStatus.CANCELED, None, None)


@pytest.mark.parametrize(("number", "tasks"), [(0, ["FIRST_MOVE"]), (1, [])])
def test_first_move_is_that_of_the_chain(
    world: Any, game: Any, opened: Any, accounts: Any, number: int, tasks: list[str]
) -> None:
    carol, dave = accounts[2:4]
    mover = dave if number else carol  # Blue moved last on the board they go on from
    world.system(PlayerProfile).become_controller(sender=mover)
    game.create_snapshot(0, number, sender=carol)
    game.create_game_from_snapshot(0, sender=carol)
    branch = Duel(world, carol, dave)
    receipt = game.skip_move(sender=mover)
    reported = [event.task_id for event in receipt.events["TrophyProgression"]]
    assert (branch.board_id, reported) == (1, [*tasks, "STRATEGIC_SKIP"])
