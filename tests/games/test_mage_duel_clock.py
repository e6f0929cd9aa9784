"""The clock of Mage Duel, second by second, and the ways a game ends."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from chain import Chain
from contracts.mage_duel import (
    CantFinishGame,
    CurrentPlayerBalance,
    Ending,
    GameFinished,
    GameIsAlreadyFinished,
    GameModel,
    GameState,
    GameStatus,
    InvalidMove,
    Move,
    Moved,
    Player,
    PlayerSide,
    RuleSet,
    deploy,
    rules,
)
from contracts.mage_duel.playouts import Duel

BLUE, RED = PlayerSide.BLUE, PlayerSide.RED
CFFF = 6


def names(receipt: Any) -> list[str]:
    return [type(event).__name__ for event in receipt.events]


def status(world: Any, player: Any) -> tuple[GameStatus, int | None]:
    game = world.read(GameModel, player)
    return game.status, game.board_id


def test_either_side_opens_at_any_time(chain: Chain, duel: Any) -> None:
    chain.advance(100_000)
    assert names(duel.skip(RED)) == ["Skiped", "BoardUpdated"]


CLOCK = [
    (RED, 65, ["Skiped", "BoardUpdated"]),
    (RED, 66, ["NotYourTurn"]),
    (RED, 130, ["NotYourTurn"]),
    (RED, 131, ["NotYourTurn"]),
    (BLUE, 0, ["NotYourTurn"]),
    (BLUE, 65, ["NotYourTurn"]),
    (BLUE, 66, ["Moved", "BoardUpdated"]),
    (BLUE, 130, ["Moved", "BoardUpdated"]),
    (BLUE, 131, ["NotYourTurn"]),
]


@pytest.mark.parametrize(("side", "waited", "told"), CLOCK)
def test_turns_keep_the_clock(
    chain: Chain, opened: Any, side: PlayerSide, waited: int, told: list[str]
) -> None:
    with chain.block() if waited == 0 else nullcontext():
        chain.advance(waited)
        receipt = opened.skip(RED) if side == RED else opened.joker(BLUE, CFFF, 1, 6, 1)
    assert names(receipt) == told


@pytest.mark.parametrize("waited", [66, 130])
def test_late_opponent_is_skipped_silently(
    chain: Chain, world: Any, opened: Any, waited: int
) -> None:
    chain.advance(waited)
    receipt = opened.joker(BLUE, CFFF, 1, 6, 1)
    silent, moved = world.read(Move, 1), world.read(Move, 2)
    assert silent == Move(1, RED, 0, None, 0, 0, 0, False, 0, chain.now)
    assert (moved.prev_move_id, opened.board.moves_done) == (1, 3)
    assert receipt.events.one(Moved).prev_move_id == 1


def test_refused_move_keeps_no_silent_skip(
    refuses: Any, chain: Chain, game: Any, opened: Any, alice: Any
) -> None:
    chain.advance(66)
    no = InvalidMove(alice, 0, 5, 0, 3, 3, True, 0)
    refuses(game.make_move, no, 5, 0, 3, 3, sender=alice)


def test_late_opponent_and_a_skip_end_the_game(chain: Chain, game: Any, opened: Any) -> None:
    chain.advance(66)
    receipt = opened.skip(BLUE)
    assert names(receipt)[-2:] == ["Skiped", "BoardUpdated"]
    assert (game.outcome(0).ending, opened.board.moves_done) == (Ending.TWO_SKIPS, 3)


@pytest.mark.parametrize(("waited", "may"), [(65, False), (66, False), (130, False), (131, True)])
def test_finish_waits_for_the_clock(
    refuses: Any, chain: Chain, game: Any, opened: Any, bob: Any, waited: int, may: bool
) -> None:
    chain.advance(waited)
    if may:
        assert GameFinished(bob, 0) in [*game.finish_game(0, sender=bob).events]
        assert game.outcome(0).ending == Ending.TIME_RAN_OUT
    else:
        refuses(game.finish_game, CantFinishGame(bob, 0), 0, sender=bob)


def test_finish_counts_from_the_join(chain: Chain, game: Any, duel: Any, alice: Any) -> None:
    chain.advance(131)
    assert names(game.finish_game(0, sender=alice))[-1] == "BoardUpdated"


# The end


def test_second_skip_ends_and_is_recorded(
    chain: Chain, world: Any, opened: Any, accounts: Any
) -> None:
    alice, bob = accounts[:2]
    opened.joker(RED, CFFF, 1, 6, 1)
    opened.skip(BLUE)
    with chain.loaded(draw=[1]):
        receipt = opened.skip(RED)
    assert names(receipt) == [
        "CityContestWon",
        *["GameFinished"] * 2,
        *["CurrentPlayerBalance"] * 2,
        "BoardUpdated",
        "Skiped",
        "BoardUpdated",
    ]
    assert receipt.events[3:5] == [
        CurrentPlayerBalance(alice, 4 + 15),
        CurrentPlayerBalance(bob, 2 + 10),
    ]
    middle, last = receipt.events[5], receipt.events[7]
    assert [(told.moves_done, told.last_move_id) for told in (middle, last)] == [(3, 2), (4, 3)]
    assert middle.game_state == last.game_state == GameState.FINISHED
    assert status(world, alice) == status(world, bob) == (GameStatus.FINISHED, 0)
    assert world.read(Player, bob) == Player(bob, 0, 12, 1, 0, 0)


def test_nothing_left_ends_the_game(
    table: Any, chain: Chain, game: Any, alice: Any, bob: Any
) -> None:
    bare = deploy(
        chain, RuleSet(deck=(0,) * CFFF + (1,) + (0,) * 17, joker_number=0, joker_price=7)
    )
    duel = table(bare, alice, bob, drawn=0)
    receipt = duel.lay(BLUE)
    assert names(receipt) == [
        "CityContestWon",
        *["GameFinished"] * 2,
        *["CurrentPlayerBalance"] * 2,
        "BoardUpdated",
        "Moved",
        "BoardUpdated",
    ]
    assert receipt.events[5] == receipt.events[7]
    assert duel.game.outcome(0) == rules.Outcome(Ending.NOTHING_LEFT, BLUE, (4, 0))


def test_finished_game_is_over(refuses: Any, game: Any, opened: Any, alice: Any) -> None:
    opened.skip(RED)
    opened.skip(BLUE)
    no = GameIsAlreadyFinished(alice, 0)
    refuses(game.make_move, no, None, 0, 0, 0, sender=alice)
    refuses(game.skip_move, no, sender=alice)
    refuses(game.finish_game, no, 0, sender=alice)


def test_finished_players_begin_again(game: Any, opened: Any, world: Any, accounts: Any) -> None:
    opened.skip(RED)
    opened.skip(BLUE)
    again = Duel(world, *reversed(accounts[:2]))
    assert (again.board_id, again.board.player1[0]) == (1, accounts[1])
