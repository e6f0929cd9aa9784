"""The history of a duel: moves by their links, past boards, snapshots, replays."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from chain import Chain, System, call
from chain.testing import reverts
from chain.types import u8, u64
from contracts.mage_duel import (
    Board,
    BoardCreateFromSnapshotFalied,
    Ending,
    GameCreated,
    GameCreateFailed,
    GameFinished,
    GameModel,
    GameStarted,
    GameState,
    GameStatus,
    Move,
    PlayerNotInGame,
    PlayerSide,
    Snapshot,
    SnapshotCreated,
    SnapshotCreateFailed,
    UnionFind,
    replay,
    rules,
)
from contracts.mage_duel.playouts import Duel, random_move
from contracts.mage_duel.state import Move as LaidMove

BLUE, RED = PlayerSide.BLUE, PlayerSide.RED
CFFF = 6


@pytest.fixture
def played(opened: Any) -> Any:
    """A game of five moves: a tile, a joker, a skip, a silent skip, a joker."""
    opened.joker(RED, CFFF, 1, 6, 1)
    opened.skip(BLUE)
    opened.chain.advance(66)
    opened.joker(BLUE, CFFF, 3, 7, 1)
    return opened


# Views


def test_history_is_reported_in_order(game: Any, world: Any, played: Any) -> None:
    moves = game.move_history(0)
    assert [move.id for move in moves] == [0, 1, 2, 3, 4]
    assert [move.prev_move_id for move in moves] == [None, 0, 1, 2, 3]
    assert moves == world.all(Move)
    assert game.move(2) == moves[2]


def test_history_of_fresh_board_is_empty(game: Any, duel: Any) -> None:
    assert game.move_history(0) == []


def test_past_boards_are_shown(chain: Chain, game: Any, duel: Any) -> None:
    stood = {0: duel.board}
    for move in (
        LaidMove(BLUE, CFFF, 0, 6, 0),
        LaidMove(RED),
        LaidMove(BLUE, 0, 0, 1, 7, is_joker=True),
        LaidMove(RED),
        LaidMove(BLUE),
    ):
        chain.advance(9)
        duel.make(move)
        stood[duel.board.moves_done] = duel.board
    assert [game.board_at(0, number) for number in stood] == list(stood.values())


def test_board_after_a_silent_skip(game: Any, played: Any) -> None:
    before, after = game.board_at(0, 3), game.board_at(0, 4)
    assert (after.last_move_id, after.moves_done) == (3, 4)
    assert after.last_update_timestamp == before.last_update_timestamp + 66
    assert (after.state, after.top_tile, after.available_tiles_in_deck) == (
        before.state, before.top_tile, before.available_tiles_in_deck,
    )  # fmt: skip


def test_board_after_last_move_is_the_board(
    chain: Chain, game: Any, played: Any, alice: Any
) -> None:
    chain.advance(131)
    game.finish_game(0, sender=alice)
    assert game.board_at(0, 5) == game.board(0)
    assert game.board_at(0, 5).game_state == GameState.FINISHED
    assert game.board_at(0, 4).game_state == GameState.IN_PROGRESS


@pytest.mark.parametrize("number", [6, 255])
def test_board_after_more_moves_is_the_last(game: Any, played: Any, number: int) -> None:
    assert game.board_at(0, number) == game.board(0)


def test_views_refuse_missing_boards(game: Any, opened: Any) -> None:
    with reverts("There is no board 7"):
        game.board_at(7, 0)
    for view in (
        game.board,
        game.state,
        game.move_history,
        game.score,
        game.winner,
        game.legal_moves,
    ):
        with reverts("There is no board 7"):
            view(7)
    with reverts("There is no move 7"):
        game.move(7)


def test_legal_moves_are_those_of_the_rules(game: Any, opened: Any) -> None:
    moves = game.legal_moves(0)
    assert moves == rules.legal_moves(opened.state)
    assert {move.side for move in moves} == {RED}


def test_score_and_winner_are_shown(game: Any, opened: Any) -> None:
    assert (game.score(0), game.winner(0), game.outcome(0)) == (((4, 0), (0, 0)), None, None)
    opened.skip(RED)
    opened.skip(BLUE)
    assert (game.winner(0), game.outcome(0).totals) == (BLUE, (19, 15))


def test_tie_has_no_winner(game: Any, duel: Any) -> None:
    duel.skip(BLUE)
    duel.skip(RED)
    assert (game.winner(0), game.outcome(0)) == (
        None,
        rules.Outcome(Ending.TWO_SKIPS, None, (15, 15)),
    )


def test_player_is_shown_at_the_board(game: Any, opened: Any, alice: Any, carol: Any) -> None:
    assert game.game(alice) == GameModel(alice, GameStatus.IN_PROGRESS, 0, None)
    assert game.game(carol) == GameModel(carol, GameStatus.FINISHED, None, None)


def test_past_boards_stay_readable(chain: Chain, game: Any, opened: Any) -> None:
    block = chain.head.number
    opened.skip(RED)
    assert chain.at(block=block).handle(game).board(0).moves_done == 1


# Snapshots


def test_anyone_takes_a_snapshot(world: Any, game: Any, played: Any, carol: Any) -> None:
    assert game.create_snapshot(0, 2, sender=carol).events == [SnapshotCreated(0, carol, 0, 2)]
    assert world.read(Snapshot, 0) == Snapshot(0, carol, 0, 2)
    assert game.create_snapshot(0, 5, sender=carol).events == [SnapshotCreated(1, carol, 0, 5)]


@pytest.mark.parametrize(("board_id", "number"), [(0, 6), (0, 255), (7, 0), (7, 1)])
def test_no_snapshot_of_what_never_was(
    refuses: Any, game: Any, played: Any, carol: Any, board_id: int, number: int
) -> None:
    no = SnapshotCreateFailed(carol, board_id, GameState.IN_PROGRESS, number)
    refuses(game.create_snapshot, no, board_id, number, sender=carol)


def restored(game: Any, number: int, host: Any) -> Any:
    """The receipt of the game that `host` takes up."""
    snapshot_id = game.create_snapshot(0, number, sender=host).events[0].snapshot_id
    return game.create_game_from_snapshot(snapshot_id, sender=host)


def test_restored_board_equals_the_snapshot(world: Any, game: Any, played: Any, carol: Any) -> None:
    receipt = restored(game, 2, carol)
    assert receipt.events[-1] == GameCreated(carol, GameStatus.CREATED)
    assert world.read(GameModel, carol) == GameModel(carol, GameStatus.CREATED, 1, 0)
    then, board = game.board_at(0, 2), world.read(Board, 1)
    assert board.player1 == (carol, BLUE, 3)
    assert board.player2 == (carol, RED, 2)
    for name in (
        "state",
        "initial_edge_state",
        "blue_score",
        "red_score",
        "last_move_id",
        "moves_done",
    ):
        assert getattr(board, name) == getattr(then, name)
    assert (board.game_state, board.last_update_timestamp) == (GameState.IN_PROGRESS, 0)
    assert [type(event).__name__ for event in receipt.events[:-1]] == ["CityContestWon"]
    assert receipt.events[0].board_id == 1


def test_restored_components_are_its_own(world: Any, game: Any, played: Any, carol: Any) -> None:
    before = world.read(UnionFind, 0)
    restored(game, 2, carol)
    ours = world.read(UnionFind, 1)
    assert world.read(UnionFind, 0) == before
    assert (ours.potential_city_contests, ours.nodes_types[197]) == ([197], 0)
    assert ours.potential_road_contests == []


def test_host_of_restored_board_waits(
    refuses: Any, chain: Chain, game: Any, played: Any, carol: Any
) -> None:
    restored(game, 2, carol)
    no = PlayerNotInGame(carol, 0)
    refuses(game.make_move, no, None, 0, 6, 2, sender=carol)
    refuses(game.skip_move, no, sender=carol)
    chain.advance(1_000)
    refuses(game.finish_game, no, 1, sender=carol)


def test_guest_joins_restored_board(
    chain: Chain, world: Any, game: Any, played: Any, accounts: Any
) -> None:
    carol, dave = accounts[2:4]
    restored(game, 2, carol)
    assert game.join_game(carol, sender=dave).events == [GameStarted(carol, dave, 1)]
    board = world.read(Board, 1)
    assert (board.player2, board.last_update_timestamp) == ((dave, RED, 2), chain.now)
    assert world.read(GameModel, dave) == GameModel(dave, GameStatus.IN_PROGRESS, 1, 0)


def test_restored_game_branches_off(game: Any, world: Any, played: Any, accounts: Any) -> None:
    carol, dave = accounts[2:4]
    restored(game, 2, carol)
    game.join_game(carol, sender=dave)
    game.skip_move(sender=carol)
    moves = game.move_history(1)
    assert [(move.id, move.first_board_id) for move in moves] == [(0, 0), (1, 0), (5, 1)]
    assert game.board_at(1, 3) == world.read(Board, 1)
    assert game.board_at(1, 2).player2 == (dave, RED, 2)
    assert game.board_at(1, 2).last_update_timestamp == game.fields.starts[1].at
    assert game.board_at(1, 0).state == [(24, 0, 0)] * 64
    assert len(game.move_history(0)) == 5


def test_branch_remembers_the_tile_that_was_skipped(
    chain: Chain, game: Any, opened: Any, accounts: Any
) -> None:
    stood = opened.board
    with chain.loaded(draw=[0, 0]):  # skips return the top tile, and another one comes up
        opened.skip(RED)
        opened.joker(BLUE, CFFF, 1, 6, 1)
        opened.skip(RED)
    restored(game, 2, accounts[2])
    then = game.board_at(1, 1)
    assert (then.top_tile, then.available_tiles_in_deck) == (
        stood.top_tile, stood.available_tiles_in_deck,
    )  # fmt: skip
    assert (then.id, then.player1[0], then.last_update_timestamp) == (
        1, accounts[2], stood.last_update_timestamp,
    )  # fmt: skip


def test_restored_game_is_played_to_its_end(game: Any, played: Any, accounts: Any) -> None:
    carol, dave = accounts[2:4]
    assert type(restored(game, 5, carol).events[-2]).__name__ == "CityContestDraw"
    game.join_game(carol, sender=dave)
    game.skip_move(sender=dave)
    receipt = game.skip_move(sender=carol)
    assert receipt.events[:2] == [GameFinished(carol, 1), GameFinished(dave, 1)]
    assert game.outcome(1).ending == Ending.TWO_SKIPS


def test_finished_board_can_be_restored(game: Any, opened: Any, carol: Any) -> None:
    opened.skip(RED)
    opened.skip(BLUE)
    restored(game, 3, carol)
    assert game.board(1).game_state == GameState.IN_PROGRESS
    assert game.score(1) == ((4, 0), (0, 0))


def test_snapshot_of_restored_board(game: Any, played: Any, accounts: Any) -> None:
    carol, dave = accounts[2:4]
    restored(game, 2, carol)
    game.cancel_game(sender=carol)
    second = game.create_snapshot(1, 1, sender=dave).events[0].snapshot_id
    game.create_game_from_snapshot(second, sender=dave)
    assert game.board(2).state == game.board_at(0, 1).state


def test_no_game_from_snapshot_while_in_one(
    refuses: Any, game: Any, played: Any, alice: Any, carol: Any
) -> None:
    game.create_snapshot(0, 1, sender=carol)
    no = GameCreateFailed(alice, GameStatus.IN_PROGRESS)
    refuses(game.create_game_from_snapshot, no, 0, sender=alice)


def test_no_game_from_no_snapshot(refuses: Any, game: Any, played: Any, carol: Any) -> None:
    no = BoardCreateFromSnapshotFalied(carol, 0, 0)
    refuses(game.create_game_from_snapshot, no, 3, sender=carol)


class Meddler(System):
    """Writes what no game would."""

    @call
    def set_moves_done(self, board_id: u64, moves_done: u8) -> None:
        board = self.world.read(Board, board_id)
        board.moves_done = moves_done
        self.world.write_member(board, "moves_done")


def test_broken_chain_is_reported_and_restored(
    chain: Chain, game: Any, world: Any, opened: Any, carol: Any
) -> None:
    meddler = chain.deploy(Meddler, world.address)
    world.grant_writer(Board, meddler)
    meddler.set_moves_done(0, 9)
    receipt = restored(game, 2, carol)
    assert receipt.events == [
        BoardCreateFromSnapshotFalied(carol, 0, 2),
        GameCreated(carol, GameStatus.CREATED),
    ]
    assert (game.board(1).state, game.board(1).last_move_id) == ([(24, 0, 0)] * 64, None)


# Replay


def test_log_alone_rebuilds_the_world(chain: Chain, world: Any, game: Any, accounts: Any) -> None:
    duel, chance = Duel(world, *accounts[:2]), Random(3)
    for _ in range(20):
        move, waited = random_move(chance, duel.state)
        chain.advance(waited)
        duel.make(move)
    chain.mine(3)
    with chain.block():
        restored(game, 9, accounts[2])
        game.join_game(accounts[2], sender=accounts[3])
    game.finish_game(1, sender=accounts[3])
    again = replay(chain.receipts)
    assert again.state_root() == chain.state_root()
    assert again.block_hash() == chain.block_hash()
    assert again.world(world).all(Board) == world.all(Board)
