"""Members of an Enum and accounts in SQL: every spelling finds rows, and what spells neither is refused."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from chain import Address, Chain, Contract, call, event
from chain.ledger.sql.spellings import literals
from chain.types import u8
from tests.chain.toys import Side


@event
class Placed:
    number: u8
    player: Address
    side: Side | None
    note: str


class Table(Contract):
    @call
    def place(self, number: u8, side: Side | None, note: str) -> None:
        self.emit(Placed(number, self.caller, side, note))


@pytest.fixture(scope="module", params=["memory", "file"])
def chain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Four events: by alice, bob, alice, bob; red, blue, none, red; noted 'RED', 'bob', '1', ''."""
    file = tmp_path_factory.mktemp("chain") / "table.chain"
    with Chain() if request.param == "memory" else Chain.open(file) as chain:
        table, people = chain.deploy(Table), chain.accounts[:2]
        sides, notes = (Side.RED, Side.BLUE, None, Side.RED), ("RED", "bob", "1", "")
        for i in range(4):
            table.place(i, sides[i], notes[i], sender=people[i % 2])
        yield chain


RED, BOB = Side.RED.value, str(Chain().accounts[1])
FOUND: list[tuple[str, tuple[object, ...], list[int]]] = [
    ("side = 'RED'", (), [0, 3]),
    ("side = 'red'", (), [0, 3]),
    (f"side = {RED}", (), [0, 3]),
    (f"{RED} = side", (), [0, 3]),
    ("side = ?", (Side.RED,), [0, 3]),
    ("side = ?", (RED,), [0, 3]),
    ("side = ?", ("Red",), [0, 3]),
    (f"side in ({RED}, 'blue')", (), [0, 1, 3]),
    (f"side <> {RED}", (), [1]),
    ("side is null", (), [2]),
    ("player = 'bob'", (), [1, 3]),
    ("player in ('alice', ?)", ("bob",), [0, 1, 2, 3]),
    (f"player = '{BOB}'", (), [1, 3]),
    (f"player = '{BOB.lower()}'", (), [1, 3]),
    (f"player = '{BOB[2:]}'", (), [1, 3]),
    ("note = 'RED' and side = 'red'", (), [0]),
    ("note = 'bob' and player = 'bob'", (), [1]),
    ("note = 'carol' and player = 'bob'", (), []),
    ("note = '1' and name(player) = 'alice'", (), [2]),
    ("receipt in (select position from receipts where sender = 'bob')", (), [1, 3]),
    (
        "number in (select n from (select number n, player who from Placed) where who = 'bob')",
        (),
        [1, 3],
    ),
    ("case side when 'red' then 1 end limit 5", (), [0, 3]),
]


@pytest.mark.parametrize(("condition", "values", "expected"), FOUND)
def test_every_spelling_finds_rows(
    chain: Chain, condition: str, values: tuple[object, ...], expected: list[int]
) -> None:
    rows = chain.sql(f"select number from Placed where {condition}", *values)
    assert sorted(row["number"] for row in rows) == expected


REFUSED: list[tuple[str, tuple[object, ...], str]] = [
    ("side = 'PINK'", (), "side = 'PINK': it is one of RED, BLUE"),
    ("side = 77", (), "side = '77': it is one of RED, BLUE"),
    ("side = ?", ("PINK",), "side = 'PINK': it is one of RED, BLUE"),
    ("side not in ('RED', 'PINK')", (), "side = 'PINK': it is one of RED, BLUE"),
    ("player = 'zoe'", (), "player is 'zoe': this chain has no account of that name"),
    (
        "player <> ?",
        ("zoe",),
        "player is 'zoe': this chain has no account of that name",
    ),
    ("player = '0x12'", (), "player: an address is 20 bytes, these are 1"),
]


@pytest.mark.parametrize(("condition", "values", "why"), REFUSED)
def test_what_is_no_spelling_is_refused(
    chain: Chain, condition: str, values: tuple[object, ...], why: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        chain.sql(f"select number from Placed where {condition}", *values)
    assert len(chain.sql("select * from Placed")) == 4


def test_sides_are_grouped_and_sorted_by_name(chain: Chain) -> None:
    question = "select side, count(*) n from Placed where number < 9 group by side order by side"
    assert chain.sql(question) == [(None, 1), ("BLUE", 1), ("RED", 2)]


def test_file_stays_readable_for_others(tmp_path: Path) -> None:
    """No index and no view in the file knows the spellings, as plain SQLite has no such collations."""
    with Chain.open(tmp_path / "a.chain") as chain:
        chain.deploy(Table).place(1, Side.RED, "")
        assert len(chain.sql(f"select * from Placed where side = {RED} and player = 'alice'")) == 1
    with sqlite3.connect(tmp_path / "a.chain") as other:
        assert other.execute("select number from Placed where side = 'RED'").fetchall() == [(1,)]
        assert other.execute("pragma integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("select 'a', 1 from t", [("a", None), ("1", None)]),
        ("p.\"Side\" = 'it''s' and 7 <= [n]", [("it's", "side"), ("7", "n")]),
        ("side not in (?, 'b', :x) or ? = n limit 5 offset ?", [("1", "side"), ("b", "side"), ("z", "side"), ("2", "n")]),
        ("n between 1 and 2 and side is not 3 -- = 4", [("1", "n"), ("2", "n"), ("3", "side")]),
        ("max(n, 1) = 2 /* 'c' */", [("1", None), ("2", "n")]),
    ],
)  # fmt: skip
def test_what_a_value_is_compared_with(question: str, found: list[tuple[str, str | None]]) -> None:
    assert [*literals(question, {"1": 1, "2": 2, "3": 3, "x": "z"})] == found
