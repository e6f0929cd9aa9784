"""Queries of the receipt log: by kind, field and range, in pages, and after going back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from chain import Address, Chain, Contract, Key, call, event
from chain.simulator.handle import Handle
from chain.types import u8, u64
from tests.chain.ledger.moving_board import Board, Moved, Named
from tests.chain.toys import Side


@event
class Never:
    at: u64


class OtherBoard(Board):
    @call
    def unheard(self) -> None:
        self.emit(globals()["Never"](1))  # no reader of the source can see it


@pytest.fixture
def chain() -> Chain:
    return Chain(guard=False)  # one hides an event from all who read it


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(Board)


@pytest.fixture
def people(chain: Chain, board: Handle) -> list[Address]:
    """Three players who move pieces 0 to 8 in turn, in blocks 2 to 10, the blue ones from 6 on."""
    players = chain.accounts[:3]
    for piece in range(9):
        board.move(piece, Side.BLUE if piece > 5 else Side.RED, sender=players[piece % 3])
    return list(players)


def pieces(answers: Iterable[Any]) -> list[int]:
    return [moved.piece for moved in answers]


# Events


@pytest.mark.parametrize("kind", [Moved, "Moved", "Moved(address,uint8,uint8,uint8[],bool)"])
def test_events_by_kind(chain: Chain, people: list[Address], kind: type | str) -> None:
    assert pieces(chain.events(kind)) == list(range(9))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"player": 1}, [1, 4, 7]),
        ({"piece": 4}, [4]),
        ({"side": Side.BLUE}, [6, 7, 8]),
        ({"path": (3, 3)}, [3]),
        ({"path": [3, 3]}, [3]),
        ({"test": True}, [6, 7, 8]),
        ({"player": 1, "side": Side.BLUE}, [7]),
        ({"player": 1, "piece": 5}, []),
        ({"player": 2, "side": Side.RED, "path": (2, 2)}, [2]),
    ],
)
def test_events_by_field(
    chain: Chain, people: list[Address], values: dict[str, Any], expected: list[int]
) -> None:
    if "player" in values:
        values = values | {"player": people[values["player"]]}
    assert pieces(chain.events(Moved, **values)) == expected
    assert pieces(chain.events(Moved).where(**values)) == expected
    assert chain.events(Moved, **values).count() == len(expected)


def test_address_in_any_form(chain: Chain, people: list[Address]) -> None:
    forms = people[1], Address(people[1]), bytes(people[1]), str(people[1]), str(people[1]).lower()
    assert [chain.events(Moved, player=form).count() for form in forms] == [3] * 5
    assert [chain.receipts.where(sender=form).count() for form in forms] == [3] * 5


def test_hashed_key_finds_text(chain: Chain, board: Handle) -> None:
    board.name("first", 3)
    board.name("second")
    assert chain.events(Named, name="first").one() == Named("first", 3)
    assert chain.events(Named, name="first", first=None).count() == 0
    assert chain.events(Named, first=None).one().name == "second"


def test_predicates_narrow_further(chain: Chain, people: list[Address]) -> None:
    late = chain.events(Moved, player=people[0]).where(lambda moved: moved.piece > 2)
    assert pieces(late) == [3, 6]
    assert pieces(late.where(lambda moved: moved.test)) == [6]


def test_where_takes_both(chain: Chain, people: list[Address]) -> None:
    found = chain.events(Moved).where(lambda moved: moved.piece > 2, player=people[0])
    assert pieces(found.where(side=Side.RED)) == [3]


def test_events_of_contract(chain: Chain, board: Handle) -> None:
    other = chain.deploy(OtherBoard)
    board.move(1)
    other.move(2)
    for contract in (other, other.address, OtherBoard, "OtherBoard"):
        assert pieces(chain.events(Moved).by_contract(contract)) == [2]
    assert pieces(chain.events(Moved, piece=1).by_contract(board)) == [1]


def test_query_by_contract_leaves_out_other_events(chain: Chain, board: Handle) -> None:
    board.move(1)
    board.name("first")
    board.name("second")
    assert pieces(chain.events(Moved).by_contract(board)) == [1]


def test_events_nobody_declared(chain: Chain) -> None:
    board = chain.deploy(OtherBoard)
    receipt = board.unheard()
    assert list(chain.events(Never)) == [Never(1)]
    assert receipt.events == [Never(1)]


def test_class_decides_the_result(chain: Chain, board: Handle) -> None:
    @event
    class Moved:  # its logs look like those of the other one
        player: Key[Address]
        piece: u8
        side: u8
        path: list[u8]
        test: bool

    board.move(3)
    assert chain.events(Moved).one() == Moved(chain.accounts[0], 3, 1, [3, 3], False)


def test_events_that_never_came(chain: Chain, board: Handle) -> None:
    asked = chain.events(Never, at=3)
    assert (asked.count(), asked.first(), asked.last(), list(asked)) == (0, None, None, [])
    assert not asked


def test_undone_events_stay_apart(chain: Chain, board: Handle) -> None:
    receipt = board.move(200, check=False)
    assert not chain.events(Moved)
    assert pieces(receipt.undone_events) == [200]
    assert len(receipt.events) == 0


# Ranges


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((3, 5), [1, 2, 3]), ((None, 3), [0, 1]), ((9, None), [7, 8]), ((5, 4), []), ((50, 60), [])],
)
def test_block_and_time_ranges(
    chain: Chain, people: list[Address], ends: tuple[int | None, int | None], expected: list[int]
) -> None:
    start = chain.blocks[0].timestamp
    first, last = (None if end is None else start + end for end in ends)
    assert pieces(chain.events(Moved).between(blocks=ends)) == expected
    assert pieces(chain.events(Moved).between(times=(first, last))) == expected
    assert [r.args["piece"] for r in chain.receipts.between(blocks=ends) if r.args] == expected


def test_ranges_meet_fields(chain: Chain, people: list[Address]) -> None:
    found = chain.events(Moved).between(blocks=(3, 8)).where(player=people[0])
    assert pieces(found) == [3, 6]
    assert pieces(found.between(blocks=(None, 6))) == [3]
    assert pieces(chain.events(Moved, player=people[0], side=Side.RED).between(blocks=(3, 8))) == [
        3
    ]


# Taking


def test_first_last_and_places(chain: Chain, people: list[Address]) -> None:
    asked = chain.events(Moved, player=people[1])
    assert pieces([asked.first(), asked.last()]) == [1, 7]
    assert (asked[0].piece, asked[-1].piece, pieces(asked[1:])) == (1, 7, [4, 7])
    assert pieces(asked.where(lambda moved: moved.piece > 1)[:1]) == [4]
    assert pieces([asked.where(lambda moved: moved.piece < 7).last()]) == [4]


def test_one_must_be_one(chain: Chain, people: list[Address]) -> None:
    assert chain.events(Moved, piece=3).one().player == people[0]
    with pytest.raises(LookupError, match="there are 9 results, not one"):
        chain.events(Moved).one()


def test_receipts_of_events(chain: Chain, people: list[Address]) -> None:
    found = chain.events(Moved, player=people[1]).where(lambda moved: moved.piece > 1)
    assert [receipt.block_number for receipt in found.receipts()] == [6, 9]


def test_chain_may_grow_meanwhile(chain: Chain, board: Handle, people: list[Address]) -> None:
    for moved in chain.events(Moved):
        board.move(moved.piece + 10)
    assert chain.events(Moved).count() == 18


# Pages


def test_page_before_a_place(chain: Chain, people: list[Address]) -> None:
    asked = chain.events(Moved, player=people[1])
    page = asked.page(limit=2)
    assert (pieces(page), page.has_older, len(page)) == ([7, 4], True, 2)
    assert [receipt.block_number for receipt in page.receipts] == [9, 6]
    older = asked.page(before=page.older, limit=2)
    assert (pieces(older), older.older) == ([1], None)


def test_page_stays_while_the_chain_grows(
    chain: Chain, board: Handle, people: list[Address]
) -> None:
    page = chain.receipts.page(limit=3)
    board.move(90)
    older = chain.receipts.page(before=page.older, limit=3)
    assert [receipt.position for receipt in (*page, *older)] == [9, 8, 7, 6, 5, 4]


def test_events_of_all_types_in_order(chain: Chain, board: Handle) -> None:
    board.move(1)
    board.name("x")
    board.move(2)
    names = [type(event).__name__ for event in chain.events()]
    assert (names, chain.events().by_contract(board).count()) == (["Moved", "Named", "Moved"], 3)
    with pytest.raises(TypeError, match="name the event that has the field 'piece'"):
        chain.events().where(piece=1)


@pytest.mark.parametrize("values", [{"limit": 0}, {"before": -1}, {"limit": 2.5}, {"before": "x"}])
def test_page_of_nonsense_is_refused(chain: Chain, values: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(values))):
        chain.receipts.page(**values)


# Receipts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"entry": "move"}, 9),
        ({"entry": "move", "ok": True}, 9),
        ({"ok": False}, 1),
        ({"contract": "Board"}, 11),
        ({"contract": Board}, 11),
        ({"contract": OtherBoard}, 0),
        ({"contract": None}, 0),
        ({"to": None}, 1),
        ({"entry": None}, 1),
    ],
)
def test_receipts_by_field(
    chain: Chain, board: Handle, people: list[Address], values: dict[str, Any], expected: int
) -> None:
    board.name("x", value=1, check=False)
    assert chain.receipts.where(**values).count() == expected
    assert len(list(chain.receipts.where(**values))) == expected


def test_receipts_of_handle(chain: Chain, board: Handle, people: list[Address]) -> None:
    chain.deploy(Board).move(1)
    for form in (board, board.address, str(board.address)):
        assert chain.receipts.where(contract=form).count() == 10
    assert chain.receipts.where(contract=board, sender=people[1]).count() == 3
    assert chain.receipts.where(to=board).count() == 9


def test_failed_receipts_by_reason(chain: Chain, board: Handle) -> None:
    board.move(200, check=False)
    board.move(201, check=False)
    failed = chain.receipts.where(lambda receipt: "no such piece" in str(receipt.error), ok=False)
    assert [receipt.args["piece"] for receipt in failed] == [200, 201]


# Mistakes


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda c: c.events(Moved, colour=1), "event Moved has no 'colour'; it has player, piece, side, path, test"),
        (lambda c: c.events(Moved).where(colour=1), "event Moved has no 'colour'; it has player"),
        (lambda c: c.events(Moved, piece=300), "Moved.piece = 300 does not fit u8 (0..255)"),
        (lambda c: c.events(Moved, side=True), "Moved.side = True is not Side"),
        (lambda c: c.events(Moved, player=7), "Moved.player = 7 is not an Address (20 bytes)"),
        (lambda c: c.events(Board), "Board is not an event: mark its class with @event"),
        (lambda c: c.events("Mooved"), "declares an event 'Mooved'; there are Moved, Named"),
        (lambda c: c.receipts.where(colour=1), "receipts have no field 'colour' to query; there are sender, to, address"),
        (lambda c: c.receipts.where(sender=7), "sender = 7 is not an account: give an account, a handle, an Address, its text"),
    ],
)  # fmt: skip
def test_mistaken_questions_are_explained(
    chain: Chain, board: Handle, ask: Callable[[Chain], object], answer: str
) -> None:
    with pytest.raises(TypeError) as caught:
        ask(chain)
    assert answer in str(caught.value)


def test_name_of_two_events(chain: Chain) -> None:
    def board_with(kind: Any) -> type[Contract]:
        @event
        class Rang:
            at: kind

        class Bell(Contract):
            @call
            def ring(self) -> None:
                self.emit(Rang(1))

        return Bell

    for kind in (u8, u64):
        chain.deploy(board_with(kind)).ring()
    with pytest.raises(
        TypeError, match=r"2 events are called Rang.*'Rang\(uint8\)' or 'Rang\(uint64\)'"
    ):
        chain.events("Rang")
    assert chain.events("Rang(uint64)").count() == 1


# Going back


def test_query_follows_the_chain(chain: Chain, board: Handle, people: list[Address]) -> None:
    asked = chain.events(Moved, player=people[0], side=Side.RED)
    with chain.anchor():
        board.move(50, sender=people[0])
        assert pieces(asked) == [0, 3, 50]
    assert pieces(asked) == [0, 3]


def test_open_block_is_asked(chain: Chain, board: Handle) -> None:
    with chain.block() as block:
        board.move(1)
        assert chain.events(Moved, piece=1).between(blocks=(block.number, None)).count() == 1
        assert chain.receipts.between(times=(block.timestamp, None)).count() == 1


# How they are answered

ZERO = Address(bytes(20))


def test_enum_by_its_name(chain: Chain, people: list[Address]) -> None:
    reds = list(chain.events(Moved, side=Side.RED))
    assert list(chain.events(Moved, side="RED")) == reds and reds
    with pytest.raises(TypeError, match=r"Moved\.side = 'GREEN': it is one of RED"):
        chain.events(Moved, side="GREEN")


@pytest.mark.parametrize(
    ("ask", "compared"),
    [
        (lambda chain: chain.events(Moved, piece=3).count(), "piece = 3"),
        (lambda chain: chain.events(Moved, test=False).count(), "test = 0"),
        (lambda chain: chain.sql("select 1 from Moved where player = ?", ZERO), f"player = '{ZERO}' and side = 'RED'"),
    ],
)  # fmt: skip
def test_first_question_makes_the_index_for_all(
    chain: Chain, people: list[Address], ask: Callable[[Chain], Any], compared: str
) -> None:
    def plan() -> str:
        return str(chain.sql(f"explain query plan select count(*) from Moved where {compared}"))

    made = "select count(*) from sqlite_master where type = 'index'"
    before = chain.sql(made)[0][0]
    ask(chain)
    assert chain.sql(made)[0][0] == before + 1
    assert "USING INDEX" in plan() and "by view" not in plan()


def test_only_the_writer_makes_an_index(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "a.chain", contracts=[Board]) as chain:
        board = chain.deploy(Board)
        board.move(3)
        with Chain.watch(tmp_path / "a.chain") as watching:
            assert watching.events("Moved", piece=3).count() == 1
            made = "select count(*) from sqlite_master where type = 'index' and sql like '%piece%'"
            assert chain.sql(made) == [(0,)]
            assert chain.events("Moved", piece=3).count() == 1
            assert chain.sql(made) == [(1,)]
