"""The page of a transaction: why it failed, what it did, its boards, its trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.explorer import test_export as written
from chain.explorer.source_excerpt import excerpt
from chain.explorer.test_export import written_test
from chain.machine.failure import Failure
from contracts.deblockle import contract as deblockle_module
from tests.chain.explorer.visitor import Visitor


def test_a_failure_shows_its_reason_and_its_line(visitor: Visitor) -> None:
    page = visitor.get("/tx/2")
    assert "Wrong player's turn!" in page.text
    assert "contracts/deblockle/contract.py:76" in page.text
    assert 'class="hit"' in page.markup
    assert "unchanged" in page.text


def test_a_transaction_is_found_by_its_hash(chain: Chain, visitor: Visitor) -> None:
    receipt = chain.receipts[3]
    assert f"Transaction #{receipt.position} " in visitor.get(f"/tx/0x{receipt.tx_hash.hex()}").text


def test_what_changed_stands_before_and_after(visitor: Visitor) -> None:
    assert "Score(alice).points 3 7" in visitor.get(_won(visitor, 4)).text


def test_undone_events_are_shown_as_taken_back(chain: Chain, visitor: Visitor) -> None:
    refused = chain.receipts.where(entry="refuse").first()
    assert refused is not None
    text = visitor.get(f"/tx/{refused.position}").text
    assert "Undone" in text and "Noted" in text.partition("Undone")[2]


def test_the_trace_is_made_on_demand(chain: Chain, visitor: Visitor) -> None:
    url = _won(visitor, 4)
    assert "reads Score(alice).points" not in visitor.get(url).text
    assert "reads Score(alice).points = 3" in visitor.get(f"{url}?trace=1").text


def _won(visitor: Visitor, points: int) -> str:
    chain = visitor.chain
    found = chain.receipts.where(lambda receipt: receipt.args == {"points": points}, entry="win")
    return f"/tx/{found.one().position}"


@pytest.mark.parametrize("file", ["/etc/passwd", "/etc/../etc/hosts.py", str(Path(__file__))])
def test_no_file_is_shown_but_of_a_contract(chain: Chain, file: str) -> None:
    declared = [
        program
        for program in chain.machine.programs.values()
        if program.spec.name == "Deblockle"
    ]  # fmt: skip
    failure = Failure("revert", "no", file=file, line=1)
    assert excerpt(failure, declared) == []


def test_the_lines_of_a_contract_are_shown(chain: Chain) -> None:
    failure = Failure("revert", "no", file=deblockle_module.__file__, line=75)
    lines = excerpt(failure, chain.machine.programs.values())
    assert [line.number for line in lines] == list(range(70, 79))
    assert [line.number for line in lines if line.is_hit] == [75]


def test_a_line_that_is_no_longer_there_is_not_shown(chain: Chain) -> None:
    failure = Failure("revert", "no", file=deblockle_module.__file__, line=9_999)
    assert excerpt(failure, chain.machine.programs.values()) == []


@pytest.mark.parametrize("position", [2, 3, 12, 16])
def test_a_transaction_becomes_a_test_that_passes(chain: Chain, position: int) -> None:
    test = written_test(chain, chain.receipts[position])
    assert test.text is not None, test.why
    names: dict[str, Callable[[], None]] = {}
    exec(test.text, names)
    (play,) = [value for name, value in names.items() if name.startswith("test_")]
    play()


def test_a_test_that_would_be_too_long_is_not_written(chain: Chain, monkeypatch: Any) -> None:
    monkeypatch.setattr(written, "LONGEST", 3)
    assert (
        written_test(chain, chain.receipts[3]).why
        == "It depends on 4 transactions: a test plays at most 3."
    )
