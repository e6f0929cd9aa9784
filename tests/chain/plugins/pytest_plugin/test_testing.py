"""`reverts` and `assert_events`: what they match, and their messages."""

from __future__ import annotations

import re
from typing import Any

import pytest

import chain as boardchain
from chain import (
    Address,
    Chain,
    Contract,
    InvalidTransaction,
    Key,
    Revert,
    Reverted,
    call,
    error,
    event,
    require,
    view,
)
from chain.simulator.handle import Handle
from chain.testing import assert_events, reverts
from chain.types import u8


@error
class TooFar(Revert):
    by: u8
    who: Address


@error
class Closed(Revert):
    pass


@event
class Moved:
    player: Key[Address]
    piece: u8


@event
class Ended:
    winner: Address


class Board(Contract):
    @call
    def move(self, piece: u8) -> None:
        self.emit(Moved(self.caller, piece))
        require(piece < 9, "there is no such piece (try again)")

    @call
    def stray(self, by: u8) -> None:
        raise TooFar(by, self.caller)

    @call
    def close(self) -> None:
        raise Closed

    @call
    def divide(self) -> None:
        u = 0
        1 // u

    @call
    def end(self) -> None:
        self.emit(Moved(self.caller, 1))
        self.emit(Moved(self.caller, 2))
        self.emit(Ended(self.caller))

    @call
    def pass_on(self, by: u8) -> None:
        self.at(Board, self.address).stray(by)

    @view
    def look(self) -> u8:
        raise Revert("nothing to see")


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(Board)


# reverts


@pytest.mark.parametrize(
    "expected", [None, "", "no such piece", "piece (try again)", re.compile("such .*again"), Revert]
)
def test_text_is_matched(board: Handle, expected: Any) -> None:
    with reverts(expected):
        board.move(9)


def test_declared_errors_match(chain: Chain, board: Handle) -> None:
    with reverts(TooFar):
        board.stray(3)
    with reverts(TooFar(3, chain.accounts[1])):
        board.stray(3, sender=chain.accounts[1])
    with reverts(Closed):
        board.close()


def test_python_exceptions_match(board: Handle) -> None:
    with reverts(ZeroDivisionError):
        board.divide()
    with reverts(ArithmeticError):
        board.divide()


def test_views_revert_too(board: Handle) -> None:
    with reverts("nothing to see") as caught:
        board.look()
    assert not caught.receipt.ok


def test_caught_holds_the_record(chain: Chain, board: Handle) -> None:
    with reverts(TooFar) as caught:
        board.stray(3)
    assert caught.receipt == chain.receipts[-1]
    assert (caught.error.kind, caught.reverted and caught.reverted.receipt) == (
        "error",
        caught.receipt,
    )


def test_caught_is_empty_before(board: Handle) -> None:
    with reverts() as caught:
        with pytest.raises(AttributeError, match="nothing is caught before the 'with' ends"):
            caught.receipt  # noqa: B018  # asking is what fails
        board.close()


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (None, "nothing reverted; expected: any reason"),
        ("off", "nothing reverted; expected: 'off'"),
        (TooFar, "nothing reverted; expected: TooFar"),
    ],
)
def test_nothing_reverted(board: Handle, expected: Any, words: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(words)), reverts(expected):
        board.move(1)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("off the board", "not with: 'off the board'"),
        (re.compile("^no"), "not with: a match of '^no'"),
        (TooFar, "not with: TooFar"),
        (ZeroDivisionError, "not with: ZeroDivisionError"),
    ],
)
def test_another_reason_shows_both(board: Handle, expected: Any, words: str) -> None:
    with pytest.raises(AssertionError) as caught, reverts(expected):
        board.move(9)
    first, second = str(caught.value).splitlines()
    assert first.startswith("it reverted with: there is no such piece (try again) (")
    assert second == words
    assert isinstance(caught.value.__cause__, Reverted)


def test_other_fields_do_not_match(chain: Chain, board: Handle) -> None:
    expected = TooFar(4, chain.accounts[0])
    with pytest.raises(AssertionError, match=r"it reverted with: TooFar\(by=3"), reverts(expected):
        board.stray(3)
    with pytest.raises(AssertionError, match="not with: Closed"), reverts(Closed):
        board.stray(3)


def test_other_exceptions_pass(chain: Chain, board: Handle) -> None:
    with pytest.raises(InvalidTransaction), reverts():
        chain.send(board.address, gas=1)
    with pytest.raises(KeyError), reverts():
        raise KeyError


def test_out_of_gas_by_text(board: Handle) -> None:
    with reverts("ran out of gas"):
        board.move(1, gas=22_000)


@pytest.mark.parametrize("expected", [5, ValueError("x"), int, ["text"]])
def test_invalid_reason_is_refused(expected: Any) -> None:
    with (
        pytest.raises(TypeError, match="is not a reason to revert: give a text, a pattern"),
        reverts(expected),
    ):
        raise AssertionError("the scope was entered")


def test_names_are_exported() -> None:
    assert boardchain.reverts is reverts
    assert set(boardchain.__all__) <= set(dir(boardchain))
    with pytest.raises(AttributeError, match="module 'chain' has no 'bored'"):
        boardchain.bored  # noqa: B018  # asking is what fails


def test_every_public_name_is_there() -> None:
    homes = {name for names in boardchain._HOMES.values() for name in names}
    assert homes == set(boardchain.__all__)
    assert all(getattr(boardchain, name) is not None for name in boardchain.__all__)


# assert_events


@pytest.fixture
def ended(chain: Chain, board: Handle) -> Any:
    return board.end()


def test_events_in_order(chain: Chain, board: Handle, ended: Any) -> None:
    alice = chain.accounts[0]
    assert_events(ended, Moved(alice, 1), Moved(alice, 2), Ended(alice))
    assert_events(ended, Moved, Ended)
    assert_events(ended, "Moved", (Moved, {"piece": 2}), ("Ended", {}))
    assert_events(ended, (Moved, {"player": alice, "piece": 1}))
    assert_events(ended)


def test_handle_in_an_expected_event_is_its_address(chain: Chain, board: Handle) -> None:
    ended = board.end(sender=board)
    assert_events(ended, (Moved, {"player": board}), Ended(board))  # type: ignore[arg-type]  # on purpose


def test_events_of_whole_chain(chain: Chain, board: Handle, ended: Any) -> None:
    board.move(7)
    assert_events(chain, Ended, (Moved, {"piece": 7}))
    assert_events(chain.events(Moved), (Moved, {"piece": 7}))
    assert_events(board.end.simulate(), Ended)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ([(Moved, {"piece": 3})], "no Moved(piece=3, …) was emitted; the events are:\n  Moved("),
        ([Ended, Moved], "no Moved was emitted after Ended; the events are:\n  Moved("),
        (
            [(Moved, {"piece": 2}), (Moved, {"piece": 1})],
            "no Moved(piece=1, …) was emitted after Moved(piece=2, …); the",
        ),
        ([Moved, Moved, Moved], "no Moved was emitted after Moved"),
        ([Ended, Ended], "no Ended was emitted after Ended"),
        (["Never"], "no Never was emitted"),
    ],
)
def test_missing_events_show_all(ended: Any, expected: list[Any], words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_events(ended, *expected)
    assert str(caught.value).startswith(words)
    assert str(caught.value).count("\n  ") == 3


def test_no_events_at_all(chain: Chain, board: Handle) -> None:
    failed = board.move(9, check=False)
    with pytest.raises(AssertionError, match="no Moved was emitted; the events are: none"):
        assert_events(failed, Moved)
    assert_events(failed.undone_events, Moved)
