"""Queries in SQL: what the tables hold, how they follow the chain forwards and back, and what is refused."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, call, event, init, require
from chain.ledger import store
from chain.ledger.store import Store
from chain.simulator.handle import Handle
from chain.types import bytes4, felt252, i8, i256, u8, u64, u256
from tests.chain.toys import Side, Spot


@event
class Moved:
    player: Key[Address]
    piece: u8
    side: Side


@event
class Everything:
    flag: bool
    tag: bytes4
    text: str
    raw: bytes
    maybe: u8 | None
    spot: Spot
    pair: tuple[u8, Side]
    many: tuple[Spot, ...]


@event
class Numbers:
    small: i8
    wide: u64
    big: u256
    low: i256
    felt: felt252


@event
class Receipts:  # called as a table of ours
    log: u8  # … and its fields as our columns
    Block: u8


class Board(Contract):
    @init
    def new(self, first: u8) -> None:
        self.log(f"from {first}")

    @call(payable=True)
    def move(self, piece: u8, side: Side = Side.RED) -> Spot:
        self.emit(Moved(self.caller, piece, side))
        self.log(f"moved {piece}")
        require(piece < 200, "there is no such piece")
        return Spot(piece, None)

    @call
    def everything(self, spot: Spot) -> None:
        pair, raw = (3, Side.BLUE), b"\x00\xff"
        self.emit(Everything(True, b"abcd", 'say "hé"\n', raw, None, spot, pair, (spot, spot)))

    @call
    def numbers(self, wide: u64, big: u256, low: i256) -> None:
        self.emit(Numbers(-1, wide, big, low, big % 1000))

    @call
    def receipts(self) -> None:
        self.emit(Receipts(7, 8))


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(Board, 1)


# What the tables hold


def test_most_moves_per_player(chain: Chain, board: Handle) -> None:
    alice, bob, _ = chain.accounts[:3]
    for player in (alice, bob, bob):
        board.move(1, sender=player)
    found = chain.sql("select player, count(*) n from Moved group by player order by n desc")
    assert found == [(str(bob), 2), (str(alice), 1)]
    assert (found[0]["n"], found[0][0], dict(found[1])["n"]) == (2, str(bob), 1)


def test_names_of_addresses(chain: Chain, board: Handle) -> None:
    other = chain.deploy(Board, 2)
    board.move(1, sender=chain.account("first.testnet"))
    other.move(1, sender=chain.accounts[1])
    assert chain.sql("select name(player), name(address) from Moved") == [
        ("first.testnet", "Board"),
        ("bob", "Board#2"),
    ]
    assert chain.sql("select name('nobody'), name(null), name(5)") == [(None, None, None)]


def test_event_beside_its_receipt(chain: Chain, board: Handle) -> None:
    receipt = board.move(3, Side.BLUE)
    player, address = str(receipt.sender), str(board.address)
    expected = (
        player,
        3,
        "BLUE",
        receipt.position,
        receipt.block_number,
        receipt.timestamp,
        address,
        1,
    )
    assert chain.sql("select * from Moved") == [expected]


def test_values_as_columns(chain: Chain, board: Handle) -> None:
    owner = chain.accounts[0]
    board.everything(Spot(1, owner))
    spot = f'{{"x":1,"owner":"{owner}"}}'
    (row,) = chain.sql("select flag, tag, text, raw, maybe, spot, pair, many from Everything")
    assert row == (
        1,
        "0x61626364",
        'say "hé"\n',
        "0x00ff",
        None,
        spot,
        '[3,"BLUE"]',
        f"[{spot},{spot}]",
    )


def test_numbers_beyond_64_bits(chain: Chain, board: Handle) -> None:
    board.numbers(2**63, 2**63 - 1, -(2**63))
    board.numbers(5, 2**63, -(2**63) - 1)
    found = chain.sql("select small, wide, big, low, felt from Numbers")
    assert found[0] == (-1, 2**63, 2**63 - 1, -(2**63), (2**63 - 1) % 1000)
    assert found[1] == (-1, 5, 2**63, -(2**63) - 1, 2**63 % 1000)


def test_columns_of_receipts(chain: Chain, board: Handle) -> None:
    receipt = board.move(200, value=7, sender=chain.accounts[2], check=False)
    (row,) = chain.sql("select * from receipts where position = 1")
    assert dict(row) == {
        "position": 1, "block": 2, "idx": 0, "timestamp": receipt.timestamp, "sender": str(receipt.sender),
        "sender_name": "carol", "kind": "call", "contract": "Board", "address": str(board.address), "entry": "move",
        "args": '{"piece":200,"side":"RED"}', "result": None, "value": 7, "nonce": 0, "gas_used": receipt.gas_used,
        "gas_price": receipt.gas_price, "ok": 0, "error": "there is no such piece", "error_kind": "revert",
        "error_place": receipt.error.place,
    }  # fmt: skip


def test_receipts_of_every_kind(chain: Chain, board: Handle) -> None:
    board.move(4)
    chain.send(chain.accounts[1], value=10**19)
    chain.send(board.address, b"\x01\x02", gas=100_000)
    found = chain.sql("select kind, contract, entry, args, result, value, ok from receipts")
    assert found == [
        ("create", "Board", "new", '{"first":1}', None, 0, 1),
        ("call", "Board", "move", '{"piece":4,"side":"RED"}', '{"x":4,"owner":null}', 0, 1),
        ("call", None, None, None, None, 10**19, 1),
        ("call", "Board", None, None, None, 0, 0),
    ]


def test_logs_as_written(chain: Chain, board: Handle) -> None:
    receipt = board.move(3)
    found = chain.sql("select position, receipt, idx, address, text, event from logs")
    where = str(board.address)
    assert found == [
        (0, 0, 0, where, "from 1", None),
        (1, 1, 0, where, None, "Moved"),
        (2, 1, 1, where, "moved 3", None),
    ]
    (log,) = chain.sql("select topic0, topic1, topic2, data from logs where position = 1")
    topics, data = receipt.logs[0].topics, receipt.logs[0].data
    assert log == (f"{topics[0]:#066x}", f"{topics[1]:#066x}", None, "0x" + data.hex())


def test_names_that_are_taken(chain: Chain, board: Handle) -> None:
    board.receipts()
    found = chain.sql("select * from Board_Receipts")
    ours = ["receipt", "block", "timestamp", "address", "log"]
    assert found.columns == ["event_log", "event_Block", *ours]
    (row,) = found
    assert [row[name] for name in ("event_Block", "block", "event_log", "log")] == [8, 2, 7, 1]


def test_two_events_of_a_name(chain: Chain, board: Handle) -> None:
    @event
    class Moved:
        far: u64

    class Other(Contract):
        @call
        def move(self) -> None:
            self.emit(Moved(9))

    board.move(1)
    assert len(chain.sql("select piece from Moved")) == 1
    chain.deploy(Other).move()
    assert chain.sql("select far from Other_Moved") == [(9,)]
    assert chain.sql("select piece from Moved") == [(1,)]


def test_undone_events_stay_out(chain: Chain, board: Handle) -> None:
    board.move(200, check=False)
    assert chain.sql("select count(*) from Moved") == [(0,)]


def test_values_in_questions(chain: Chain, board: Handle) -> None:
    alice, bob = chain.accounts[:2]
    board.move(1, Side.BLUE, sender=bob)
    question = "select piece from Moved where player = ? and side = ? and address = ?"
    assert chain.sql(question, bob, Side.BLUE, board) == [(1,)]
    assert chain.sql(question, alice, Side.BLUE, board) == []
    named = "select piece from Moved where player = :who and piece < :big"
    assert chain.sql(named, who=str(bob).lower(), big=2**70) == [(1,)]


def test_lists_taken_apart(chain: Chain, board: Handle) -> None:
    board.everything(Spot(5, None))
    question = (
        "select json_extract(spot.value, '$.x') from Everything, json_each(Everything.many) as spot"
    )
    assert chain.sql(question) == [(5,), (5,)]


# Answers


def test_answer_prints_aligned(chain: Chain, board: Handle) -> None:
    board.move(1)
    board.move(100, Side.BLUE)
    assert str(chain.sql("select side, piece, null none, 'a\nb' text from Moved")) == "\n".join(
        [
            "side  piece  none  text",
            "----  -----  ----  ----",
            "RED       1  null  a\\nb",
            "BLUE    100  null  a\\nb",
        ]
    )
    assert str(chain.sql("select piece from Moved where piece = 7")) == "piece\n-----"


def test_row_by_name(chain: Chain) -> None:
    (row,) = chain.sql("select 1 as one, 'b' as two")
    assert repr(row) == "Row(one=1, two='b')"
    assert (row[-1], row[:1], list(row)) == ("b", (1,), [1, "b"])
    with pytest.raises(KeyError, match="there is no column 'three'; there are one, two"):
        row["three"]


# Mistakes


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("delete from Moved", "the tables are a record of what happened, and read-only: 'delete from Moved' would do more"),
        ("update Moved set piece = 3", "read-only"),
        ("insert into Moved (piece) values (3)", "read-only"),
        ("drop table Moved", "read-only"),
        ("create table mine (x)", "read-only"),
        ("create temp table mine (x)", "read-only"),
        ("update sqlite_master set sql = ''", "table sqlite_master may not be modified"),
        ("attach 'file' as other", "read-only"),
        ("vacuum into 'file'", "read-only"),
        ("pragma writable_schema = 1", "read-only"),
        ("begin", "read-only"),
        ("select 1; select 2", "one query at a time: 'select 1; select 2' holds several statements"),
        ("select 1; delete from Moved", "one query at a time"),
        ("", "'' is not a query: begin with 'select'"),
        ("-- hm", "is not a query"),
        ("select colour from Moved", "no such column: colour; Moved has player, piece, side, receipt, block"),
        ("select m.colour from moved m, logs", "logs has position, receipt, idx"),
        ("select * from Mooved", "no such table: Mooved; there are receipts, logs, Moved"),
        ("selec 1", "syntax error, in 'selec 1'"),
        ("select ?", "bindings supplied"),
        ("select abs(-9223372036854775807 - 1)", "integer overflow"),
    ],
)  # fmt: skip
def test_mistaken_questions_are_explained(
    chain: Chain, board: Handle, question: str, answer: str
) -> None:
    board.move(1)
    with pytest.raises(ValueError, match=re.escape(answer)):
        chain.sql(question)
    assert chain.sql("select count(*) from Moved") == [(1,)]


def test_our_statements_are_refused(chain: Chain, board: Handle) -> None:
    """Not even the statements that fill the tables are allowed."""
    board.move(1)
    columns = chain.sql("select * from Moved").columns
    with pytest.raises(ValueError, match="read-only"):
        chain.sql(f'insert into "Moved" values ({", ".join("?" * len(columns))})', *range(8))
    assert chain.sql("select piece from Moved") == [(1,)]


def test_values_must_fit(chain: Chain) -> None:
    with pytest.raises(TypeError, match=r"\[1\] cannot be stored in a column"):
        chain.sql("select ?", [1])
    with pytest.raises(TypeError, match="not for both"):
        chain.sql("select ?, :x", 1, x=2)


# Following the chain


def test_open_block_is_asked(chain: Chain, board: Handle) -> None:
    with chain.block() as block:
        board.move(1)
        assert chain.sql("select block, timestamp from Moved") == [(block.number, block.timestamp)]


def test_reverted_rows_disappear(chain: Chain, board: Handle) -> None:
    board.move(1)
    with chain.anchor():
        board.move(2)
        assert chain.sql("select piece from Moved") == [(1,), (2,)]
        assert chain.sql("select count(*) from logs") == [(5,)]
    board.move(3)
    assert chain.sql("select piece from Moved") == [(1,), (3,)]
    assert chain.sql("select count(*) from logs") == [(5,)]


def test_fork_has_own_tables(chain: Chain, board: Handle) -> None:
    board.move(1)
    assert chain.sql("select piece from Moved") == [(1,)]
    other = chain.fork()
    other.handle(board).move(2)
    assert other.sql("select piece from Moved") == [(1,), (2,)]
    assert chain.sql("select piece from Moved") == [(1,)]


def test_tables_are_filled_in_pieces(
    chain: Chain, board: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_BATCH", 2)
    for piece in range(5):
        board.move(piece)
    question, pieces = "select count(*) from Moved", 0
    while not chain.database.fill(question, 0):
        pieces += 1
    assert pieces == 2
    monkeypatch.setattr(Store, "_derive_logs", lambda *_: pytest.fail("a table was not filled"))
    assert chain.sql(question) == [(5,)]


ALL = ("receipts", "logs", "Moved", "Numbers")
Step = st.tuples(
    st.sampled_from(["move", "fail", "numbers", "save", "back", "ask", "fill"]), st.integers(0, 3)
)


@given(st.lists(Step, max_size=30), st.sampled_from([1, 2, store._BATCH]))
@example([("move", 0), ("ask", 1), ("back", 0)], 1)
def test_tables_equal_rebuilt_ones(steps: list[tuple[str, int]], batch: int) -> None:
    with patch.object(store, "_BATCH", batch):
        play_and_ask(steps)


def play_and_ask(steps: list[tuple[str, int]]) -> None:
    """After any moves, queries and reverts, each table equals that of a new database."""
    chain = Chain()
    board, saved = chain.deploy(Board, 0), [chain.snapshot()]
    for what, number in steps:
        if what == "save":
            saved.append(chain.snapshot())
        elif what == "back":
            del saved[number + 1 :]
            chain.revert(saved[-1])
        elif what == "ask":
            chain.sql(f"select * from {ALL[number]}")
        elif what == "fill":
            chain.database.fill(f"select * from {ALL[number]}", 0)
        elif what == "numbers":
            board.numbers(number, 2**70, number)
        else:
            board.move(number + (200 if what == "fail" else 0), check=False)
    again = chain.fork()
    for name in ALL:
        assert chain.sql(f"select * from {name}") == again.sql(f"select * from {name}")
