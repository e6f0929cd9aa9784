"""The writes of a receipt: the words that a transaction changed, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Map, Reverted, Set, Vector, call, init
from chain.ledger.decoded.writes import Write
from chain.machine.state import iter_changes
from chain.types import i16, u8, u16, u64, u256

ALICE, BOB = Chain().accounts[:2]


class Suit(Enum):
    CLUBS = 0
    HEARTS = 1


@dataclass(frozen=True)
class Point:
    x: i16
    y: i16


@dataclass(frozen=True)
class Cube:
    position: Point
    suit: Suit
    owner: Address | None


@dataclass(frozen=True)
class Game:
    name: str
    board: tuple[Cube, ...]
    winner: Cube | None
    pair: tuple[u8, u8]
    long: Point | None
    moves: u256


@dataclass(frozen=True)
class Session:
    game: Game
    notes: tuple[str, ...] | None


@dataclass
class Bag:
    counts: dict[str, u8]
    codes: set[u8]

    def add(self, name: str) -> None:
        self.counts[name] = 1
        self.codes.add(9)


class Lab(Contract):
    """A field of every layout, and a way to change it inside one message."""

    low: u8
    high: u16
    motto: str
    sizes: tuple[u16, ...]
    session: Session
    sessions: Vector[Session]
    prices: Map[str, u64]
    grid: Map[tuple[u8, Address], Map[u64, Point]]
    piles: Map[u64, Vector[u8]]
    seen: Set[u16]
    seats: dict[Address, u8]
    bags: list[Bag]
    cell: Point | None

    @call
    def work(self) -> None:
        job[0](self)

    @call
    def fail_inside(self) -> None:
        self.low = 1
        try:
            self.at(Lab, self.address).spoil()
        except ValueError:
            raise
        except Exception:
            self.high = 2

    @call(nonreentrant=False)
    def spoil(self) -> None:
        self.low = 9
        raise ArithmeticError("spoiled")


job: list[Callable[[Any], object]] = []


@pytest.fixture
def lab() -> Any:
    return Chain(guard=False).deploy(Lab)  # it catches what no contract may


def work(on: Any, *steps: Callable[[Any], object], check: bool = True) -> Any:
    """The receipt of the last of these steps."""
    receipt = None
    for step in steps:
        job[:] = [step]
        receipt = on.work(check=check)
    return receipt


def writes_of(on: Any, *steps: Callable[[Any], object]) -> list[str]:
    return [str(write) for write in work(on, *steps).writes]


def put(name: str, value: Any) -> Callable[[Any], None]:
    return lambda lab: setattr(lab, name, value)


# One by one


BLANK = Game("", (), None, (0, 0), None, 0)
CUBE = Cube(Point(0, 0), Suit.CLUBS, None)


def with_board(*cubes: Cube) -> Session:
    return Session(Game("a", cubes, None, (0, 0), None, 0), None)


TOLD_SESSION = (
    "Session(game=Game(name='a', board=(Cube(position=Point(x=0, y=0), suit=CLUBS, owner=None),), winner=None, pair=(0, 0),"
    " long=None, moves=0), notes=None)"
)
TOLD: list[tuple[list[Callable[[Any], object]], list[str]]] = [
    ([put("low", 7)], ["Lab.low: 0 -> 7"]),
    ([put("low", 7), put("high", 8)], ["Lab.high: 0 -> 8"]),  # in one word
    ([put("low", 7), put("low", 7)], []),
    ([put("motto", "hello")], ["Lab.motto: '' -> 'hello'"]),
    ([put("sizes", (1, 2, 3)), put("sizes", (1, 5, 3))], ["Lab.sizes[1]: 2 -> 5"]),
    (
        [put("sizes", (1, 2)), put("sizes", (1,))],
        ["Lab.sizes.length: 2 -> 1", "Lab.sizes[1]: removed 2"],
    ),
    ([put("cell", Point(1, -2))], ["Lab.cell: None -> Point(x=1, y=-2)"]),
    ([put("cell", Point(1, -2)), put("cell", Point(1, 3))], ["Lab.cell.y: -2 -> 3"]),
    (
        [
            put("session", with_board(CUBE)),
            put("session", with_board(Cube(Point(0, 4), Suit.HEARTS, ALICE))),
        ],
        [
            "Lab.session.game.board[0].position.y: 0 -> 4",
            "Lab.session.game.board[0].suit: CLUBS -> HEARTS",
            "Lab.session.game.board[0].owner: None -> alice",
        ],
    ),
    (
        [
            lambda lab: lab.sessions.append(with_board(CUBE)),
            lambda lab: lab.sessions.__setitem__(
                0, with_board(Cube(Point(5, 0), Suit.CLUBS, None))
            ),
        ],
        ["Lab.sessions[0].game.board[0].position.x: 0 -> 5"],
    ),
    (
        [lambda lab: lab.sessions.append(Session(BLANK, None))],
        ["Lab.sessions.length: 0 -> 1"],
    ),
    ([lambda lab: lab.prices.__setitem__("tea", 3)], ["Lab.prices['tea']: 0 -> 3"]),
    (
        [lambda lab: lab.grid[2, ALICE].__setitem__(9, Point(0, 1))],
        ["Lab.grid[(2, alice)][9].y: 0 -> 1"],
    ),
    (
        [lambda lab: lab.piles[4].append(6)],
        ["Lab.piles[4][0]: 0 -> 6", "Lab.piles[4].length: 0 -> 1"],
    ),
    (
        [lambda lab: lab.seen.add(77)],
        ["77 in Lab.seen: False -> True"],
    ),
    (
        [lambda lab: lab.seen.update((5, 6, 7)), lambda lab: lab.seen.remove(5)],
        ["5 in Lab.seen: True -> False"],  # the last item takes its place
    ),
    (
        [
            lambda lab: lab.seats.update({ALICE: 1, BOB: 2, Address(bytes(20)): 3}),
            lambda lab: lab.seats.pop(BOB),
        ],
        ["Lab.seats[bob]: 2 -> 0", "bob in Lab.seats: True -> False"],
    ),
    (
        [lambda lab: lab.sessions.append(with_board(CUBE)), lambda lab: lab.sessions.pop()],
        ["Lab.sessions.length: 1 -> 0", f"Lab.sessions[0]: removed {TOLD_SESSION}"],
    ),
    (
        [lambda lab: lab.bags.append(Bag({"tea": 1}, {3})), lambda lab: lab.bags[0].add("rum")],
        [
            "Lab.bags[0].counts: {'tea': 1} -> {'tea': 1, 'rum': 1}",
            "Lab.bags[0].codes: {3} -> {3, 9}",
        ],
    ),
    ([lambda lab: (setattr(lab, "low", 5), setattr(lab, "low", 0))], []),
    ([lambda lab: (setattr(lab, "low", 5), setattr(lab, "low", 6))], ["Lab.low: 0 -> 6"]),
]


@pytest.mark.parametrize(("steps", "lines"), TOLD)
def test_writes_name_what_changed(
    lab: Any, steps: list[Callable[[Any], object]], lines: list[str]
) -> None:
    assert writes_of(lab, *steps) == lines


def test_write_carries_its_parts(lab: Any) -> None:
    write = work(lab, lambda lab: lab.grid[2, ALICE].__setitem__(9, Point(0, 1))).writes[0]
    assert write == Write(lab.address, "Lab", "grid", ((2, ALICE), 9), "y", 0, 1)
    assert (write.field, write.model, write.key) == ("grid", None, ((2, ALICE), 9))


def test_write_to_a_map_has_its_key(lab: Any) -> None:
    price, low = work(
        lab, lambda lab: (lab.prices.__setitem__("tea", 3), setattr(lab, "low", 1))
    ).writes
    assert (price.key, low.key) == ("tea", None)


def test_long_text_is_reported_once_and_in_full(lab: Any) -> None:
    first, second = "x" * 90, "x" * 80 + "y" * 10
    receipt = work(lab, put("motto", first), put("motto", second))
    work(lab, put("motto", "short"), put("motto", first[::-1]))
    assert receipt.writes == [Write(lab.address, "Lab", "motto", (), "", first, second)]


def test_added_cell_is_reported_in_full(lab: Any) -> None:
    session = Session(Game("n" * 40, (CUBE,), CUBE, (1, 2), Point(1, 1), 5), ("a", "b" * 50))
    notes = [
        write for write in work(lab, put("session", session)).writes if write.member == "notes"
    ]
    assert [(write.old, write.new) for write in notes] == [(None, ("a", "b" * 50))]


# In total: the writes of a change are the differences between two values


cubes = st.builds(
    Cube,
    st.builds(Point, st.integers(-5, 5), st.integers(-5, 5)),
    st.sampled_from(Suit),
    st.none() | st.just(ALICE),
)
texts = st.sampled_from(["", "a", "b" * 31, "c" * 32, "c" * 40 + "d" * 60, "c" * 40 + "e" * 60])
games = st.builds(
    Game,
    texts,
    st.lists(cubes, max_size=4).map(tuple),
    st.none() | cubes,
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.none() | st.builds(Point, st.integers(-5, 5), st.integers(-5, 5)),
    st.integers(0, 2**256 - 1) | st.just(0),
)
sessions = st.builds(Session, games, st.none() | st.lists(texts, max_size=3).map(tuple))


def differences(old: Any, new: Any, blank: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the differences of two values, member by member. Items were zero before they were added, and None afterwards."""
    if old == new:
        return
    if is_dataclass(new) and is_dataclass(old):
        for field in fields(new):
            one, other = getattr(old, field.name), getattr(new, field.name)
            yield from differences(
                one, other, BLANKS.get(field.name), f"{path}.{field.name}".removeprefix(".")
            )
    elif isinstance(new, tuple) and isinstance(old, tuple) and blank is not None:
        if len(old) != len(new):
            yield f"{path}.length", len(old), len(new)
        for i in range(max(len(old), len(new))):
            if i >= len(new):
                yield f"{path}[{i}]", old[i], None
                continue
            one = old[i] if i < len(old) else blank
            yield from differences(one, new[i], None, f"{path}[{i}]")
    else:
        yield path, old, new


BLANKS: dict[str, Any] = {"board": CUBE, "notes": ""}  # what the items of lists are when unset


@settings(deadline=None)
@given(sessions, sessions, st.booleans())
def test_writes_are_the_differences(before: Session, after: Session, later: bool) -> None:
    chain = Chain(guard=False)
    lab = chain.deploy(Lab)
    for amount in range(3):  # no transactions, but on the timeline
        chain.set_balance(ALICE, 10**30 + amount)
    receipt = work(lab, put("session", before), put("session", after))
    if later:  # an old receipt shows the same
        work(lab, put("session", before), put("motto", "other"))
    found = [(write.member, write.old, write.new) for write in receipt.writes]
    assert sorted(found, key=repr) == sorted(differences(before, after, None), key=repr)


@settings(deadline=None)
@given(st.lists(st.integers(0, 255), max_size=70), st.lists(st.integers(0, 255), max_size=70))
def test_every_changed_word_is_reported(before: list[int], after: list[int]) -> None:
    lab = Chain(guard=False).deploy(Lab)
    receipt = work(lab, put("sizes", tuple(before)), put("sizes", tuple(after)))
    differ = {
        slot
        for _, slot, one, other in iter_changes(receipt.changes)
        if isinstance(slot, int) and one != other
    }
    assert bool(differ) == bool(receipt.writes) == (before != after)


# What was undone


def test_failed_call_shows_undone_writes(lab: Any) -> None:
    def go(lab: Any) -> None:
        lab.low, lab.motto = 3, "no"
        raise ValueError

    receipt = work(lab, go, check=False)
    assert (receipt.writes, [str(write) for write in receipt.undone_writes]) == (
        [], ["Lab.low: 0 -> 3", "Lab.motto: '' -> 'no'"],
    )  # fmt: skip


def test_caught_failure_shows_both(lab: Any) -> None:
    receipt = lab.fail_inside()
    assert [str(write) for write in receipt.writes] == ["Lab.low: 0 -> 1", "Lab.high: 0 -> 2"]
    assert [str(write) for write in receipt.undone_writes] == ["Lab.low: 1 -> 9"]


def test_outer_failure_knows_first_value(lab: Any) -> None:
    def go(lab: Any) -> None:
        lab.low = 1
        with pytest.raises(Exception, match="spoiled"):
            lab.at(Lab, lab.address).spoil()
        lab.low = 2
        raise ValueError

    assert [str(write) for write in work(lab, go, check=False).undone_writes] == ["Lab.low: 0 -> 2"]


def test_failed_deploy_names_its_fields() -> None:
    class Stillborn(Contract):
        count: u8

        @init
        def new(self) -> None:
            self.count = 5
            raise ValueError

    chain = Chain()
    with pytest.raises(Reverted) as failed:
        chain.deploy(Stillborn)
    assert [str(write) for write in failed.value.receipt.undone_writes] == [
        "Stillborn.count: 0 -> 5"
    ]


# Words without a name


STORE = bytes.fromhex("600a600c600039600a6000f3602a60005560016001550000"[:20])


def test_bytecode_is_shown_by_slot() -> None:
    chain = Chain()
    code = bytes.fromhex("602a600755")  # PUSH1 42, PUSH1 7, SSTORE
    receipt = chain.send(None, code)
    assert [str(write) for write in receipt.writes] == [f"{receipt.address}.slot 0x7: 0 -> 42"]


def test_unknown_words_are_shown_by_slot(lab: Any) -> None:
    chain, far = lab.chain, 2**200
    state = chain.state
    receipt = work(lab, lambda lab: lab._frame.sstore(far, 5))
    assert [str(write) for write in receipt.writes] == [f"Lab.slot {far:#x}: 0 -> 5"]
    assert state.word(lab.address, far) == 5


def test_impossible_words_are_shown_by_slot() -> None:
    class Tidy(Contract):
        suit: Suit

        @call
        def spoil(self) -> None:
            self._frame.sstore(0, 9)

    receipt = Chain(guard=False).deploy(Tidy).spoil()
    assert [str(write) for write in receipt.writes] == ["Tidy.slot 0x0: 0 -> 9"]
