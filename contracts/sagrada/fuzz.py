"""What holds in Sagrada whoever calls whatever, to be fuzzed: `boardchain fuzz contracts.sagrada`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chain.fuzz import Fuzz, Proposal, by, invariant, proposes
from contracts.sagrada import rules, setup
from contracts.sagrada.contract import TURN_TIME, Sagrada
from contracts.sagrada.dice import DICE
from contracts.sagrada.history import History, force_pass
from contracts.sagrada.models import Table
from contracts.sagrada.patch import follow
from contracts.sagrada.playouts import Seeded
from contracts.sagrada.state import ROUNDS, State, current_player, is_finished
from contracts.sagrada.window import ORTHOGONAL, Window

LIFTING: Final = {2, 3}  # the tools that lift a rule of placing
UNASKED: Final = ("force_pass", "force_start")  # what anyone may do once time is over


class SagradaFuzz(Fuzz):
    """A game of two has begun; in a second one of three, nobody has chosen a frame."""

    contracts = (Sagrada,)
    callers = ("ada", "bruno", "chiara")

    def set_up(self) -> None:
        super().set_up()
        for players in (["ada", "bruno"], ["ada", "bruno", "chiara"]):
            self.handle.create_game(players)
        for guest in self.handle.fields.parties[0].guests:
            frame = setup.frames_of(guest)[0]
            self.handle.choose_frame(0, frame.name, sender=self.named[guest.username])

    @proposes("choose_frame")
    def frames(self) -> Iterator[Proposal]:
        for game_id, _ in enumerate(self.handle.fields.parties):
            yield from self._choices(game_id)

    @proposes("execute_command")
    def commands(self) -> Iterator[Proposal]:
        """As many of each kind, since of most there are more than of others."""
        for game_id, table in self._tables():
            moves = rules.legal_moves(table.state)
            kinds = dict.fromkeys(move.split(" ")[0] for move in moves)
            some = [[move for move in moves if move.startswith(kind)][:6] for kind in kinds]
            yield from (self._by_mover(table, game_id, move) for group in some for move in group)

    @proposes("undo")
    def ways_back(self) -> Iterator[Proposal]:
        yield from (self._by_mover(table, game_id) for game_id, table in self._tables())

    @proposes("redo")
    def ways_forth(self) -> Iterator[Proposal]:
        yield from (self._by_mover(table, game_id) for game_id, table in self._tables() if table.redos)  # fmt: skip

    @proposes("load_game")
    def documents(self) -> Iterator[Proposal]:
        yield from (Proposal((self.handle.data(game_id),)) for game_id, _ in self._tables())

    @invariant
    def every_die_is_somewhere_once(self) -> None:
        for state in self._states():
            assert sorted(_dice(state)) == list(range(DICE))

    @invariant
    def favor_points_only_change_hands(self) -> None:
        for state in self._states():
            held = sum(player.favor_points for player in state.players)
            held += sum(tool.favor_points for tool in state.tools)
            assert held == sum(player.window.frame.difficulty for player in state.players)

    @invariant
    def windows_keep_to_the_rules(self) -> None:
        """Where no tool lifts a rule, no two neighbours are alike and no constraint is broken."""
        for state in self._states():
            if LIFTING.isdisjoint(tool.id for tool in state.tools):
                for player in state.players:
                    _check_window(player.window)

    @invariant
    def track_holds_what_rounds_left(self) -> None:
        for state in self._states():
            assert sum(state.track.counts) == len(state.track.dice)
            assert not any(state.track.counts[state.track.round - 1 :])

    @invariant
    def patches_lead_back_and_forth(self) -> None:
        """All that stands to be undone or done again can be, and the way back is the way it came."""
        for game_id, table in self._tables():
            for steps in (range(table.undos - 1, -1, -1), range(table.undos, table.undos + table.redos)):  # fmt: skip
                state = table.state
                for step in steps:
                    there, back = follow(state, self.handle.fields.steps[game_id, step])
                    assert follow(there, back)[0] == state, f"step {step} does not lead back"
                    assert there != state, f"step {step} changes nothing"
                    state = there

    @invariant
    def every_turn_can_be_ended(self) -> None:
        """Even that of a game which is taken up from elsewhere, and has no past."""
        for state in self._states():
            if not is_finished(state):
                forced = force_pass(History(state), Seeded(0)).state
                assert forced.order is not state.order

    @invariant
    def games_end_after_ten_rounds(self) -> None:
        for game_id, table in self._tables():
            winner = self.handle.winner(game_id)
            assert (winner is not None) == (table.state.track.round > ROUNDS)
            assert table.state.track.round <= ROUNDS + 1

    @invariant
    def only_the_mover_changes_a_game(self) -> None:
        """Or anyone, where it was over time: then the turn has passed on."""
        was, receipt = self.before.fields.tables, self.chain.receipts[-1]
        for game_id, table in self._tables():
            before = was[game_id]
            if before is None or before == table:
                continue
            if receipt.entry in UNASKED:
                assert receipt.timestamp >= before.turn_began + TURN_TIME, "forced before its time"
            else:
                mover = self.named.get(current_player(before.state).username)
                assert receipt.sender == mover, "it was somebody else's turn"
            assert not is_finished(before.state), "the game was over"

    def _choices(self, game_id: int) -> Iterator[Proposal]:
        for guest in self.handle.fields.parties[game_id].guests:
            if (account := self.named.get(guest.username)) is not None:
                yield from (by(account, game_id, frame.name) for frame in setup.frames_of(guest))

    def _by_mover(self, table: Table, *args: int | str) -> Proposal:
        """Of the player whose turn it is, if that is one of the callers; anybody may have been invited."""
        account = self.named.get(current_player(table.state).username)
        return Proposal(args) if account is None else by(account, *args)

    def _tables(self) -> Iterator[tuple[int, Table]]:
        """The games that have begun."""
        tables = self.handle.fields.tables
        for game_id in range(len(self.handle.fields.parties)):
            if (table := tables[game_id]) is not None:
                yield game_id, table

    def _states(self) -> Iterator[State]:
        yield from (table.state for _, table in self._tables())


def _dice(state: State) -> Iterator[int]:
    """The ids of all dice, wherever they are."""
    on_windows = [die for player in state.players for die in player.window.dice]
    yield from (number for number, shade in enumerate(state.bag) if shade)
    for die in (*state.track.dice, *state.pool, state.turn.picked, *on_windows):
        if die is not None:
            yield die.id


def _check_window(window: Window) -> None:
    for cell, die in enumerate(window.dice):
        if die is not None:
            near = [window.dice[other] for other in ORTHOGONAL[cell]]
            alike = [other for other in near if other and (other.color is die.color or other.shade == die.shade)]  # fmt: skip
            assert not alike, f"{die} lies beside {alike[0]}"
            assert window.frame.marks[cell] in (".", *str(die)), f"{die} lies on {window.frame.marks[cell]}"  # fmt: skip
