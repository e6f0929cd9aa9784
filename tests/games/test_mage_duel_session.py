"""Sessions: who may create, join, cancel and play, and what a game pays."""

from __future__ import annotations

import pytest

from contracts.mage_duel.session import (
    GameStatus,
    Refusal,
    may_cancel,
    may_create,
    may_join,
    pay,
    refusal_to_play,
)

FINISHED, CREATED, CANCELED, IN_PROGRESS = GameStatus
FREE = (FINISHED, CANCELED)


@pytest.mark.parametrize("status", GameStatus)
def test_one_game_at_a_time(status: GameStatus) -> None:
    assert may_create(status) == (status in FREE)


@pytest.mark.parametrize("host", GameStatus)
@pytest.mark.parametrize("guest", GameStatus)
def test_free_guest_joins_waiting_host(host: GameStatus, guest: GameStatus) -> None:
    assert may_join(host, guest) == (host == CREATED and guest in FREE)


@pytest.mark.parametrize(
    ("status", "board_id", "may"),
    [
        (FINISHED, None, False),
        (CANCELED, None, False),
        (CREATED, None, True),
        (CREATED, 0, True),
        (IN_PROGRESS, 0, True),
        (FINISHED, 0, True),
    ],
)
def test_only_a_game_is_canceled(status: GameStatus, board_id: int | None, may: bool) -> None:
    assert may_cancel(status, board_id) is may


@pytest.mark.parametrize(
    ("status", "board_id", "refusal"),
    [
        (FINISHED, None, Refusal.PLAYER_NOT_IN_GAME),
        (CREATED, None, Refusal.PLAYER_NOT_IN_GAME),
        (CREATED, 0, Refusal.PLAYER_NOT_IN_GAME),
        (CANCELED, None, Refusal.PLAYER_NOT_IN_GAME),
        (FINISHED, 0, Refusal.GAME_IS_ALREADY_FINISHED),
        (IN_PROGRESS, 0, None),
    ],
)
def test_only_a_running_game_is_played(
    status: GameStatus, board_id: int | None, refusal: Refusal | None
) -> None:
    assert refusal_to_play(status, board_id) == refusal


def test_game_pays_its_total() -> None:
    assert pay(1000, 5, 280) == (1280, 6)
