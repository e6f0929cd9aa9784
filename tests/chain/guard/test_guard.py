"""The guard finds what would not be the same everywhere, and accepts ordinary code.

Each file in `snippets` holds a few lines that no contract may have; next to it is the whole message that their author
reads. After a change on purpose, `pytest tests/chain/guard/test_guard.py --rewrite` writes these texts anew. Those
in `fine` may stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from click.testing import CliRunner, Result

from chain import Chain, Contract, DeclarationError, call
from chain.cli.main import cli
from chain.errors import GuardError
from chain.guard import Finding, check, check_source
from chain.guard.rules import RULES
from chain.simulator import reader
from chain.types import u64

FOLDER = Path(__file__).parent / "snippets"
SNIPPETS = sorted(FOLDER.glob("*.py"))
FINE = sorted((FOLDER / "fine").glob("*.py"))
CONTRACTS = Path(__file__).parents[3] / "contracts"
GAMES = sorted(module.parent.name for module in CONTRACTS.glob("*/contract.py"))


def findings(path: Path) -> list[Finding]:
    """Return the findings. A snippet about the data of a package is checked as the module that may read them."""
    name = "library.py" if path.stem.startswith("library_") else path.name
    return check_source(path.read_text("utf-8"), name)


def each(paths: list[Path]) -> list[ParameterSet]:
    return [pytest.param(path, id=path.stem) for path in paths]


@pytest.mark.parametrize("path", each(SNIPPETS))
def test_snippet_is_refused(path: Path, golden: Callable[[Path, str], None]) -> None:
    golden(path.with_suffix(".txt"), "".join(f"{finding}\n" for finding in findings(path)))


@pytest.mark.parametrize("path", each(SNIPPETS))
def test_refusal_says_what_why_instead(path: Path) -> None:
    lines = path.with_suffix(".txt").read_text("utf-8").splitlines()
    assert lines
    assert [
        line for line in lines if not re.match(r"\w+\.py:\d+:\d+: [^;]+; [^;]+; [^;]+\Z", line)
    ] == []


def test_every_rule_has_a_snippet() -> None:
    used = {finding.rule for path in SNIPPETS for finding in findings(path)}
    assert used == {rule.name for rule in RULES}


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("path", each(FINE))
def test_ordinary_code_passes(path: Path) -> None:
    assert findings(path) == []


@pytest.mark.parametrize("game", GAMES)
def test_game_passes(game: str) -> None:
    assert check(CONTRACTS / game) == []


# The command


def lint(*words: object) -> Result:
    return CliRunner().invoke(cli, ["lint", *map(str, words)])


def test_command_prints_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    found = lint("imaginary_step.py", "division.py")
    expected = [Path(f"{name}.txt").read_text("utf-8") for name in ("imaginary_step", "division")]
    assert found.exit_code == 1
    assert found.stdout == "".join(expected)


def test_command_answers_in_json() -> None:
    [first, *_] = json.loads(lint("--json", FOLDER / "division.py").stdout)
    assert [first[name] for name in ("line", "column", "rule")] == [2, 5, "division"]


def test_command_is_content_with_a_good_file() -> None:
    done = lint(FOLDER / "fine" / "matching_a_move.py")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no findings\n")


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ([], "Missing argument 'TARGET…'"),
        (["no.such"], "no such file or package"),
        (["{empty}"], "no Python"),
    ],
)
def test_command_says_how_to_call_it(targets: list[str], said: str, tmp_path: Path) -> None:
    done = lint(*(target.format(empty=tmp_path) for target in targets))
    assert done.exit_code == 2
    assert said in done.stderr


# At every deploy


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


def test_class_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fresh(Contract):
        @call
        def nothing(self) -> None: ...

    Chain().deploy(Fresh)
    monkeypatch.setattr("chain.guard.check_contract", None)
    Chain().deploy(Fresh)
    assert reader.run_guard.cache_info().hits


def test_unguarded_file_stays_so(tmp_path: Path) -> None:
    with Chain.open(tmp_path / "half.chain", guard=False) as chain:
        chain.deploy(Half)
    with Chain.open(tmp_path / "half.chain", contracts=[Half]) as again:
        assert again.receipts[0].ok
