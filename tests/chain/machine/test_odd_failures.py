"""A contract that fails in an odd way fails like any other: in a receipt, with a message that can be stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain, Contract, Revert, call, error
from chain.types import u8
from tests.chain.helpers import untyped


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@error
class Shy(Revert):
    n: u8

    def __repr__(self) -> str:
        raise ValueError("no words")


FIVE, shy = untyped(5), untyped(Shy)  # what a type checker would refuse


class Clumsy(Contract):
    n: u8

    @call
    def mute(self) -> None:
        raise Mute

    @call
    def shy(self) -> None:
        raise Shy(5)

    @call
    def number_for_text(self) -> None:
        raise Revert(FIVE)

    @call
    def half_a_character(self) -> None:
        raise Revert("\ud800!")

    @call
    def number_too_long(self) -> None:
        raise AssertionError(10**5000)

    @call
    def number_too_long_to_keep(self) -> None:
        self.n = 10**600

    @call
    def error_without_its_fields(self) -> None:
        raise shy()


WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "sender that nobody is": (
        lambda c: c.deploy(Clumsy, sender="bert"),
        "sender is 'bert': this chain has no account of that name",
    ),
    "sender by number": (
        lambda c: c.deploy(Clumsy).mute(sender=3),
        "sender = 3 is not an account: ",
    ),
    "no contract": (lambda c: c.deploy(int), "<class 'int'> is not a contract: "),
    "handle": (
        lambda c: c.deploy(c.deploy(Clumsy)),
        "> is not a contract: pass a class that derives",
    ),
    "no snapshot": (lambda c: c.revert(7), "7 is not a snapshot: "),
    "no blocks": (lambda c: c.mine(-1), "mine 0 or more, not -1"),
}


@pytest.mark.parametrize(("do", "says"), WRONG.values(), ids=WRONG.keys())
def test_wrong_argument_is_reported(do: Callable[[Chain], object], says: str) -> None:
    with pytest.raises((TypeError, ValueError)) as wrong:
        do(Chain())
    assert says in str(wrong.value)


SAID = {
    "mute": "Mute: its message cannot be read",
    "shy": "Shy(n=5)",
    "number_for_text": "5",
    "half_a_character": "?!",
    "number_too_long": "its message cannot be read",
    "number_too_long_to_keep": "Clumsy.n = a number of 1994 bits does not fit u8 (0..255)",
    "error_without_its_fields": "TypeError: Shy.__init__() missing 1 required positional argument: 'n'",
}


@pytest.mark.parametrize("entry", SAID)
def test_failure_is_recorded(chain: Chain, entry: str) -> None:
    receipt = getattr(chain.deploy(Clumsy), entry)(check=False)
    assert (receipt.status, receipt.error.text) == (0, SAID[entry])
    assert receipt.error.file == __file__
