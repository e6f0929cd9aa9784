"""Random games, the same for the same seed: positions to test with and work to measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from contracts.blokus.legal import legal_moves
from contracts.blokus.move import Move, pass_of
from contracts.blokus.rules import pass_turn, place, play
from contracts.blokus.state import Scoring, State, start


def random_game(
    seed: int, players: int = 4, scoring: Scoring = Scoring.ORIGINAL
) -> Iterator[State]:
    """The positions of a game in which all place at random, from the first to the last one."""
    chance = Random(seed)
    state = start(players, scoring)
    yield state
    while state.turn:
        placements = tuple(legal_moves(state).placements())
        state = place(state, chance.choice(placements)) if placements else pass_turn(state)
        yield state


def random_moves(
    seed: int, players: int = 4, scoring: Scoring = Scoring.ORIGINAL
) -> Iterator[Move]:
    """A game in which all choose among all their moves at random, by its moves, passes included."""
    chance = Random(seed)
    state = start(players, scoring)
    while state.turn:
        moves = tuple(legal_moves(state).moves())
        move = chance.choice(moves) if moves else pass_of(state.turn)
        state = play(state, move)
        yield move


def midgame(seed: int = 1, ply: int = 24) -> State:
    """A position with many moves."""
    return tuple(random_game(seed))[ply]


def count_all_moves(states: Sequence[State]) -> int:
    """Lists every legal move of every position, as a game does that shows them to its players."""
    return sum(len(tuple(legal_moves(state))) for state in states)
