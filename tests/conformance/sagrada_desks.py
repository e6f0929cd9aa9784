"""A table of Sagrada that takes commands: by the bare rules, and on a chain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from chain import Chain, call
from chain.errors import Revert
from chain.types import u64
from contracts.sagrada import Sagrada, rules, setup
from contracts.sagrada import history as histories
from contracts.sagrada.contract import TURN_TIME
from contracts.sagrada.encoding import decode, encode, encode_for
from contracts.sagrada.history import History
from contracts.sagrada.messages import GAME_FINISHED, NOT_AVAILABLE
from contracts.sagrada.playouts import Seeded
from contracts.sagrada.state import current_player

Json = dict[str, Any]
Outcomes = list[tuple[str, int]]  # of chance, each with its tag

TAGS: Final = ("bag", "draw", "roll", "cards")


class Told:
    """Chance with given outcomes. It checks that the right ones are asked for."""

    def __init__(self, told: Outcomes) -> None:
        self.told = list(told)

    def choice(self, options: Sequence[int], /, *, tag: str) -> int:
        expected, value = self.told.pop(0)
        assert tag == expected
        assert value in options
        return value


class RulesDesk:
    """The contract in small: one game, without checks of who may call."""

    def new_game(self, setup_: list[Json], outcomes: Outcomes) -> None:
        chance, names = Told(outcomes), [seat["username"] for seat in setup_]
        guests = setup.invite(names, chance)
        for seat in setup_:
            guests = setup.choose_frame(guests, seat["username"], seat["frame_chosen"])
        self.history = History(rules.new_game(setup.seats_of(guests), chance))

    def load(self, document: Json) -> None:
        self.history = History(decode(document))

    def command(self, by: str, text: str, outcomes: Outcomes) -> str | None:
        """The refusal, if it is one."""
        chance = Told(outcomes)
        try:
            self.history = histories.play(self.history, by, text, chance)
        except Revert as refused:
            return refused.text
        assert not chance.told
        return None

    def turn_back_or_forth(self, operation: str) -> bool:
        """Undo or redo; whether there was anything to."""
        before = self.history
        self.history = getattr(histories, operation)(before)
        return self.history is not before

    def force_pass(self) -> None:
        self.history = histories.force_pass(self.history, Seeded(0))

    def data(self, player: str | None = None) -> Json:
        state = self.history.state
        return encode(state) if player is None else encode_for(state, player)

    def legal(self) -> tuple[str, ...]:
        return rules.legal_moves(self.history.state)

    def seen(self) -> Json:
        """Return all that the game shows beside its data."""
        history, state = self.history, self.history.state
        return {
            "undo_available": histories.can_undo(history),
            "redo_available": histories.can_redo(history),
            "undo_depth": len(history.undos),
            "redo_depth": len(history.redos),
            "ended": rules.outcome(state) is not None,
            "current": current_player(state).username,
            "score": {each.username: each.score for each in rules.standings(state)},
        }


class Unguarded(Sagrada):
    """The contract with the unchecked operations of the original beside its own."""

    @call
    def undo_anyway(self, game_id: u64) -> None:
        table = self._table(game_id)
        self.tables[game_id] = self._undo(game_id, table)

    @call
    def redo_anyway(self, game_id: u64) -> None:
        table = self._table(game_id)
        self.tables[game_id] = self._redo(game_id, table)


class ChainDesk:
    """The contract itself, asked by named accounts."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.game = self.chain.deploy(Unguarded)

    def new_game(self, setup_: list[Json], outcomes: Outcomes) -> None:
        names = [seat["username"] for seat in setup_]
        with self.chain.loaded(**by_tag(outcomes)):
            self.id = self.game.create_game(names).return_value
            for seat in setup_:
                offered = [
                    frame.name for frame in self.game.window_frames(self.id, seat["username"])
                ]
                assert offered == seat["frames_offered"]
                card = self.game.private_objective(self.id, seat["username"])
                assert card == seat["private_objective_id"]
                sender = self.chain.account(seat["username"])
                self.game.choose_frame(self.id, seat["frame_chosen"], sender=sender)

    def load(self, document: Json) -> None:
        self.id = self.game.load_game(json.dumps(document)).return_value

    def command(self, by: str, text: str, outcomes: Outcomes) -> str | None:
        sender = self.chain.account(by)
        with self.chain.loaded(**by_tag(outcomes)):
            receipt = self.game.execute_command(self.id, text, sender=sender, check=False)
        return None if receipt.error is None else receipt.error.text

    def turn_back_or_forth(self, operation: str) -> bool:
        """Undo or redo as the original does, by the contract's own entry if it may be called."""
        seen = self.seen()
        if not seen[f"{operation}_depth"]:
            return False
        sender, may = self.chain.account(seen["current"]), seen[f"{operation}_available"]
        receipt = getattr(self.game, operation)(self.id, sender=sender, check=False)
        assert receipt.ok == (may and not seen["ended"])
        if not receipt.ok:
            assert receipt.error.text == (GAME_FINISHED if seen["ended"] else NOT_AVAILABLE)
            getattr(self.game, f"{operation}_anyway")(self.id)
        return True

    def force_pass(self) -> None:
        self.chain.advance(TURN_TIME)
        self.game.force_pass(self.id)

    def data(self, player: str | None = None) -> Json:
        document: Json = json.loads(self.game.data(self.id, player))
        return document

    def legal(self) -> tuple[str, ...]:
        return tuple(self.game.legal_commands(self.id))

    def seen(self) -> Json:
        table = self.game.fields.tables[self.id]
        assert table is not None
        return {
            "undo_available": self.game.is_undo_available(self.id),
            "redo_available": self.game.is_redo_available(self.id),
            "undo_depth": table.undos,
            "redo_depth": table.redos,
            "ended": self.game.is_game_ended(self.id),
            "current": self.game.current_player(self.id),
            "score": {each.username: each.score for each in self.game.score(self.id)},
        }


def by_tag(outcomes: Outcomes) -> dict[str, list[int]]:
    """Return the outcomes to load, for every tag, so that nothing else is drawn."""
    return {tag: [value for other, value in outcomes if other == tag] for tag in TAGS}
