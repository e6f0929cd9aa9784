"""The activity on a chain, as text for people."""

from __future__ import annotations

from textwrap import dedent

import pytest

from chain import Address, Chain, Contract, Key, Revert, call, error, event, init, require
from chain.simulator.handle import Handle
from chain.types import u8, u64
from tests.chain.helpers import failure_of
from tests.chain.toys import Side, Spot


@event
class Moved:
    player: Key[Address]
    side: Side
    spots: tuple[Spot, ...]


@event
class Noted:
    by: Key[str]
    raw: bytes


@error
class TooFar(Revert):
    by: u64


class Notes(Contract):
    @call
    def note(self, by: str) -> None:
        self.emit(Noted(by, b"\x01" * 40))


class Board(Contract):
    notes: Address

    @init
    def new(self, notes: Address) -> None:
        self.notes = notes

    @call
    def move(self, side: Side, x: u8) -> tuple[u8, Address]:
        self.log(f"{'.' * x}x\nend")
        self.emit(Moved(self.caller, side, (Spot(x, self.caller), Spot(x, None))))
        require(x < 7, "off the board")
        if x == 6:
            raise TooFar(1)
        return x, self.caller

    @call(payable=True)
    def tell(self, text: str, spots: list[Spot]) -> None:
        self.at(Notes, self.notes).note(text)

    @call
    def open(self) -> None:
        self.at(Board, self.deploy(Board, self.notes)).move(Side.RED, 0)

    @call
    def hidden(self) -> None:
        self._frame.emit((1, 2), b"\x05")


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # one reaches behind its class


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(Board, chain.deploy(Notes).address)


def without_gas(text: str) -> str:
    return "\n".join(
        line.rpartition(" [")[0] if line.endswith(" gas]") else line for line in text.splitlines()
    )


def tale(text: str) -> str:
    return dedent(text).strip("\n")


def test_play_is_reported(chain: Chain, board: Handle) -> None:
    alice, first = chain.accounts[0], chain.account("first.testnet")
    board.move(Side.RED, 2, sender=first)
    chain.advance(65)
    with chain.block():
        board.tell("hé", [Spot(1, alice)], value=3)
        board.tell("", [])
    chain.send(chain.accounts[1], value=5)
    assert without_gas(chain.activity()) == tale(
        """
        1 +1s alice: deploy Notes() ok
        2 +2s alice: deploy Board(Notes) ok
        3 +3s first.testnet: Board.move(RED, 2) -> (2, first.testnet)
            | ..x
            | end
            Moved(player=first.testnet, side=RED, spots=(Spot(x=2, owner=first.testnet), Spot(x=2, owner=None)))
        4 +68s alice: Board.tell('hé', [Spot(x=1, owner=alice)]) with 3 wei ok
            Notes: Noted(by='hé', raw=0x0101010101010101010101010101010101010101010101010101010101010101… (40 bytes))
        4 +68s alice: Board.tell('', []) ok
            Notes: Noted(by='', raw=0x0101010101010101010101010101010101010101010101010101010101010101… (40 bytes))
        5 +69s alice: send 5 wei to bob ok
        """
    )


def test_failures_are_reported(chain: Chain, board: Handle) -> None:
    late = board.move(Side.BLUE, 7, check=False)
    far = board.move(Side.BLUE, 6, check=False)
    stray = chain.send(board.address, b"\x01\x02\x03\x04", gas=100_000)
    told = without_gas(chain.activity(since=2))
    assert late.error.place.endswith(".py:" + str(late.error.line))
    assert told == tale(
        f"""
        3 +3s alice: Board.move(BLUE, 7) failed: off the board at {late.error.place}
            undone | .......x
            undone | end
            undone Moved(player=alice, side=BLUE, spots=(Spot(x=7, owner=alice), Spot(x=7, owner=None)))
        4 +4s alice: Board.move(BLUE, 6) failed: TooFar(by=1) at {far.error.place}
            undone | ......x
            undone | end
            undone Moved(player=alice, side=BLUE, spots=(Spot(x=6, owner=alice), Spot(x=6, owner=None)))
        5 +5s alice: send 0 wei to Board data 0x01020304 failed: {failure_of(stray).text}
        """
    )


def test_contracts_are_numbered(chain: Chain, board: Handle) -> None:
    board.open()
    chain.deploy(Board, Address(bytes(range(20))), sender=chain.accounts[1])
    assert without_gas(chain.activity(since=2)) == tale(
        """
        3 +3s alice: Board.open() ok
            Board#2: | x
            Board#2: | end
            Board#2: Moved(player=Board, side=RED, spots=(Spot(x=0, owner=Board), Spot(x=0, owner=None)))
        4 +4s bob: deploy Board(0x0001…1213) as Board#3
        """
    )


def test_unknown_logs_are_reported(chain: Chain, board: Handle) -> None:
    board.hidden()
    log = chain.activity(since=2).splitlines()[1]
    assert log == f"    log [{1:#066x}, {2:#066x}] 0x05"


def test_gas_is_reported(chain: Chain, board: Handle) -> None:
    receipt = board.move(Side.RED, 1)
    assert (
        chain.activity(since=receipt.position)
        .splitlines()[0]
        .endswith(f" [{receipt.gas_used} gas]")
    )


def test_same_play_same_activity() -> None:
    def played() -> str:
        chain = Chain()
        notes = chain.deploy(Notes, sender=chain.account("first.testnet"))
        notes.note("x")
        return chain.activity()

    assert played() == played()


def test_empty_chain_shows_nothing(chain: Chain) -> None:
    assert chain.activity() == ""
