"""Exports: others read back all that was written, and the same play gives the same bytes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain import Address, Chain, Contract, Key, call, event, require
from chain.simulator.handle import Handle
from chain.types import i256, u8
from tests.chain.toys import Side


@event
class Moved:
    player: Key[Address]
    side: Side
    amount: i256
    text: str
    path: tuple[u8, ...]
    maybe: u8 | None


class Board(Contract):
    @call
    def move(
        self, side: Side, amount: i256, text: str, path: tuple[u8, ...], maybe: u8 | None = None
    ) -> i256:
        self.log(text)
        self.emit(Moved(self.caller, side, amount, text, path, maybe))
        require(maybe != 99, "no such move")
        return amount


@pytest.fixture
def board(chain: Chain) -> Handle:
    return chain.deploy(Board)


@pytest.fixture
def played(chain: Chain, board: Handle) -> list[Moved]:
    """Two moves and one that failed."""
    board.move(Side.RED, -5, 'say "hé",\nthen go', (1, 2), sender=chain.accounts[1])
    board.move(Side.BLUE, 2**200, "", (), 0)
    board.move(Side.BLUE, 1, "lost", (), 99, check=False)
    return list(chain.events(Moved))


def jsonl(chain: Chain, what: str) -> list[dict[str, Any]]:
    file = io.StringIO()
    chain.export_jsonl(file, what)
    return [json.loads(line) for line in file.getvalue().splitlines()]


def moved_from(fields: dict[str, Any]) -> Moved:
    values = fields | {
        "player": Address(str(fields["player"])),
        "side": Side[str(fields["side"])],
        "amount": int(str(fields["amount"])),
        "path": tuple(fields["path"]),
    }
    return Moved(**values)


def test_events_read_back(chain: Chain, board: Handle, played: list[Moved]) -> None:
    lines = jsonl(chain, "events")
    assert [moved_from(line["fields"]) for line in lines] == played
    where = [(line["event"], line["receipt"], line["block"], line["address"]) for line in lines]
    assert where == [("Moved", 1, 2, str(board.address)), ("Moved", 2, 3, str(board.address))]


def test_receipts_read_back(chain: Chain, board: Handle, played: list[Moved]) -> None:
    lines = jsonl(chain, "receipts")
    moved, failed = lines[1], lines[3]
    assert moved["args"] == {
        "side": "RED",
        "amount": -5,
        "text": 'say "hé",\nthen go',
        "path": [1, 2],
        "maybe": None,
    }
    assert (moved["result"], moved["ok"]) == (-5, True)
    assert [log["text"] for log in moved["logs"]] == ['say "hé",\nthen go', None]
    assert [moved_from(log["fields"]) for log in moved["logs"] if log["event"]] == played[:1]
    assert (failed["error"]["text"], failed["logs"]) == ("no such move", [])
    assert failed["undone_logs"][1]["fields"]["text"] == "lost"
    assert lines[2]["args"]["amount"] == str(2**200)


def test_receipts_as_sql_and_python_have_them(
    chain: Chain, board: Handle, played: list[Moved]
) -> None:
    lines, rows = jsonl(chain, "receipts"), chain.sql("select * from receipts")
    for line, row, receipt in zip(lines, rows, chain.receipts, strict=True):
        error = line["error"] or dict.fromkeys(("text", "kind", "place"))
        assert (error["text"], error["kind"], error["place"]) == row[-3:]
        assert line["args"] == (json.loads(row["args"]) if row["args"] else {})
        assert line["result"] == (str(row["result"]) if row["result"] == 2**200 else row["result"])
        same = set(line) & set(row.keys()) - {"args", "result", "error"}
        assert {name: line[name] for name in same} == {name: row[name] for name in same}
        assert len(same) == 13
        assert line | {"hash": f"0x{receipt.tx_hash.hex()}"} == receipt.as_dict()


@pytest.mark.parametrize("table", ["receipts", "logs", Moved, "Moved", "moved"])
def test_csv_as_sql_has_it(
    chain: Chain, board: Handle, played: list[Moved], table: type | str
) -> None:
    file = io.StringIO()
    chain.export_csv(file, table)
    names, *rows = csv.reader(io.StringIO(file.getvalue()))
    expected = chain.sql(f"select * from {table if isinstance(table, str) else table.__name__}")
    assert names == expected.columns
    assert rows == [["" if value is None else str(value) for value in row] for row in expected]


def test_csv_distinguishes_null_from_empty(
    chain: Chain, board: Handle, played: list[Moved]
) -> None:
    file = io.StringIO()
    chain.export_csv(file, Moved)
    assert f'"BLUE","{2**200}","","[]",0,2,' in file.getvalue()
    assert '"RED",-5,"say ""hé"",\nthen go","[1,2]",,1,' in file.getvalue()


def test_files_and_streams_agree(
    tmp_path: Path, chain: Chain, board: Handle, played: list[Moved]
) -> None:
    chain.export_jsonl(tmp_path / "receipts.jsonl")
    chain.export_csv(str(tmp_path / "moved.csv"), Moved)
    stream = io.StringIO()
    chain.export_jsonl(stream)
    assert (tmp_path / "receipts.jsonl").read_bytes() == stream.getvalue().encode()
    assert (tmp_path / "moved.csv").read_bytes().count(b"\r") == 0


def test_same_play_same_bytes() -> None:
    def played() -> str:
        chain, file = Chain(), io.StringIO()
        chain.deploy(Board).move(Side.RED, 7, "x", (1,), sender=chain.account("first.testnet"))
        chain.export_jsonl(file)
        chain.export_jsonl(file, "events")
        chain.export_csv(file, "logs")
        return file.getvalue()

    assert played() == played()


@given(
    st.integers(-(2**255), 2**255 - 1),
    st.text(max_size=20),
    st.lists(st.integers(0, 255), max_size=4),
)
def test_any_event_reads_back(amount: int, text: str, path: list[int]) -> None:
    chain = Chain()
    chain.deploy(Board).move(Side.RED, amount, text, tuple(path))
    (line,) = jsonl(chain, "events")
    assert moved_from(line["fields"]) == chain.events(Moved).one()


def test_what_cannot_be_exported(chain: Chain, board: Handle) -> None:
    with pytest.raises(ValueError, match="JSON lines can have receipts or events, not 'Moved'"):
        chain.export_jsonl(io.StringIO(), "Moved")
    with pytest.raises(
        ValueError, match="there is no table 'Board'; there are receipts, logs, Moved"
    ):
        chain.export_csv(io.StringIO(), Board)
    with pytest.raises(ValueError, match="there is no table 'mooved'"):
        chain.export_csv(io.StringIO(), "mooved")
