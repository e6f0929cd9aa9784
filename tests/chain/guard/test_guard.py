"""The guard finds what would not be the same everywhere, and accepts ordinary code.

Each file in `snippets` holds a few lines that no contract may have; next to it is the whole message that their author
reads. After a change on purpose, `pytest tests/chain/guard/test_guard.py --rewrite` writes these texts again. Those in `fine`
may stay. Those in `running` show their mistake only by a value: it is refused at deployment, or when the line runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from chain import Chain, Contract, DeclarationError, call
from chain.errors import GuardError
from chain.guard import check_source
from chain.guard.rules import RULES
from chain.types import u64

FOLDER = Path(__file__).parent / "snippets"
SNIPPETS = sorted(FOLDER.glob("*.py"))
CONTRACTS = Path(__file__).parents[3] / "contracts"
EVERYDAY = dict(line.split() for line in (FOLDER / "everyday.txt").read_text("utf-8").splitlines())


def each(paths: list[Path]) -> list[ParameterSet]:
    return [pytest.param(path, id=path.stem) for path in sorted(paths)]


@pytest.mark.parametrize("path", each(SNIPPETS))
def test_snippet_is_refused(path: Path, golden: Callable[[Path, str], None]) -> None:
    found = [str(finding) for finding in check_source(path.read_text("utf-8"), path.name)]
    assert found
    assert [
        text for text in found if not re.fullmatch(r"\w+\.py:\d+:\d+: [^;]+; [^;]+; [^;]+", text)
    ] == []
    golden(path.with_suffix(".txt"), "".join(f"{text}\n" for text in found))


@pytest.mark.parametrize("path", each([*(FOLDER / "fine").glob("*.py")]))
def test_ordinary_code_passes(path: Path) -> None:
    assert check_source(path.read_text("utf-8"), path.name) == []


@pytest.mark.parametrize("path", each([*(FOLDER / "running").glob("*.py")]))
def test_value_is_refused(path: Path) -> None:
    assert check_source(path.read_text("utf-8"), path.name) == []
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    words = path.with_suffix(".txt").read_text("utf-8").splitlines()
    with pytest.raises(Exception, match=".*".join(map(re.escape, words))):
        Chain().deploy(module.Game).play()


def test_every_rule_has_a_snippet() -> None:
    found = [found for path in SNIPPETS for found in check_source(path.read_text("utf-8"))]
    assert {finding.rule for finding in found} == set(RULES)


def test_everyday_mistakes_are_refused() -> None:
    refused = {"static": FOLDER, "running": FOLDER / "running"}
    assert [
        name for name, how in EVERYDAY.items() if not (refused[how] / f"{name}.py").exists()
    ] == []


# Files


def test_source_nested_too_deeply_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*args: object) -> None:
        raise RecursionError

    monkeypatch.setattr("chain.guard.visitor.findings_in", too_deep)
    [found] = check_source("SUM = 1")
    assert found.what == "this cannot be read: it is nested too deeply"


def test_module_that_is_nowhere_is_refused() -> None:
    [found] = check_source("from chain.nowhere import *")
    assert found.rule == "machine"


# At every deployment


class Half(Contract):
    held: u64

    @call
    def halve(self) -> None:
        self.held = int(self.held / 2)


class Thin(Contract):
    """A contract whose only mistake is what it deploys."""

    @call
    def make(self) -> None:
        self.deploy(Half)


@pytest.mark.parametrize("contract", [Half, Thin])
def test_deploy_refuses_what_is_found(contract: type[Contract]) -> None:
    with pytest.raises(GuardError) as refused:
        Chain().deploy(contract)
    [finding] = refused.value.findings
    assert finding.rule == "division"
    assert str(refused.value).splitlines() == [
        f"{contract.__name__} is not deployed: the guard found code that no contract may contain:",
        f"  {finding}",
    ]


def test_refusal_is_an_authors_mistake() -> None:
    with pytest.raises(DeclarationError, match="write '//'"):
        Chain().declare(Half)


def test_nothing_is_left_of_a_refused_deploy(chain: Chain) -> None:
    with pytest.raises(GuardError):
        chain.deploy(Half)
    assert (len(chain.receipts), len(chain.blocks), chain.machine.programs) == (0, 1, {})


def test_chain_without_guard_deploys_all() -> None:
    assert Chain(guard=False).deploy(Half).halve().ok


def test_forks_and_pasts_have_the_same_guard() -> None:
    open_chain, chain = Chain(guard=False), Chain()
    open_chain.fork().deploy(Half)
    open_chain.at(0).declare(Half)
    for guarded in (chain.fork(), chain.at(0)):
        with pytest.raises(GuardError):
            guarded.declare(Half)


def test_unguarded_file_stays_so(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "half.chain", guard=False) as chain:
        chain.deploy(Half)
    with Chain.open(tmp_path / "half.chain", contracts=[Half]) as again:
        assert again.receipts[0].ok
