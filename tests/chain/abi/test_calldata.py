"""Any bytes sent to a contract give a receipt: a recorded revert, unless they are well-formed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from random import Random
from typing import Any

import pytest

from chain import Address, Chain, Contract, Map, Vector, call, init, view
from chain.abi import BadData
from chain.simulator.handle import Handle
from chain.types import ZERO_ADDRESS, bytes4, bytes32, felt252, i8, i128, u8, u64, u256

MANY = 5_000


class Suit(Enum):
    CLUBS = 1
    HEARTS = 2


@dataclass(frozen=True)
class Card:
    suit: Suit
    rank: u8

    def __post_init__(self) -> None:
        if self.rank > 13:
            raise ValueError(f"there is no card {self.rank}")


@dataclass(frozen=True)
class Hand:
    owner: Address
    name: str
    cards: list[Card]
    trump: Card | None


class Table(Contract):
    """Takes arguments of every kind, and writes first."""

    calls: u64
    hands: Vector[Hand]
    marks: Map[bytes4, u256 | None]

    @call
    def numbers(self, a: u8, b: i8, c: i128, d: u256, e: felt252, f: bool) -> u64:
        self.calls += 1
        return self.calls

    @call
    def mark(self, key: bytes4, value: u256 | None, proof: bytes32) -> None:
        self.marks[key] = value

    @call
    def deal(self, hands: list[Hand]) -> None:
        for hand in hands:
            self.hands.append(hand)

    @call
    def talk(
        self, text: str, raw: bytes, more: list[list[str]], pairs: tuple[str, list[u8 | None]]
    ) -> None:
        self.calls += 1

    @view
    def show(self, index: u64, suits: list[Suit]) -> Hand:
        return self.hands[index]


HAND = Hand(ZERO_ADDRESS, "Ann", [Card(Suit.CLUBS, 1), Card(Suit.HEARTS, 13)], Card(Suit.HEARTS, 5))

# The calls from which malformed ones are made.
CALLS: dict[str, tuple[Any, ...]] = {
    "numbers": (1, -1, -2, 3, 4, True),
    "mark": (b"abcd", 5, bytes(32)),
    "deal": ([HAND, HAND],),
    "talk": ("hi", b"raw" * 20, [["a", "b"], []], ("c" * 40, [1, None])),
    "show": (0, [Suit.CLUBS]),
}

WORDS = [
    n.to_bytes(32, signed=n < 0)
    for n in (0, 1, 2, 31, 32, 33, 64, 96, 256, 2**64, 2**200, 2**254, -1, -32)
]


def malformed(rng: Random, good: list[bytes]) -> Iterator[bytes]:
    """Endless bytes: random ones, and good calldata with words replaced, removed or added, bits flipped, or truncated."""
    while True:
        data = bytearray(rng.choice(good))
        for _ in range(rng.randint(1, 3)):
            at = 4 + 32 * rng.randrange(len(data) // 32 + 1)
            match rng.randrange(7):
                case 0:
                    data[at : at + 32] = rng.choice(WORDS)
                case 1:
                    data[at : at + 32] = rng.randbytes(32)
                case 2:
                    del data[at : at + 32]
                case 3:
                    data[at:at] = rng.choice(WORDS)
                case 4:
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                case 5:
                    del data[rng.randrange(4, len(data) + 1) :]
                case 6:
                    data[4:] = rng.randbytes(rng.randrange(200))
        yield bytes(data) if rng.random() < 0.95 else rng.randbytes(rng.randrange(300))


def reads_well(data: bytes) -> bool:
    entry = Table.__spec__.by_selector.get(data[:4])
    try:
        return entry is not None and entry.decode_args(data) is not None
    except BadData:
        return False


def state_parts(chain: Chain, sender: Address) -> Any:
    """Return the content of a state root, except the account that pays."""
    accounts = {at: account for at, account in chain.state.accounts.items() if at != sender}
    return accounts, {at: dict(words) for at, words in chain.state.storages.items() if words}


@pytest.fixture
def table(chain: Chain) -> Handle:
    return chain.deploy(Table)


@pytest.fixture
def good(table: Handle) -> list[bytes]:
    return [getattr(table, name).calldata(*args) for name, args in CALLS.items()]


def test_malformed_calldata_is_recorded_revert(
    chain: Chain, table: Handle, good: list[bytes]
) -> None:
    sender = chain.accounts[1]
    assert all(chain.send(table.address, data, sender=sender).ok for data in good)
    before = state_parts(chain, sender)
    bad = (data for data in malformed(Random(1), good) if not reads_well(data))
    for data in islice(bad, MANY):
        receipt = chain.send(table.address, data, sender=sender)
        assert (receipt.status, receipt.data, receipt.log_rows) == (0, data, ())
        assert receipt.error is not None and receipt.error.text
    assert state_parts(chain, sender) == before


def test_any_calldata_gives_receipt(chain: Chain, table: Handle, good: list[bytes]) -> None:
    sender, before = chain.accounts[1], state_parts(chain, chain.accounts[1])
    for data in islice(malformed(Random(2), good), 1_500):
        with chain.anchor():
            receipt = chain.send(table.address, data, sender=sender)
            assert receipt.ok or (receipt.error is not None and receipt.error.text)
            assert receipt.ok or state_parts(chain, sender) == before
            assert reads_well(data) or not receipt.ok


class Seats(Contract):
    names: Vector[str]

    @init
    def new(self, names: list[str], first: u8 | None) -> None:
        for name in names:
            self.names.append(name)


def test_malformed_init_code_is_recorded_revert(chain: Chain) -> None:
    program, sender = chain.declare(Seats), chain.accounts[1]
    chain.deploy(Seats, ["Ann", "Bob"], 1, sender=sender)
    good = b"init" + chain.receipts[-1].data[len(program.initcode) :]
    before = state_parts(chain, sender)
    for data in islice(malformed(Random(3), [good]), 1_000):
        with chain.anchor():
            receipt = chain.send(None, program.initcode + data[4:], sender=sender)
            assert receipt.ok or (receipt.error is not None and receipt.error.text)
            assert receipt.ok or state_parts(chain, sender) == before


REFUSALS: list[tuple[bytes, str]] = [
    (b"", "Table takes no plain transfer: it has no '@call(payable=True) def receive(self)'"),
    (b"abc", "Table: 0x616263 is too short to name an entry"),
    (b"abcd", "Table has no entry with selector 0x61626364"),
]


@pytest.mark.parametrize(("data", "text"), REFUSALS)
def test_unknown_entry_is_named(chain: Chain, table: Handle, data: bytes, text: str) -> None:
    receipt = chain.send(table.address, data)
    assert receipt.error is not None and (receipt.error.kind, receipt.error.text) == (
        "refused",
        text,
    )


def test_refusal_names_argument_deep_inside(chain: Chain, table: Handle) -> None:
    data = table.deal.calldata([HAND]).replace((13).to_bytes(32), (14).to_bytes(32))
    receipt = chain.send(table.address, data)
    assert str(receipt.error) == "deal: hands[0].cards[1]: there is no card 14"
