"""Sagrada on the chain: a command is a line of text, and what can be undone can be undone here.

Who may, what the rules say, write, tell: the rules find the command and refuse in their own words. The steps of a game lie
in one row, those done below those undone, and each is the patch that leads the other way: to undo or redo is to follow
the patch where the game stands and to leave the way back in its place. Whole states are never kept.

A command writes only what it changed, measured in games of four: 3 to 9 words, the pass that ends a round up to 19. Two of
them are the patch (up to 6 at a round's end) and the heights of the stacks; the patches of what was undone before are cleared
with it. Undo and redo write as many as their command.
"""

from __future__ import annotations

import json
from dataclasses import replace
from json import JSONDecodeError

from chain import Contract, Map, Revert, Vector, call, init, require, view
from chain.types import u8, u32, u64
from contracts.sagrada import encoding, rules, setup
from contracts.sagrada.events import (
    CommandExecuted,
    FrameChosen,
    GameCreated,
    GameStarted,
    Redone,
    Undone,
    news,
)
from contracts.sagrada.messages import (
    BEGUN,
    GAME_FINISHED,
    NO_SUCH_GAME,
    NOT_AVAILABLE,
    NOT_BEGUN,
    NOT_YOUR_TURN,
    time_left,
)
from contracts.sagrada.models import Guest, Party, Score, Table
from contracts.sagrada.patch import diff, follow
from contracts.sagrada.schema import DataError, parse
from contracts.sagrada.state import State, current_player, is_finished
from contracts.sagrada.window import Frame

TURN_TIME = 60  # seconds


class Sagrada(Contract):
    """Games for two to four accounts, named ones by name, others by address."""

    turn_time: u32
    parties: Vector[Party]  # one for each game; nobody is invited to a game that was loaded
    tables: Map[u64, Table | None]
    steps: Map[tuple[u64, u32], bytes]  # by game and step: `undos` that stand, then `redos`

    @init
    def new(self, turn_time: u32 = TURN_TIME) -> None:
        self.turn_time = turn_time

    @call
    def create_game(self, players: list[str]) -> u64:
        """Invite two to four players, and deal each a private objective and four frames to choose from."""
        names = tuple(self.account_id(player) for player in players)
        guests = setup.invite(names, self.random)
        game_id = self._add(guests)
        self.emit(GameCreated(game_id, names))
        return game_id

    @call
    def load_game(self, document: str) -> u64:
        """Take up a game from the JSON of its state, as `data` gives it; what was done before cannot be undone."""
        state = _read(document)
        game_id = self._add(())
        self._begin(game_id, state)
        return game_id

    @call
    def choose_frame(self, game_id: u64, frame: str) -> None:
        """The caller plays with this frame; when all have chosen, the game begins."""
        party, player = self._waiting_party(game_id), self.caller_id
        guests = setup.choose_frame(party.guests, player, frame)
        self.parties[game_id] = replace(party, guests=guests)
        self.emit(FrameChosen(game_id, player, frame))
        if all(guest.chosen is not None for guest in guests):
            self._begin(game_id, rules.new_game(setup.seats_of(guests), self.random))

    @call
    def force_start(self, game_id: u64) -> None:
        """Begin although some have not chosen in time: they get the first frame they were offered."""
        party = self._waiting_party(game_id)
        self._require_time_over(party.invited)
        self._begin(game_id, rules.new_game(setup.seats_of(party.guests), self.random))

    @call
    def execute_command(self, game_id: u64, command: str) -> None:
        table = self._table(game_id)
        after = self._do(game_id, table, self.caller_id, command)
        self.tables[game_id] = after

    @call
    def undo(self, game_id: u64) -> None:
        """Take back the last command, if the rules leave that to the player whose turn it is."""
        table = self._turn_of_caller(game_id)
        require(_can_undo(table), NOT_AVAILABLE)
        self.tables[game_id] = self._undo(game_id, table)

    @call
    def redo(self, game_id: u64) -> None:
        """Bring back what was undone last, as it came out then."""
        table = self._turn_of_caller(game_id)
        require(table.redos, NOT_AVAILABLE)
        self.tables[game_id] = self._redo(game_id, table)

    @call
    def force_pass(self, game_id: u64) -> None:
        """End a turn whose time is over: undo until passing is legal, then pass. Anyone may.

        A game that was loaded in mid-turn may have nothing left to undo: its turn is broken off.
        """
        table = after = self._table(game_id)
        require(not is_finished(table.state), GAME_FINISHED)
        self._require_time_over(table.turn_began)
        while after.undos and not _may_pass(after):
            after = self._undo(game_id, after)
        if not _may_pass(after):
            after = replace(after, state=rules.break_off(after.state, self.random))
        after = self._do(game_id, after, _whose_turn(after), "pass")
        self.tables[game_id] = after

    @view
    def private_objective(self, game_id: u64, player: str) -> u8:
        """The id of the card that a guest was dealt."""
        return self._guest(game_id, player).objective

    @view
    def window_frames(self, game_id: u64, player: str) -> list[Frame]:
        """The frames that a guest may choose from."""
        return setup.frames_of(self._guest(game_id, player))

    @view
    def current_player(self, game_id: u64) -> str:
        return _whose_turn(self._table(game_id))

    @view
    def is_undo_available(self, game_id: u64) -> bool:
        return _can_undo(self._table(game_id))

    @view
    def is_redo_available(self, game_id: u64) -> bool:
        return self._table(game_id).redos > 0

    @view
    def is_game_ended(self, game_id: u64) -> bool:
        return is_finished(self._table(game_id).state)

    @view
    def legal_commands(self, game_id: u64) -> list[str]:
        """All that the current player may say now, beside undo and redo."""
        return list(rules.legal_moves(self._table(game_id).state))

    @view
    def score(self, game_id: u64) -> list[Score]:
        """What each player has now, by seat."""
        return list(rules.standings(self._table(game_id).state))

    @view
    def winner(self, game_id: u64) -> str | None:
        return rules.winner(self._table(game_id).state)

    @view
    def data(self, game_id: u64, player: str | None = None) -> str:
        """The state as JSON: all of it, or what `player` may see."""
        state = self._table(game_id).state
        if player is None:
            return json.dumps(encoding.encode(state))
        return json.dumps(encoding.encode_for(state, self.account_id(player)))

    def _add(self, guests: tuple[Guest, ...]) -> int:
        self.parties.append(Party(self.block.timestamp, guests))
        return len(self.parties) - 1

    def _begin(self, game_id: int, state: State) -> None:
        self.tables[game_id] = Table(self.block.timestamp, 0, 0, state)
        self.emit(GameStarted(game_id, tuple(player.username for player in state.players)))

    def _party(self, game_id: int) -> Party:
        require(game_id < len(self.parties), NO_SUCH_GAME)
        return self.parties[game_id]

    def _waiting_party(self, game_id: int) -> Party:
        party = self._party(game_id)
        require(self.tables[game_id] is None, BEGUN)
        return party

    def _guest(self, game_id: int, player: str) -> Guest:
        return setup.guest_named(self._party(game_id).guests, self.account_id(player))

    def _table(self, game_id: int) -> Table:
        table = self.tables[game_id]
        if table is None:
            self._party(game_id)
            raise Revert(NOT_BEGUN)
        return table

    def _turn_of_caller(self, game_id: int) -> Table:
        table = self._table(game_id)
        require(not is_finished(table.state), GAME_FINISHED)
        require(self.caller_id == _whose_turn(table), NOT_YOUR_TURN)
        return table

    def _require_time_over(self, began: int) -> None:
        left = began + self.turn_time - self.block.timestamp
        require(left <= 0, time_left(left))

    def _do(self, game_id: int, table: Table, player: str, command: str) -> Table:
        before, step = table.state, table.undos
        after = rules.execute(before, player, command, self.random)
        self.steps[game_id, step] = diff(after, before)
        for undone in range(step + 1, step + table.redos):
            del self.steps[game_id, undone]
        self.emit(CommandExecuted(game_id, player, command, step + 1))
        for event in news(game_id, before, after):
            self.emit(event)
        is_new_turn = after.order is not before.order
        return Table(self.block.timestamp if is_new_turn else table.turn_began, step + 1, 0, after)

    def _undo(self, game_id: int, table: Table) -> Table:
        step = table.undos - 1
        state = self._follow(game_id, step, table.state)
        self.emit(Undone(game_id, _whose_turn(table), step + 1))
        return Table(table.turn_began, step, table.redos + 1, state)

    def _redo(self, game_id: int, table: Table) -> Table:
        step = table.undos
        state = self._follow(game_id, step, table.state)
        self.emit(Redone(game_id, _whose_turn(table), step + 1))
        return Table(table.turn_began, step + 1, table.redos - 1, state)

    def _follow(self, game_id: int, step: int, state: State) -> State:
        """Where the patch of a step leads; the way back is left in its place."""
        state, back = follow(state, self.steps[game_id, step])
        self.steps[game_id, step] = back
        return state


def _whose_turn(table: Table) -> str:
    return current_player(table.state).username


def _may_pass(table: Table) -> bool:
    return rules.is_legal(table.state, _whose_turn(table), "pass")


def _can_undo(table: Table) -> bool:
    return table.undos > 0 and table.state.turn.undo_available


def _read(document: str) -> State:
    try:
        state = encoding.decode(parse(document, "state").value)
    except JSONDecodeError:
        raise Revert("state: this is not JSON") from None
    except DataError as wrong:
        raise Revert(str(wrong)) from None
    setup.check_whole(state)
    return state
