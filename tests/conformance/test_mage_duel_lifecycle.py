"""The recorded scripts of Mage Duel calls, through the contracts and, as far as these decide them, through the rules.

For the rules a small table of players and boards stands in for the contract: it asks them and tells what they answer, as
events. Compared are events, players and boards. Where the rules refuse on purpose what the original let pass, all is
compared that this leaves; only where the original laid a tile that may not lie, the rest of the script is another game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

import pytest

from chain import Address, Chain
from chain.errors import Revert
from contracts.mage_duel import Board as BoardModel
from contracts.mage_duel import Game, GameModel, PlayerProfile, deploy, rules
from contracts.mage_duel.ring import slots_of
from contracts.mage_duel.session import (
    GameStatus,
    may_cancel,
    may_create,
    may_join,
    pay,
    refusal_to_play,
)
from contracts.mage_duel.state import Ending, Move, PlayerSide, RuleSet, State
from contracts.mage_duel.union_find import Components, Contest, no_components

Record = dict[str, Any]
Event = tuple[str, Record]

ACHIEVEMENTS: Final = ("TrophyProgression", "TrophyCreation")
UNRECORDED: Final = ("FIRST_MOVE", "JOKER_USED", "STRATEGIC_SKIP")
CALL_KEYS: Final = {"time", "caller", "fn", "args", "events", "reverts", "games_after"}
CALL_KEYS_TOO: Final = {"board_after", "note", "error"}  # the last two are for people
LEFT_OUT: Final = {"state", "available_tiles_in_deck"}  # of boards, by the records


@dataclass(frozen=True)
class Seat:
    status: GameStatus = GameStatus.FINISHED
    board_id: int | None = None
    balance: int = 0
    games_played: int = 0


@dataclass
class Board:
    state: State
    components: Components
    players: tuple[str, str]


@dataclass
class RulesTable:
    """Players and their boards; every call answers with its events, and what of their fields the rules decide."""

    rule_set: RuleSet
    roles: Record
    seats: dict[str, Seat] = field(default_factory=dict)
    boards: list[Board] = field(default_factory=list)

    def answer(self, call: Record) -> list[Event] | None:
        """The events; None if the call reverts."""
        try:
            events: list[Event] = getattr(self, call["fn"])(call, *call["args"])
        except Revert:
            return None
        return events

    @property
    def state(self) -> State:
        return self.boards[-1].state

    def seat(self, player: str) -> Seat:
        return self.seats.get(player, Seat())

    def move_to(self, player: str, status: GameStatus, board_id: int | None = None) -> None:
        self.seats[player] = replace(self.seat(player), status=status, board_id=board_id)

    def create_game(self, call: Record) -> list[Event]:
        if not may_create(self.seat(call["caller"]).status):
            return [("GameCreateFailed", {})]
        self.move_to(call["caller"], GameStatus.CREATED)
        return [("GameCreated", {})]

    def join_game(self, call: Record, host: str) -> list[Event]:
        guest, board_id = call["caller"], len(self.boards)
        if not may_join(self.seat(host).status, self.seat(guest).status):
            return [("GameJoinFailed", {})]
        drawn, ring = opening(call, self.rule_set)
        state = rules.start(ring, drawn, call["time"], self.rule_set)
        self.boards.append(Board(state, no_components(), (host, guest)))
        for player in (host, guest):
            self.move_to(player, GameStatus.IN_PROGRESS, board_id)
        return [("BoardCreated", {"board_id": board_id}), ("GameStarted", {"board_id": board_id})]

    def cancel_game(self, call: Record) -> list[Event]:
        caller = call["caller"]
        seat, canceled = self.seat(caller), [caller]
        if not may_cancel(seat.status, seat.board_id):
            return [refused("PLAYER_NOT_IN_GAME")]
        if seat.status == GameStatus.IN_PROGRESS and seat.board_id is not None:
            board = self.boards[seat.board_id]
            board.state = rules.cancel(board.state)
            canceled.insert(0, board.players[1 - board.players.index(caller)])
        for player in canceled:
            self.move_to(player, GameStatus.CANCELED)
        return [("GameCanceled", {"host_player": player}) for player in canceled]

    def finish_game(self, call: Record, board_id: int) -> list[Event]:
        seat = self.seat(call["caller"])
        if seat.board_id != board_id:
            return [refused("PLAYER_NOT_IN_GAME")]
        if refusal := refusal_to_play(seat.status, board_id):
            return [refused(refusal.name)]
        board = self.boards[board_id]
        if not rules.can_finish(board.state, call["time"]):
            return [refused("CANT_FINISH_GAME")]
        end = rules.finish(board.state, board.components, Ending.TIME_RAN_OUT, call["time"])
        board.state = end.state
        return self.end(board, end)

    def make_move(self, call: Record, joker_tile: int | None, *at: int) -> list[Event]:
        def make(state: State, side: PlayerSide) -> Move:
            return rules.placement(state, side, joker_tile, *at)

        return self.move(call, make, "Moved", with_joker=joker_tile is not None)

    def skip_move(self, call: Record) -> list[Event]:
        return self.move(call, lambda _, side: Move(side), "Skiped", with_joker=False)

    def move(
        self, call: Record, make: Callable[..., Move], name: str, *, with_joker: bool
    ) -> list[Event]:
        seat, now = self.seat(call["caller"]), call["time"]
        if refusal := refusal_to_play(seat.status, seat.board_id):
            return [refused(refusal.name)]
        assert seat.board_id is not None
        board = self.boards[seat.board_id]
        side = PlayerSide(board.players.index(call["caller"]))
        if refusal := rules.refusal(board.state, side, now, with_joker=with_joker):
            return [refused(refusal.name)]
        move = make(board.state, side)
        if move.tile is not None and not rules.fits(board.state, move):
            return [("InvalidMove", {"tile": move.tile, "is_joker": move.is_joker})]
        drawn = place_in_deck(rules.tiles_to_draw(board.state, move), call)
        played = rules.play(board.state, board.components, move, now, *drawn)
        board.state = played.state
        ending = self.end(board, played.finish) if played.finish else []
        return [*contested(played.contests), *ending, (name, {}), ("BoardUpdated", {})]

    def end(self, board: Board, end: rules.Finish) -> list[Event]:
        outcome = rules.outcome(end.state, self.rule_set.joker_price)
        board_id = self.boards.index(board)
        assert outcome is not None
        for player, total in zip(board.players, outcome.totals, strict=True):
            seat = self.seat(player)
            balance, games = pay(seat.balance, seat.games_played, total)
            self.seats[player] = Seat(GameStatus.FINISHED, board_id, balance, games)
        return [
            *contested(end.contests),
            *(("GameFinished", {"host_player": player}) for player in board.players),
            *(
                ("CurrentPlayerBalance", {"balance": self.seat(player).balance})
                for player in board.players
            ),
            ("BoardUpdated", {"game_state": "Finished", "moves_done": end.state.moves_done}),
        ]


def title_of(member: Enum) -> str:
    """IN_PROGRESS as `InProgress`."""
    return member.name.title().replace("_", "")


def refused(name: str) -> Event:
    return name.title().replace("_", ""), {}


def contested(contests: Iterable[Contest]) -> list[Event]:
    return [
        (
            f"{held.kind.name.title()}Contest{'Draw' if held.winner is None else 'Won'}",
            {"root": held.root, "blue_points": held.blue_points, "red_points": held.red_points},
        )
        for held in contests
    ]


def opening(call: Record, rule_set: RuleSet) -> tuple[int, tuple[int, ...]]:
    """Return the index of the first tile in the full deck, and the ring."""
    created = next(fields for name, fields in call["events"] if name == "BoardCreated")
    deck = [tile for tile, copies in enumerate(rule_set.deck) for _ in range(copies)]
    return deck.index(created["top_tile"]), tuple(created["initial_edge_state"])


def place_in_deck(tiles: tuple[int, ...], call: Record) -> list[int]:
    """Return a list with the index in the deck of the tile that the record drew, or an empty list."""
    tile = call["board_after"]["top_tile"]
    return [tiles.index(tile)] if tiles and tile is not None else []


class ChainTable:
    """A World; every call answers with its events and all of their fields."""

    def __init__(self, rule_set: RuleSet, roles: Record) -> None:
        self.chain, self.rule_set, self.now = Chain(), rule_set, 0
        self.world = deploy(self.chain, rule_set)
        self.game = self.world.system(Game)
        self.players = dict(zip("ABCDEFGHIJ", self.chain.accounts, strict=True))
        self.names: dict[Address, str] = {account: name for name, account in self.players.items()}
        profile = self.world.system(PlayerProfile)
        become = {1: profile.become_controller, 2: profile.become_bot}
        for player, role in roles.items():
            if role:  # else they stay a guest
                become[role](sender=self.players[player])
        self.chain.automine = False  # calls of one second share a block

    def answer(self, call: Record) -> list[Event] | None:
        """The events; None if the call reverts."""
        self.go_to(call["time"])
        entry, sender = getattr(self.game, call["fn"]), self.players[call["caller"]]
        args = [self.players.get(arg, arg) for arg in call["args"]]
        names = [type(event).__name__ for event in entry.simulate(*args, sender=sender).events]
        with self.chain.loaded(**self.chance(call, names)):
            receipt = entry(*args, sender=sender, check=False)
        assert receipt.ok or receipt.error.text == "No tiles in the deck"
        recorded = [each for each in receipt.events if vars(each).get("task_id") not in UNRECORDED]
        return [self.shown(event) for event in recorded] if receipt.ok else None

    @property
    def state(self) -> State:
        boards = self.world.all(BoardModel)
        state: State = self.game.state(boards[-1].id)
        return state

    def seat(self, player: str) -> GameModel:
        return self.world.read(GameModel, self.players[player])

    def go_to(self, time: int) -> None:
        if time != self.now:
            self.chain.mine()
            self.now = time
            self.chain.set_time(time)

    def chance(self, call: Record, names: list[str]) -> dict[str, list[int]]:
        """The outcomes that lead where the record went."""
        if "BoardCreated" in names:
            drawn, ring = opening(call, self.rule_set)
            return {"draw": [drawn], "edges": [*slots_of(ring)]}
        if "Skiped" in names or ("Moved" in names and call["args"][0] is None):
            skips = Move(PlayerSide.BLUE, None if "Skiped" in names else self.state.top_tile)
            return {"draw": place_in_deck(rules.tiles_to_draw(self.state, skips), call)}
        return {}

    def shown(self, event: Any) -> Event:
        fields = {name: self.plain(value) for name, value in vars(event).items()}
        return type(event).__name__, {
            name: value for name, value in fields.items() if name not in LEFT_OUT
        }

    def plain(self, value: Any) -> Any:
        if isinstance(value, Address):
            return self.names[value]
        if isinstance(value, Enum):
            return title_of(value)
        return [self.plain(item) for item in value] if isinstance(value, tuple) else value


def shown(state: State) -> Record:
    return {
        "moves_done": state.moves_done,
        "top_tile": state.top_tile,
        "deck_len": len(state.deck),
        "jokers": list(state.jokers),
        "blue": list(state.scores[0]),
        "red": list(state.scores[1]),
        "game_state": "InProgress" if state.ending is None else "Finished",
        "last_update_timestamp": state.updated_at,
    }


@dataclass
class Comparison:
    """A script being replayed, and the state of the original where the rules refuse on purpose what it did."""

    table: Any
    canceled: set[str] = field(default_factory=set)  # players who could cancel no game
    keeps_skip: bool = False  # it kept the skip of a timed-out opponent before a move that failed

    def script(self, calls: list[Record]) -> None:
        for call in calls:
            assert call.keys() <= CALL_KEYS | CALL_KEYS_TOO, call
            events = self.table.answer(call)
            told = None if call.get("reverts") else [(name, by) for name, by in call["events"]]
            if is_another_game(call, names_of(events), names_of(told)):
                return
            self.compare_events(call, events, told)
            self.compare_seats(call)
            self.compare_boards(call, names_of(told))

    def compare_events(
        self, call: Record, events: list[Event] | None, told: list[Event] | None
    ) -> None:
        names = names_of(events), names_of(told)
        if told is None:
            assert not call.get("events"), call
            assert events is None or (names[0] == ["InvalidMove"] and is_off_the_board(call)), call
            return
        if call["fn"] == "cancel_game" and names == (["PlayerNotInGame"], ["GameCanceled"]):
            self.canceled.add(call["caller"])
            return
        assert events is not None, call
        if isinstance(self.table, RulesTable):
            told = [each for each in told if each[0] not in ACHIEVEMENTS]
        assert [name for name, _ in events] == names_of(told), call
        if names[0] == ["InvalidMove"]:
            self.keeps_skip = self.keeps_skip or self.is_a_move_behind(call)
        for (name, ours), (_, fields) in zip(events, told, strict=True):
            self.compare_fields(name, ours, fields, call)

    def compare_fields(self, name: str, ours: Record, fields: Record, call: Record) -> None:
        fields = dict(fields)
        for role in ("host", "guest"):
            if fields.get(f"{role}_player") in self.canceled and name == "GameJoinFailed":
                fields[f"{role}_game_status"] = "Finished"
        assert isinstance(self.table, RulesTable) or ours.keys() == fields.keys(), call
        if self.keeps_skip and name == "InvalidMove":  # it comes after the skip there
            fields |= {key: ours[key] for key in ours.keys() & {"prev_move_id"}}
        assert ours.items() <= fields.items(), call

    def compare_seats(self, call: Record) -> None:
        for player, (status, board_id) in call.get("games_after", {}).items():
            if player in self.canceled and status != "Canceled":
                self.canceled.remove(player)
            seat = self.table.seat(player)
            told = "Finished" if player in self.canceled else status
            assert (title_of(seat.status), seat.board_id) == (told, board_id), call

    def compare_boards(self, call: Record, names: list[str]) -> None:
        if "board_after" not in call:
            return
        if not {"BoardCreated", "BoardUpdated"}.isdisjoint(names):  # ours has the skip by now
            self.keeps_skip = False
        board = shown(self.table.state)
        if self.keeps_skip:
            assert self.is_a_move_behind(call), call
            del board["moves_done"], board["last_update_timestamp"]
        assert board.items() <= call["board_after"].items(), call

    def is_a_move_behind(self, call: Record) -> bool:
        told, board = call["board_after"], shown(self.table.state)
        waited = told["last_update_timestamp"] - board["last_update_timestamp"]
        is_late: bool = rules.MOVE_TIME < waited <= 2 * rules.MOVE_TIME
        return is_late and bool(told["moves_done"] == board["moves_done"] + 1)


def names_of(events: list[Event] | None) -> list[str]:
    return [name for name, _ in events or ()]


def is_off_the_board(call: Record) -> bool:
    """Return True if the rules have no such place, rotation or tile."""
    joker_tile, rotation, col, row = call["args"]
    return (joker_tile or 0) > 23 or rotation > 3 or max(col, row) > 7


def is_another_game(call: Record, ours: list[str], told: list[str]) -> bool:
    """True if the original laid a tile that the rules refuse: off the board, or turned too far."""
    return ours == ["InvalidMove"] and "Moved" in told and is_off_the_board(call)


TABLES = pytest.mark.parametrize("make", [RulesTable, ChainTable], ids=["rules", "chain"])


@TABLES
@pytest.mark.records("mage_duel", "scripts")
def test_calls_are_answered_as_recorded(make: Any, duels: Any, record: Record) -> None:
    for script in record["scripts"]:
        compare(make, duels, script, script["calls"])


@TABLES
@pytest.mark.records("mage_duel", "scripts")
def test_wrong_calls_are_noticed(make: Any, duels: Any, record: Record) -> None:
    for script in record["scripts"]:
        for number, wrong in script.get("wrong", ()):
            calls = script["calls"][:number]
            with pytest.raises(AssertionError):
                compare(make, duels, script, [*calls, script["calls"][number] | wrong])


def compare(make: Any, duels: Any, script: Record, calls: list[Record]) -> None:
    table = make(duels.rule_set(script.get("rules")), script.get("preset_roles", {}))
    Comparison(table).script(calls)
