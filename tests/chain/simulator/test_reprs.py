"""The text of a chain's objects at a Python prompt: one short line each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chain import Chain
from chain.arena import Plan
from chain.arena.tally import Tally
from chain.machine.failure import Failure
from chain.pictures import picture_of_text
from tests.chain.toys import Counter

SHOWN: dict[str, tuple[Callable[[Chain], object], str]] = {
    "snapshot": (lambda chain: chain.snapshot(), "<Snapshot at block 1>"),
    "query": (lambda chain: chain.receipts.where(ok=True), "<Query: 1 found>"),
    "picture": (lambda _: picture_of_text("x _"), "<Picture '', parts: 1>"),
    "fields": (
        lambda chain: chain.contract("Counter").fields,
        "<fields of Counter at 0x5FbDB2315678afecb367f032d93F642f64180aa3, count=0, "
        "kept=[], seen=<Map Counter.seen>>",
    ),
    "failure": (
        lambda _: Failure("revert", "No", b"\1" * 99),
        "Failure(kind='revert', text='No', file=None, line=None)",
    ),
    "tally": (
        lambda _: Tally(Plan.of("contracts.deblockle", ["random"])),
        "<Tally of contracts.deblockle, games: 0, failed: 0>",
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_prompt_shows_one_line(chain: Chain, name: str) -> None:
    chain.deploy(Counter)
    make, line = SHOWN[name]
    assert repr(make(chain)) == line


@pytest.mark.filterwarnings("ignore:anchor")
def test_prompt_says_how_a_scope_is_used(chain: Chain) -> None:
    assert repr(chain.anchor()) == "<Scope anchor(…), for a with statement>"
