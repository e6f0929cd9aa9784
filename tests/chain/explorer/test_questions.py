"""A list is the answer to a question, which is the same in Python, in SQL and over JSON-RPC."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from chain import Chain
from chain.explorer.receipt_survey import Survey
from chain.ledger.store import Store
from tests.chain.explorer.visitor import Answer, Elements, Visitor
from tests.chain.toys import Side, Spot


def questions(page: Answer) -> tuple[str, str, Any]:
    """The three questions that a page shows."""
    elements = Elements(page.markup)
    shown = [
        word for word in elements.words if word.startswith(("chain.", "select ", '{"jsonrpc"'))
    ]
    python, sql, rpc = shown
    return python, sql, json.loads(rpc)


@pytest.mark.parametrize(
    "asked",
    [
        "", "contract=Deblockle", "contract=Wall&entry=write", "ok=0", "ok=1&contract=Deblockle", "sender=bob",
        "sender=bob&contract=Wall&entry=refuse&ok=0", "contract=Wall%232",
    ],
)  # fmt: skip
def test_transactions_are_the_same_in_three_languages(chain: Chain, visitor: Visitor, asked: str) -> None:  # fmt: skip
    page = visitor.get(f"/?{asked}")
    python, sql, rpc = questions(page)
    assert page.keys
    assert [receipt.position for receipt in eval(python, {"chain": chain})] == page.keys
    assert [row["position"] for row in chain.sql(sql)] == page.keys
    assert [receipt["position"] for receipt in chain.node.request(rpc["method"], rpc["params"])] == page.keys  # fmt: skip


@pytest.mark.parametrize(
    "asked", ["contract=Wall", "contract=Wall%232", "entry=write", "entry=write(string)", "sender=bob", "ok=0"]
)  # fmt: skip
def test_no_filter_reads_receipts_that_were_read_before(
    chain: Chain, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    visitor = Visitor(chain)
    Survey(chain).update(math.inf)
    monkeypatch.setattr(Store, "_put_receipts", lambda *_: pytest.fail("all are read again"))
    assert visitor.get(f"/?{asked}").keys


@pytest.mark.parametrize(
    "asked",
    [
        "event=Noted", "event=Noted&f.by=bob", "event=Noted&f.text=by+a+name", "event=Noted&f.by=bob&from=12&to=15",
        "event=Painted&f.side=BLUE", "event=Painted&f.bright=true", "event=Painted&f.spots=[[1,null]]",
        "event=Painted&f.block=7",
    ],
)  # fmt: skip
def test_events_are_the_same_in_three_languages(chain: Chain, visitor: Visitor, asked: str) -> None:
    page = visitor.get(f"/events?{asked}")
    python, sql, rpc = questions(page)
    assert page.keys
    found = eval(python, {"chain": chain, "Side": Side, "Spot": Spot})
    rows = chain.node.request(rpc["method"], rpc["params"])
    assert [row["log"] for row in chain.sql(sql)] == page.keys
    assert [row["log"] for row in rows] == page.keys
    assert [repr(event) for event in found] == [
        repr(chain.events()[[*chain.sql("select position from logs where event is not null")].index((row["log"],))])
        for row in rows
    ]  # fmt: skip


def test_older_pages_follow_without_a_gap(chain: Chain, visitor: Visitor) -> None:
    first = visitor.get("/").keys
    middle = first[len(first) // 2]
    assert visitor.get(f"/?before={middle}").keys == [key for key in first if key < middle]
