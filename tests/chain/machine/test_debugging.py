"""`print` and `breakpoint` in contracts: comments for the chain, and a help for the author."""

from __future__ import annotations

import io
import pdb
import sys
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, DeclarationError
from chain.metering.program import program_of
from chain.simulator.catalogue import ContractCatalogue

PLAIN = """
from chain import Contract, Map, call, view
from chain.types import u8, u64

class Bag(Contract):
    total: u64
    seen: Map[u64, u8]

    @call
    def add(self, n: u64) -> u64:
        for i in range(n):
            self.total += i
        if n > 5:
            self.seen[n] = 1
        return self.total

    @view
    def sum(self) -> u64:
        return self.total
"""
LOOKED_AT = (
    PLAIN.replace("        for i in", "        print('adding', n, self.seen[n], self.total)\n        for i in")
    .replace("            self.total += i\n", "            self.total += i\n            print(i)\n")
    .replace("            self.seen[n] = 1\n", "            self.seen[n] = 1\n            print('many')\n")
    .replace("        return self.total\n\n", "        breakpoint()\n        return self.total\n\n")
)  # fmt: skip


@pytest.fixture
def bags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The class without and with statements for debugging, from two packages of one name."""
    classes = []
    for name, text in (("plain", PLAIN), ("looked_at", LOOKED_AT)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bag_of_numbers.py").write_text(text)
        monkeypatch.syspath_prepend(folder)
        sys.modules.pop("bag_of_numbers", None)
        classes.append(ContractCatalogue("bag_of_numbers").find("Bag"))
        program_of(classes[-1])
    return classes[0], classes[1]


def played(chain: Chain, bag: Any) -> tuple[Any, ...]:
    handle = chain.deploy(bag)
    receipts = [handle.add(3), handle.add(9), handle.add(2**63, gas=100_000, check=False)]
    return (
        chain.block_hash(), chain.state_root(), handle.sum(),
        [(receipt.ok, receipt.gas_used, receipt.ticks) for receipt in receipts],
    )  # fmt: skip


def test_digest_leaves_them_out(bags: tuple[Any, Any]) -> None:
    plain, looked_at = map(program_of, bags)
    assert plain.digest == looked_at.digest


def test_prints_change_no_gas_and_no_hash(
    bags: tuple[Any, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)
    plain, looked_at = bags
    expected = played(Chain(), plain)
    assert capsys.readouterr().out == ""
    assert played(Chain(debug=True), looked_at) == expected
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == ["adding 3 0 0", "0", "1", "2", "adding 9 0 3"] and "many" in lines


def test_they_are_silent_on_other_chains(
    bags: tuple[Any, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    Chain(debug=True)
    _, looked_at = bags
    with pytest.raises(DeclarationError, match=r"debug on a Chain\(debug=True\)"):
        Chain().deploy(looked_at)
    assert capsys.readouterr().out == ""


def test_prompt_of_a_breakpoint_changes_nothing(
    bags: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, looked_at = bags
    expected = played(Chain(), plain)
    told = io.StringIO()
    asked = "p n, self.total, self.seen[77]\n!self.total = 5\np self.total\nw\nc\n"

    def stop() -> None:
        debugger = pdb.Pdb(stdin=io.StringIO(asked), stdout=told, nosigint=True, readrc=False)
        debugger.use_rawinput = False
        debugger.set_trace(sys._getframe().f_back)

    monkeypatch.setattr(sys, "breakpointhook", stop)
    assert played(Chain(debug=True), looked_at) == expected
    assert "(3, 3, 0)" in told.getvalue() and "(9, 39, 0)" in told.getvalue()
    assert "bag_of_numbers.py" in told.getvalue()
    # Since Python 3.14 it stops at the breakpoint, before at the line after it.
    assert "-> return self.total" in told.getvalue() or "-> breakpoint()" in told.getvalue()


def test_own_function_of_that_name_is_ordinary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PLAIN.replace("            self.seen[n] = 1\n", "            print(self, n)\n")
    text += "\ndef print(bag: Bag, n: int) -> None:\n    bag.seen[n] = 1\n"
    (tmp_path / "printing_bag.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    bag = Chain().deploy(ContractCatalogue("printing_bag").find("Bag"))
    untyped: Any = bag
    untyped.add(9)
    assert untyped.fields.seen[9] == 1


def test_file_is_debugged_by_who_opens_it(
    bags: tuple[Any, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)
    with Chain.open(tmp_path / "bag.chain", debug=True) as chain:
        chain.deploy(bags[1]).add(1)
    assert capsys.readouterr().out.startswith("adding 1 0 0")
    with Chain.open(tmp_path / "bag.chain", contracts=[bags[0]]) as chain:
        chain.contract("Bag").add(1)
    assert capsys.readouterr().out == ""
