"""Queries for more than equal values: numbers from and to, one of several, parts of texts, reasons, accounts anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from chain import (
    Address,
    Chain,
    Contract,
    Revert,
    at_least,
    at_most,
    call,
    containing,
    error,
    event,
    one_of,
    require,
)
from chain.types import i256, u8
from tests.chain.toys import Side

WIDE = [0, 5, 2**70, -(2**70), 2**63, -(2**63), 2**64]
EDGES = [0, 5, 2**63 - 1, 2**63, 2**64, 2**80, -(2**63), -(2**63) - 1, -(2**80)]


@event
class Played:
    number: u8
    player: Address
    side: Side
    wide: i256
    note: str
    friends: list[Address]


@error
class TooFar(Revert):
    by: u8


class Game(Contract):
    @call(payable=True)
    def play(self, number: u8, side: Side, wide: i256, note: str, friends: list[Address]) -> None:
        require(number < 100, "too many points")
        if number > 50:
            raise TooFar(number)
        self.emit(Played(number, self.caller, side, wide, note, friends))


@pytest.fixture(scope="module")
def chain() -> Chain:
    """Plays 0 to 6 by alice and bob in turn, the odd ones red; dora is a friend in 3; then two that fail."""
    chain = Chain()
    game, people, dora = chain.deploy(Game), chain.accounts[:2], chain.account("dora")
    for i, wide in enumerate(WIDE):
        side, friends = (Side.RED if i % 2 else Side.BLUE), ([dora] if i == 3 else [])
        note = ["for fun", "alice", "dora"][i % 3]
        game.play(i, side, wide, note, friends, sender=people[i % 2], value=i * 2**63)
    for number in (60, 120):
        game.play(number, Side.RED, 0, "", [], check=False)
    return chain


def numbers(found: Iterable[Any]) -> list[int]:
    return [each.number for each in found]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"side": "RED"}, [1, 3, 5]),
        ({"side": "red"}, [1, 3, 5]),
        ({"side": Side.RED.value}, [1, 3, 5]),
        ({"player": "bob"}, [1, 3, 5]),
        ({"number": at_least(4)}, [4, 5, 6]),
        ({"number": at_most(2), "side": Side.RED}, [1]),
        ({"number": one_of(1, 2, 99)}, [1, 2]),
        ({"number": one_of()}, []),
        ({"player": one_of("bob", "dora")}, [1, 3, 5]),
        ({"note": containing("fun")}, [0, 3, 6]),
        ({"note": containing("%")}, []),
    ],
)
def test_events_by_comparison(chain: Chain, values: dict[str, Any], expected: list[int]) -> None:
    assert numbers(chain.events(Played, **values)) == expected
    assert numbers(chain.events("Played").where(**values)) == expected


@pytest.mark.parametrize("edge", EDGES)
def test_numbers_of_any_size_are_compared_exactly(chain: Chain, edge: int) -> None:
    above = [i for i, wide in enumerate(WIDE) if wide >= edge]
    below = [i for i, wide in enumerate(WIDE) if wide <= edge]
    assert numbers(chain.events(Played, wide=at_least(edge))) == above
    assert numbers(chain.events(Played, wide=at_most(edge))) == below


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"error": TooFar}, [8]),
        ({"error": TooFar(60)}, [8]),
        ({"error": TooFar(61)}, []),
        ({"error": "too many points"}, [9]),
        ({"error": containing("many")}, [9]),
        ({"error": one_of("too many points", TooFar)}, [8, 9]),
        ({"error": None, "entry": "play"}, [*range(1, 8)]),
        ({"value": at_least(2**64)}, [3, 4, 5, 6, 7]),
        ({"value": 2**64}, [3]),
        ({"entry": one_of("play"), "ok": False}, [8, 9]),
        ({"gas_used": at_least(10**7)}, []),
    ],
)
def test_receipts_by_comparison(chain: Chain, values: dict[str, Any], expected: list[int]) -> None:
    assert [each.position for each in chain.receipts.where(**values)] == expected


def test_events_and_receipts_that_concern_an_account(chain: Chain) -> None:
    dora = chain.address_of("dora")
    for account in (dora, "dora", str(dora).lower()):
        assert numbers(chain.events().concerning(account)) == [2, 3, 5]
        assert [each.position for each in chain.receipts.concerning(account)] == [3, 4, 6]
    assert numbers(chain.events(Played, side="RED").concerning("bob")) == [1, 3, 5]
    game = chain.contract("Game")
    assert chain.receipts.concerning(game).count() == len(chain.receipts)


MISTAKES: list[tuple[Callable[[Chain], object], str]] = [
    (lambda chain: chain.events(Played, side="PINK"), "Played.side = 'PINK': it is one of RED"),
    (lambda chain: chain.events(Played, side=7), "Played.side = 7: it is one of RED"),
    (lambda chain: chain.events(Played, side=one_of("PINK")), "Played.side = 'PINK': it is one of"),
    (lambda chain: chain.events(Played, side=at_least(1)), "at_least(1): it holds no numbers"),
    (lambda chain: chain.events(Played, player="zoe"), "this chain has no account of that name"),
    (lambda chain: chain.events(Played, number=at_least(300)), "300 does not fit u8 (0..255)"),
    (lambda chain: chain.events(Played, number=containing("1")), "it holds no texts"),
    (lambda chain: chain.events().concerning("zoe"), "this chain has no account of that name"),
    (lambda chain: chain.receipts.where(error=ValueError), "a declared error or None"),
    (lambda chain: chain.receipts.where(gas_used=containing("1")), "it is a number"),
    (lambda chain: chain.receipts.where(gas_used="1"), "gas_used = '1' is not a whole number"),
    (lambda chain: chain.receipts.where(sender=at_least(1)), "it takes a value, or one_of"),
    (lambda chain: containing(5), "the text = 5 is not a text"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "why"), MISTAKES, ids=[why for _, why in MISTAKES])
def test_what_a_field_cannot_hold_is_refused(
    chain: Chain, ask: Callable[[Chain], object], why: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        ask(chain)
    assert why in str(refused.value)
