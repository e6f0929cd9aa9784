"""The system `Game` of Mage Duel: who may do what and when, what is announced, what is written."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain, System, call
from chain.testing import reverts
from chain.types import u8, u64
from contracts.mage_duel import (
    Board,
    BoardCreated,
    BoardUpdated,
    CityContestWon,
    Game,
    GameCanceled,
    GameCreated,
    GameCreateFailed,
    GameJoinFailed,
    GameModel,
    GameStarted,
    GameState,
    GameStatus,
    InvalidMove,
    Move,
    Moved,
    NotEnoughJokers,
    NotYourTurn,
    Player,
    PlayerNotInGame,
    PlayerSide,
    Rules,
    RuleSet,
    Skiped,
    UnionFind,
    deploy,
    rules,
)
from contracts.mage_duel.playouts import Duel
from contracts.mage_duel.state import Ending
from contracts.mage_duel.tiles import DECK

BLUE, RED = PlayerSide.BLUE, PlayerSide.RED
RING = (2, 0, 1, 2, 2, 2, 2, 2) * 4  # on top a city above column 6 and a road above column 5
CCCC, CFFF = 0, 6  # the first tile of the games here is CFFF, which closes the city on top
# Rotation, column and row of tiles that touch nothing, meet another kind, or leave the board.
NOWHERE: list[tuple[int, int, int]] = [
    (0, 3, 3),
    (0, 0, 0),
    (1, 6, 0),
    (4, 6, 0),
    (0, 8, 0),
    (0, 0, 8),
    (0, 255, 255),
]


def status(world: Any, player: Any) -> tuple[GameStatus, int | None]:
    game = world.read(GameModel, player)
    return game.status, game.board_id


def names(receipt: Any) -> list[str]:
    return [type(event).__name__ for event in receipt.events]


def test_create_makes_a_host(game: Any, world: Any, alice: Any) -> None:
    assert game.create_game(sender=alice).events == [GameCreated(alice, GameStatus.CREATED)]
    assert status(world, alice) == (GameStatus.CREATED, None)


def test_join_opens_a_board(chain: Chain, world: Any, duel: Any, alice: Any, bob: Any) -> None:
    created, started = duel.joined.events
    assert started == GameStarted(alice, bob, 0)
    board = world.read(Board, 0)
    assert created == BoardCreated(
        0,
        list(RING),
        CFFF,
        [(24, 0, 0)] * 64,
        (alice, BLUE, 3),
        (bob, RED, 3),
        (0, 0),
        (0, 0),
        None,
        GameState.IN_PROGRESS,
    )
    assert (board.initial_edge_state, board.top_tile, board.state) == (
        list(RING),
        CFFF,
        created.state,
    )
    assert sorted([board.top_tile, *board.available_tiles_in_deck]) == [
        i for i, n in enumerate(DECK) for _ in range(n)
    ]
    assert (board.moves_done, board.last_move_id, board.last_update_timestamp) == (
        0,
        None,
        chain.now,
    )
    assert status(world, alice) == status(world, bob) == (GameStatus.IN_PROGRESS, 0)


def test_fresh_union_find_is_blank(world: Any, duel: Any) -> None:
    blank = [0] * 256
    assert world.read(UnionFind, 0) == UnionFind(
        0, list(range(256)), blank, blank, blank, blank, [False] * 256, [2] * 256, [], []
    )


def test_second_game_gets_next_ids(table: Any, world: Any, opened: Any, accounts: Any) -> None:
    second = table(world, *accounts[2:4])
    second.skip(RED)
    assert (second.board_id, second.board.last_move_id) == (1, 1)
    assert world.read(Move, 1).prev_move_id is None


def test_host_may_not_create_again(refuses: Any, game: Any, alice: Any) -> None:
    game.create_game(sender=alice)
    refuses(game.create_game, GameCreateFailed(alice, GameStatus.CREATED), sender=alice)


def test_players_who_may_not_join_are_refused(
    refuses: Any, game: Any, duel: Any, accounts: Any
) -> None:
    alice, bob, carol = accounts[:3]
    finished, in_progress = GameStatus.FINISHED, GameStatus.IN_PROGRESS
    refuses(
        game.join_game, GameJoinFailed(alice, carol, in_progress, finished), alice, sender=carol
    )
    refuses(game.join_game, GameJoinFailed(carol, bob, finished, in_progress), carol, sender=bob)
    game.create_game(sender=carol)
    refuses(
        game.join_game, GameJoinFailed(carol, carol, *[GameStatus.CREATED] * 2), carol, sender=carol
    )


def test_cancel_ends_the_game_for_both(world: Any, game: Any, opened: Any, accounts: Any) -> None:
    alice, bob = accounts[:2]
    canceled = GameStatus.CANCELED
    assert game.cancel_game(sender=bob).events == [
        GameCanceled(alice, canceled),
        GameCanceled(bob, canceled),
    ]
    assert status(world, alice) == status(world, bob) == (canceled, None)
    assert opened.board.game_state == GameState.FINISHED
    assert game.outcome(0) == rules.Outcome(Ending.CANCELED, None, (0, 0))
    assert world.all(Player) == []


def test_host_cancels_alone(world: Any, game: Any, alice: Any) -> None:
    game.create_game(sender=alice)
    assert game.cancel_game(sender=alice).events == [GameCanceled(alice, GameStatus.CANCELED)]
    assert game.create_game(sender=alice).events == [GameCreated(alice, GameStatus.CREATED)]


def test_nobody_cancels_no_game(refuses: Any, game: Any, carol: Any) -> None:
    refuses(game.cancel_game, PlayerNotInGame(carol, 0), sender=carol)


def test_move_is_reported_in_full(chain: Chain, duel: Any, alice: Any, bob: Any) -> None:
    with chain.loaded(draw=[0]):
        receipt = duel.lay(BLUE)
    cells = [(24, 0, 0)] * 64
    cells[48] = (CFFF, 0, 0)
    board = duel.board
    assert receipt.events == [
        CityContestWon(0, 192, BLUE, 0, 4),
        Moved(0, alice, None, CFFF, 0, 6, 0, False, 0, chain.now),
        BoardUpdated(
            0,
            board.available_tiles_in_deck,
            CCCC,
            cells,
            (alice, BLUE, 3),
            (bob, RED, 3),
            (4, 0),
            (0, 0),
            0,
            1,
            GameState.IN_PROGRESS,
        ),
    ]
    assert (board.state, board.last_update_timestamp) == (cells, chain.now)


def test_move_is_kept_with_its_link(chain: Chain, world: Any, opened: Any) -> None:
    receipt = opened.skip(RED)
    assert world.read(Move, 1) == Move(1, RED, 0, None, 0, 0, 0, False, 0, chain.now)
    assert receipt.events[0] == Skiped(1, opened.players[1], 0, 0, chain.now)
    assert world.read(Move, 0) == Move(0, BLUE, None, CFFF, 0, 6, 0, False, 0, chain.now - 1)


def test_joker_is_counted_down(chain: Chain, duel: Any) -> None:
    with chain.loaded(draw=[]):
        receipt = duel.joker(BLUE, CCCC, 0, 6, 0)
    assert receipt.events.one(Moved).is_joker
    assert (duel.board.player1[2], duel.board.player2[2], duel.board.top_tile) == (2, 3, CFFF)


def test_small_move_writes_few_words(world: Any, game: Any, opened: Any) -> None:
    """One new open city: six of the 82 words of the components, four of the 20 of the board, and the move's own."""
    receipt = opened.joker(RED, CFFF, 1, 6, 1)
    assert names(receipt) == ["Moved", "BoardUpdated"]
    members = {
        write.member.partition("[")[0] for write in receipt.writes if write.name == "UnionFind"
    }
    assert members == {
        "nodes_ranks", "nodes_red_points", "nodes_open_edges", "nodes_types", "potential_city_contests",
        "potential_city_contests.length",
    }  # fmt: skip
    assert words(receipt, world) == 6 + 4 + 4
    assert words(receipt, game) == 1  # the next move's id; a joker draws no tile


def words(receipt: Any, where: Any) -> int:
    """Return the number of words that a call changed there."""
    changes = receipt.changes
    slots = {changes[i + 1] for i in range(0, len(changes), 4) if changes[i] == where.address}
    return len(slots)


@pytest.mark.parametrize("where", NOWHERE)
def test_tile_that_does_not_fit(
    refuses: Any, game: Any, duel: Any, alice: Any, where: tuple[int, int, int]
) -> None:
    no = InvalidMove(alice, None, CFFF, *where, False, 0)
    refuses(game.make_move, no, None, *where, sender=alice)


@pytest.mark.parametrize("tile", [24, 200, 255])
def test_joker_must_be_a_tile(refuses: Any, game: Any, opened: Any, bob: Any, tile: int) -> None:
    no = InvalidMove(bob, 0, tile, 0, 6, 1, True, 0)
    refuses(game.make_move, no, tile, 0, 6, 1, sender=bob)


@pytest.mark.parametrize("args", [(None, 256, 0, 0), (256, 0, 0, 0), (None, 0, -1, 0)])
def test_numbers_too_big_are_refused(game: Any, duel: Any, alice: Any, args: Any) -> None:
    with reverts("does not fit u8"):
        game.make_move(*args, sender=alice)


def test_strangers_are_in_no_game(refuses: Any, game: Any, opened: Any, carol: Any) -> None:
    no = PlayerNotInGame(carol, 0)
    refuses(game.make_move, no, None, 0, 0, 0, sender=carol)
    refuses(game.skip_move, no, sender=carol)
    refuses(game.finish_game, no, 0, sender=carol)


def test_host_without_guest_is_in_no_game(refuses: Any, game: Any, alice: Any) -> None:
    game.create_game(sender=alice)
    refuses(game.skip_move, PlayerNotInGame(alice, 0), sender=alice)


def test_finish_needs_a_board_of_the_caller(
    refuses: Any, game: Any, opened: Any, alice: Any
) -> None:
    for board_id in (1, 99):
        refuses(game.finish_game, PlayerNotInGame(alice, 0), board_id, sender=alice)


def test_player_of_another_board(
    refuses: Any, world: Any, game: Any, opened: Any, carol: Any
) -> None:
    meddler = meddling(world)
    meddler.seat(GameModel(carol, GameStatus.IN_PROGRESS, 0, None))
    refuses(game.skip_move, PlayerNotInGame(carol, 0), sender=carol)


class Meddler(System):
    """A system with write access may write states that no game reaches."""

    @call
    def seat(self, game: GameModel) -> None:
        self.world.write(game)

    @call
    def count(self, board_id: u64, moves_done: u8) -> None:
        board = self.world.read(Board, board_id)
        board.moves_done = moves_done
        self.world.write_member(board, "moves_done")


def meddling(world: Any) -> Any:
    meddler = world.chain.deploy(Meddler, world.address)
    world.grant_writer("mage_duel", meddler)
    return meddler


def test_no_jokers_is_said_before_the_turn(
    refuses: Any, game: Any, duel: Any, accounts: Any
) -> None:
    alice = accounts[0]
    for side, *where in [
        (BLUE, 0, 6, 0),
        (RED, 0, 6, 1),
        (BLUE, 0, 6, 2),
        (RED, 0, 6, 3),
        (BLUE, 0, 6, 4),
    ]:
        assert names(duel.joker(side, CCCC, *where))[-2:] == ["Moved", "BoardUpdated"]
    refuses(game.make_move, NotEnoughJokers(alice, 0), CCCC, 0, 6, 5, sender=alice)
    refuses(game.make_move, NotYourTurn(alice, 0), None, 0, 6, 5, sender=alice)


def test_laying_no_tile_has_no_effect(table: Any, chain: Chain, alice: Any, bob: Any) -> None:
    one_tile = deploy(chain, RuleSet(deck=(1,) + (0,) * 23))
    duel = table(one_tile, alice, bob, drawn=0)
    duel.lay(BLUE)
    assert duel.board.top_tile is None
    with reverts("No tiles in the deck") as caught:
        duel.lay(RED, 0, 6, 1)
    assert caught.receipt.writes == []


def test_no_more_moves_than_are_counted(game: Any, world: Any, opened: Any, bob: Any) -> None:
    meddling(world).count(0, 255)
    with reverts("does not fit u8") as caught:
        game.skip_move(sender=bob)
    assert caught.receipt.writes == []


# What is set before


@pytest.mark.parametrize(
    ("rule_set", "text"),
    [
        (RuleSet(deck=(1, 2, 3)), "A deck has a count for each of the 24 tiles"),
        (RuleSet(cities=5, roads=4), "A side of the ring has 8 edges"),
    ],
)
def test_rules_that_cannot_be(chain: Chain, rule_set: RuleSet, text: str) -> None:
    with reverts(text):
        deploy(chain, rule_set)


def test_rules_are_kept(chain: Chain) -> None:
    world = deploy(chain, RuleSet(cities=2, joker_number=1, joker_price=9))
    assert world.read(Rules, 0) == Rules(0, list(DECK), (2, 1), 1, 9)


def test_custom_rules_are_played_by(chain: Chain, alice: Any, bob: Any) -> None:
    world = deploy(chain, RuleSet(cities=3, roads=4, joker_number=7))
    board = Duel(world, alice, bob).board
    assert (board.player1[2], board.player2[2]) == (7, 7)
    assert [board.initial_edge_state.count(kind) for kind in (0, 1, 2)] == [12, 16, 4]


def test_systems_derived_elsewhere_show_the_same() -> None:
    class Longer(Game):
        pass

    assert Longer.__spec__.events.keys() == Game.__spec__.events.keys()
    assert "RoadContestWon" in Longer.__spec__.events
