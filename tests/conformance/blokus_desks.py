"""A game of Blokus in any position: by the bare rules, and on a chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chain import Address, Chain, call
from chain.types import u64
from contracts.blokus import Blokus, GameRecord, MoveRecord, PieceRecord, SeatRecord, StateRecord
from contracts.blokus.legal import Placement, legal_moves, placement_of
from contracts.blokus.move import Move
from contracts.blokus.pieces import pieces_in
from contracts.blokus.rules import Outcome, outcome, play, refusal
from contracts.blokus.scoring import scores
from contracts.blokus.state import Scoring, State, start
from tests.chain.helpers import failure_of

Record = dict[str, Any]

PAGE = 150


class RulesDesk:
    """A position, and what the rules say of it."""

    def __init__(self) -> None:
        self.state = start()

    def create_game(self, players: int, scoring: Scoring = Scoring.ORIGINAL) -> None:
        self.state = start(players, scoring)

    def lay_out(self, state: State) -> None:
        self.state = state

    def legal(self, player: int) -> tuple[int, int, list[Placement]]:
        legal = legal_moves(self.state, player)
        return len(legal), legal.count_moves(), list(legal.placements())

    def send(self, args: Record) -> str | None:
        try:
            return self.play(Move(**args))
        except ValueError as fault:
            return str(fault)

    def play(self, move: Move) -> str | None:
        """The reason why not; None if it was played."""
        reason = refusal(self.state, move)
        if reason is None:
            self.state = play(self.state, move)
        return reason

    def scores(self, scoring: Scoring) -> tuple[int, ...]:
        return scores(self.state, scoring)

    def outcome(self) -> Outcome | None:
        return outcome(self.state)

    def inventory(self, player: int) -> list[str]:
        return [piece.name for piece in pieces_in(self.state.seat(player).hand)]


class LaidOut(Blokus):
    """The contract with one entry more: a game that begins in any position."""

    @call
    def lay_out(self, state: StateRecord, accounts: tuple[Address, ...]) -> u64:
        self.created += 1
        players = len(state.seats)
        self.games[self.created] = GameRecord(players, players, state.scoring, state.turn)
        for player, seat in enumerate(state.seats, 1):
            self.seats[self.created, player] = seat
            self.accounts[self.created, player] = accounts[player - 1]
        return self.created


class ChainDesk:
    """The contract itself, asked by four accounts."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.accounts = tuple(self.chain.accounts[:4])
        self.blokus = self.chain.deploy(LaidOut)
        self.create_game(4)

    def create_game(self, players: int, scoring: Scoring = Scoring.ORIGINAL) -> None:
        first, *others = self.accounts[:players]
        self.game = self.blokus.create_game(players, scoring, sender=first).return_value
        for account in others:
            self.blokus.join(self.game, sender=account)

    def lay_out(self, state: State) -> None:
        seats = tuple(SeatRecord.of(seat) for seat in state.seats)
        record = StateRecord(seats, state.turn, state.scoring)
        self.game = self.blokus.lay_out(record, self.accounts).return_value

    @property
    def state(self) -> State:
        state: State = self.blokus.state(self.game).read()
        return state

    def legal(self, player: int) -> tuple[int, int, list[Placement]]:
        count = self.blokus.legal_count(self.game, player)
        moves = [move for page in self.pages(player) for move in page]
        placements = [placement_of(move.read()) for move in moves]
        return count.placements, count.moves, [each for each in placements if each]

    def pages(self, player: int) -> Iterator[tuple[MoveRecord, ...]]:
        start = 0
        page: tuple[MoveRecord, ...] = (MoveRecord(None, None, 0, 0),)
        while page:
            yield (page := self.blokus.legal_moves(self.game, player, start, PAGE))
            start += PAGE

    def send(self, args: Record) -> str | None:
        piece = args["piece"] and PieceRecord(args["piece"].name)
        return self.play(MoveRecord(**args | {"piece": piece}))

    def play(self, move: Move | MoveRecord) -> str | None:
        before = self.state
        sender = self.accounts[move.player_id - 1 if 1 <= move.player_id <= 4 else 0]
        receipt = self.blokus.make_move(self.game, move, sender=sender, check=False)
        if receipt.ok:
            return None
        assert (receipt.writes, list(receipt.events), self.state) == ([], [], before)
        return failure_of(receipt).text

    def scores(self, scoring: Scoring) -> tuple[int, ...]:
        found: tuple[int, ...] = self.blokus.scores(self.game, scoring)
        return found

    def outcome(self) -> Outcome | None:
        found: Outcome | None = self.blokus.outcome(self.game)
        return found

    def inventory(self, player: int) -> list[str]:
        return list(self.blokus.inventory(self.game, player))


Desk = RulesDesk | ChainDesk
