"""The recorded games of Mage Duel, replayed through the bare rules and the contracts; snapshots and branches of them.

Where the rules differ from the recorded original on purpose, they are compared on what is left: a component is contested
once, and the tiles of a deck may lie in another order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chain import Chain
from contracts.mage_duel import Board, Game, GameModel, Player, deploy, replay, rules
from contracts.mage_duel.ring import slots_of
from contracts.mage_duel.session import pay
from contracts.mage_duel.state import Ending, Move, State

Record = dict[str, Any]


def place_in_deck(tiles: tuple[int, ...], tile: int | None) -> list[int]:
    """Return a list with the index in the deck of the tile that the record drew, or an empty list."""
    return [tiles.index(tile)] if tiles and tile is not None else []


def shown(state: State) -> Record:
    return {
        "blue": list(state.scores[0]),
        "red": list(state.scores[1]),
        "jokers": dict(zip(("blue", "red"), state.jokers, strict=True)),
        "moves_done": state.moves_done,
        "top_tile": state.top_tile,
        "deck_len": len(state.deck),
        "game_state": "InProgress" if state.ending is None else "Finished",
    }


class RulesDesk:
    """A recorded game on its way through the bare rules."""

    def __init__(self, duels: Any, setup: Record) -> None:
        self.duels, rule_set = duels, duels.rule_set(setup["rules"])
        full = sorted([setup["first_top_tile"], *setup["deck_after_first_draw"]])
        drawn, ring = full.index(setup["first_top_tile"]), tuple(setup["initial_edge_state"])
        self.price = rule_set.joker_price
        self.state = rules.start(ring, drawn, setup["join_timestamp"], rule_set)
        self.components = rules.no_components()
        self.moves: list[Move] = []

    def play(self, step: Record) -> list[Record]:
        """The contests of a step, those at the end of the game too."""
        now, side = step["timestamp"], self.duels.SIDES[step["side"]]
        if step["action"] == "finish_game":
            assert rules.can_finish(self.state, now)
            return self.finish(rules.finish(self.state, self.components, Ending.TIME_RAN_OUT, now))
        with_joker = step["action"] == "joker"
        assert rules.refusal(self.state, side, now, with_joker=with_joker) is None
        move = Move(side) if step["action"] == "skip" else self.placement(step, side)
        if rules.skips_opponent(self.state, side):
            assert step["auto_skip_of_opponent"]
            self.moves.append(Move(side.opponent))
        tiles = rules.tiles_to_draw(self.state, move)
        drawn = place_in_deck(tiles, step["after"]["top_tile"])
        played = rules.play(self.state, self.components, move, now, *drawn)
        self.state = played.state
        self.moves.append(move)
        closing = () if played.finish is None else played.finish.contests
        return list(self.duels.contests((*played.contests, *closing)))

    def placement(self, step: Record, side: Any) -> Move:
        at = step["rotation"], step["col"], step["row"]
        move = rules.placement(self.state, side, step["joker_tile"], *at)
        assert move.tile == step["tile"]
        assert rules.fits(self.state, move)
        return move

    def finish(self, end: rules.Finish) -> list[Record]:
        self.state = end.state
        return list(self.duels.contests(end.contests))

    def end(self) -> Record:
        outcome = rules.outcome(self.state, self.price)
        assert outcome is not None
        paid = [pay(0, 0, total) for total in outcome.totals]
        return ending(self.duels, outcome, paid)

    def rewound(self, number: int) -> Record:
        state, _ = rules.rewind(self.state, self.moves[::-1], number)
        last = None if state.last_move is None else number - 1
        assert last is None or state.last_move == self.moves[last]
        return snapshot(state, last)


class ChainDesk:
    """A recorded game on its way through the contracts."""

    def __init__(self, duels: Any, setup: Record) -> None:
        self.duels, self.chain = duels, Chain()
        self.players = self.chain.accounts[:2]
        host, guest = self.players
        rule_set = duels.rule_set(setup["rules"])
        self.world = deploy(self.chain, rule_set)
        self.game = self.world.system(Game)
        self.game.create_game(sender=host)
        self.chain.automine = False  # calls of one second share a block
        self.now = setup["join_timestamp"]
        self.chain.set_time(self.now)
        full = sorted([setup["first_top_tile"], *setup["deck_after_first_draw"]])
        draws = [full.index(setup["first_top_tile"])]
        with self.chain.loaded(draw=draws, edges=[*slots_of(setup["initial_edge_state"])]):
            self.game.join_game(host, sender=guest)
        self.boards: dict[int, Board] = {0: self.board}  # by moves done

    @property
    def board(self) -> Board:
        return self.world.read(Board, 0)

    @property
    def state(self) -> State:
        state: State = self.game.state(0)
        return state

    def play(self, step: Record) -> list[Record]:
        receipt = self.send(step)
        self.boards[self.board.moves_done] = self.board
        self.check_events([type(event).__name__ for event in receipt.events], step)
        return list(self.duels.contest_events(receipt.events))

    def send(self, step: Record) -> Any:
        if step["timestamp"] != self.now:
            self.chain.mine()
            self.now = step["timestamp"]
            self.chain.set_time(self.now)
        sender = self.players[self.duels.SIDES[step["side"]]]
        if step["action"] == "finish_game":
            return self.game.finish_game(0, sender=sender)
        is_skip, board = step["action"] == "skip", self.board
        tiles = () if step["action"] == "joker" else (*board.available_tiles_in_deck,)
        if is_skip and board.top_tile is not None:
            tiles += (board.top_tile,)
        with self.chain.loaded(draw=place_in_deck(tiles, step["after"]["top_tile"])):
            if is_skip:
                return self.game.skip_move(sender=sender)
            at = step["rotation"], step["col"], step["row"]
            return self.game.make_move(step["joker_tile"], *at, sender=sender)

    def check_events(self, names: list[str], step: Record) -> None:
        """Players are guests, so no trophies are among them."""
        twice = len(step["contests"]) - len(self.duels.once(step["contests"]))
        assert len(names) == len(step["events"]) - twice
        assert names[len(step["contests"]) - twice :] == step["events"][len(step["contests"]) :]

    def silently_skipped(self, number: int) -> Board:
        """The board after a skip without a call of its own: only the last move differs."""
        skip, before = self.game.move_history(0)[number - 1], self.boards[number - 1]
        assert skip.tile is None
        return replace(
            before,
            last_move_id=skip.id,
            moves_done=number,
            last_update_timestamp=skip.timestamp,
        )

    def end(self) -> Record:
        players = [self.world.read(Player, player) for player in self.players]
        assert {self.world.read(GameModel, player).status.name for player in self.players} == {
            "FINISHED"
        }
        paid = [(player.balance, player.games_played) for player in players]
        outcome = self.game.outcome(0)
        assert outcome is not None and outcome.winner == self.game.winner(0)
        return ending(self.duels, outcome, paid)

    def rewound(self, number: int) -> Record:
        """The board that a third player gets from a snapshot."""
        carol = self.chain.accounts[2]
        created = self.game.create_snapshot(0, number, sender=carol).events[0]
        self.game.create_game_from_snapshot(created.snapshot_id, sender=carol)
        board_id = self.world.read(GameModel, carol).board_id
        last_id = self.world.read(Board, board_id).last_move_id
        assert board_id is not None
        state = self.game.state(board_id)
        self.game.cancel_game(sender=carol)
        return snapshot(state, last_id)


def ending(duels: Any, outcome: rules.Outcome, paid: list[tuple[int, int]]) -> Record:
    names = ("HOST", "GUEST")
    return {
        "reason": duels.ENDINGS[outcome.ending],
        "winner": duels.name_of(outcome.winner),
        "total": dict(zip(("blue", "red"), outcome.totals, strict=True)),
        "balances": {name: balance for name, (balance, _) in zip(names, paid, strict=True)},
        "games_played": {name: games for name, (_, games) in zip(names, paid, strict=True)},
    }


def snapshot(state: State, last: int | None) -> Record:
    return {
        "state": [list(content) for content in state.cells],
        "blue": list(state.scores[0]),
        "red": list(state.scores[1]),
        "jokers": dict(zip(("blue", "red"), state.jokers, strict=True)),
        "top_tile": state.top_tile,
        "deck": sorted(state.deck),
        "last_move": last,
        "is_open": state.ending is None,
        "moves_done": state.moves_done,
    }


DESKS = pytest.mark.parametrize("make", [RulesDesk, ChainDesk], ids=["rules", "chain"])


@DESKS
@pytest.mark.records("mage_duel", "setup", "steps", "end")
def test_recorded_game_is_reproduced(make: Any, duels: Any, record: Record) -> None:
    desk, last = make(duels, record["setup"]), record["steps"][-1]
    assert list(desk.state.deck) == record["setup"]["deck_after_first_draw"]
    for step in record["steps"]:
        assert desk.state.top_tile == step["top_tile_before"]
        closing = record["end"]["closing_contests"] if step is last else []
        assert desk.play(step) == [*duels.once(step["contests"]), *closing], step
        assert shown(desk.state) == step["after"], step
    assert desk.end().items() <= record["end"].items()
    assert [list(content) for content in desk.state.cells] == record["end"]["final_board"]


@pytest.mark.records("mage_duel", "setup", "steps", "end")
def test_picture_changes_where_events_say(duels: Any, record: Record, watch: Any) -> None:
    desk = ChainDesk(duels, record["setup"])
    board = watch(desk.game, 0)
    for step in record["steps"]:
        desk.play(step)
        changed, receipts = board.step()
        moves = [event for receipt in receipts for event in receipt.events["Moved"]]
        assert changed == {f"{move.col},{move.row}" for move in moves}, step


@pytest.mark.records("mage_duel", "setup", "steps", "end")
def test_past_is_shown_and_rebuilt(duels: Any, record: Record) -> None:
    desk = ChainDesk(duels, record["setup"])
    for step in record["steps"]:
        desk.play(step)
    for number in range(desk.board.moves_done + 1):
        seen = desk.game.board_at(0, number)
        assert seen == (desk.boards.get(number) or desk.silently_skipped(number)), number
    desk.chain.mine()
    assert replay(desk.chain.receipts).state_root() == desk.chain.state_root()


@DESKS
@pytest.mark.records("mage_duel", "cases", "rows")
def test_recorded_snapshot_is_reproduced(make: Any, duels: Any, record: Record) -> None:
    desks: dict[str, Any] = {}
    for case in (case for case in record["cases"] if "game" in case):
        game = duels.games[case["game"]]
        if case["game"] not in desks:
            desks[case["game"]] = desk = make(duels, game["setup"])
            for step in game["steps"]:
                desk.play(step)
        assert desks[case["game"]].rewound(case["move_number"]) == recorded_snapshot(case, game), (
            case
        )
    assert desks or "op" in record["cases"][0]


def recorded_snapshot(case: Record, game: Record) -> Record:
    last_id, same = case["last_move_id"], ("state", "blue", "red", "jokers", "top_tile")
    return {name: case[name] for name in same} | {
        "deck": sorted(case["deck_in_order"]),
        "last_move": None if last_id is None else last_id - game["setup"]["first_move_id"],
        "is_open": True,
        "moves_done": case["move_number"],
    }
