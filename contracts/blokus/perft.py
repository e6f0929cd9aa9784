"""Counting the lines of play of a given length: the figure by which move generators are compared.

A ply is a placement, or the pass of a player who has none. The last two plies are counted together:
where nothing the first player can place comes within reach of the second, the second has the same
placements after each of them. `divide` tells the figure for each first move, which finds the wrong
one when a figure is off.
"""

from __future__ import annotations

from contracts.blokus.legal import legal_moves
from contracts.blokus.move import Move
from contracts.blokus.rules import pass_turn, place, play
from contracts.blokus.state import State, next_player


def perft(state: State, depth: int) -> int:
    """How many lines of `depth` plies begin here; a game that ends earlier is none."""
    if depth == 0:
        return 1
    if not state.turn:
        return 0
    legal = legal_moves(state)
    if depth == 1:
        return len(legal) or 1
    if not legal:
        return perft(pass_turn(state), depth - 1)
    if depth == 2:
        return _last_two(state)
    return sum(perft(place(state, placement), depth - 1) for placement in legal.placements())


def divide(state: State, depth: int) -> tuple[tuple[Move, int], ...]:
    """`perft` for each placement, one ply further on; `depth` counts that ply too."""
    return tuple((move, perft(play(state, move), depth - 1)) for move in legal_moves(state))


def _last_two(state: State) -> int:
    legal = legal_moves(state)
    follower = next_player(state.seats, state.turn)
    replies = legal_moves(state, follower)
    in_reach = replies.reach()  # a lone player's own placements are all in it
    far = len(replies) or 1
    return sum(
        perft(place(state, placement), 1) if placement.squares & in_reach else far
        for placement in legal.placements()
    )
