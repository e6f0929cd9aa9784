"""Who may do what: a player's seat, from creating a game to being paid for it.

A player sits in one game at a time. Whoever has neither created one nor is in the middle of one may
create or join; whoever was never seen reads as having finished. A call that comes out of order is
refused with one of five words, and nothing changes.
"""

from __future__ import annotations

from enum import Enum

from chain.types import felt252, u32


class GameStatus(Enum):
    """How a player stands to their game."""

    FINISHED = 0
    CREATED = 1
    CANCELED = 2
    IN_PROGRESS = 3


class Refusal(Enum):
    """Why a player may not do what they asked for."""

    PLAYER_NOT_IN_GAME = 0
    GAME_IS_ALREADY_FINISHED = 1
    NOT_YOUR_TURN = 2
    NOT_ENOUGH_JOKERS = 3
    CANT_FINISH_GAME = 4


def may_create(status: GameStatus) -> bool:
    return status not in (GameStatus.CREATED, GameStatus.IN_PROGRESS)


def may_join(host: GameStatus, guest: GameStatus) -> bool:
    """Whether the guest may; a host is no guest of their own game, having created it."""
    return host == GameStatus.CREATED and may_create(guest)


def may_cancel(status: GameStatus, board_id: felt252 | None) -> bool:
    """Whether there is a game to cancel: one that waits for its guest, or one with a board."""
    return status == GameStatus.CREATED or board_id is not None


def refusal_to_play(status: GameStatus, board_id: felt252 | None) -> Refusal | None:
    """Why this player may not move, if so. What still waits for its guest is no game yet."""
    if board_id is None or status == GameStatus.CREATED:
        return Refusal.PLAYER_NOT_IN_GAME
    if status == GameStatus.FINISHED:
        return Refusal.GAME_IS_ALREADY_FINISHED
    return None


def pay(balance: u32, games_played: felt252, total: u32) -> tuple[u32, felt252]:
    """The balance and the count of games after one more, whether won or lost."""
    return balance + total, games_played + 1
