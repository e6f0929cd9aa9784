"""Plans: the seats of the players, and the randomness of each game."""

from __future__ import annotations

import pytest

from chain.arena import Plan
from chain.arena.find_game import find_game
from chain.simulator.catalogue import ContractNotFound
from tests.chain.arena import nim

A, B, C = "abc"


def plan(*strategies: str, campaign: str = "") -> Plan:
    return Plan("nowhere", strategies, "", campaign)


@pytest.mark.parametrize(
    ("strategies", "seats"),
    [
        ((A, B), [(A, B), (B, A), (A, B), (B, A)]),
        ((A, B, C), [(A, B, C), (C, A, B), (B, C, A), (A, B, C)]),
        ((A, A), [(A, A)] * 4),
        ((A, B, A, B), [(A, B, A, B), (B, A, B, A)] * 2),
    ],
)
def test_strategies_move_on_by_seat(strategies: tuple[str, ...], seats: list[tuple[str, ...]]) -> None:  # fmt: skip
    assert [plan(*strategies).seats(number) for number in range(4)] == seats


@pytest.mark.parametrize(("strategies", "rounds"), [((A, B), 3), ((A, B, C), 2), ((A, A), 6)])
def test_games_of_round_share_seed(strategies: tuple[str, ...], rounds: int) -> None:
    seeds = [plan(*strategies).seed(number) for number in range(6)]
    assert len(set(seeds)) == rounds
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_seed_is_hash_of_campaign_and_round() -> None:
    """The seed is the first 53 bits of `printf 'spring/1' | sha256sum`."""
    assert plan(A, B, campaign="spring").seed(2) == 6402234691423031


@pytest.mark.parametrize(
    ("strategies", "told"),
    [
        (["perfect", "none"], "has no strategy 'none'; it has random, perfect, "),
        (["random"] * 3, "has 2 seats; 3 strategies are named"),
    ],
)
def test_wrong_strategies_are_refused(strategies: list[str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Plan.of(nim.__name__, strategies)


def test_one_strategy_sits_everywhere() -> None:
    assert Plan.of(nim.__name__, ["random"]).strategies == ("random", "random")


def test_module_without_game_is_refused() -> None:
    with pytest.raises(ContractNotFound, match="offers no game to play"):
        find_game("tests.chain.toys")
