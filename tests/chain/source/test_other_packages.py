"""A contract may use one of another package, wherever that is; the linter finds the same as a deploy."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chain import Chain
from chain.cli.main import cli
from chain.errors import GuardError
from chain.guard import check
from chain.metering.program import program_of

HEAD = "from chain import Contract, Key, call, event\nfrom chain.types import u64\n"
BELL = """
from {rules} import STEP, later
class Bell(Contract):
 count: u64
 @call
 def ring(self) -> u64:
  for _ in range(50): pass
  self.count += STEP
  return later(self.count)
"""
RULES = "STEP = {step}\ndef later(n: int) -> int: return n // 1\n"
OWN = "from {bells} import Bell\nclass Mine(Bell): pass\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes files in folders that are on Python's path, and imports the module `own`."""
    names: set[str] = set()

    def write(**files: str) -> Any:
        for place, text in files.items():
            folder, *rest = place.split("__")
            file = tmp_path.joinpath(folder.replace("_", "-"), *rest[:-1], f"{rest[-1]}.py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            monkeypatch.syspath_prepend(tmp_path / folder.replace("_", "-"))
            names.add(rest[0])
        importlib.invalidate_caches()
        return importlib.import_module("own") if "own" in names else None

    yield write
    for name in [name for name in sys.modules if name.partition(".")[0] in names]:
        del sys.modules[name]


@pytest.mark.parametrize("folder", ["elsewhere", "site_packages"])
def test_contract_of_another_package_is_a_parent(folder: str, write: Callable[..., Any]) -> None:
    own = write(
        **{
            f"{folder}__bells__rules": RULES.format(step=3),
            f"{folder}__bells__contract": HEAD + BELL.format(rules="bells.rules"),
            "here__own": OWN.format(bells="bells.contract"),
        }
    )
    receipt = Chain().deploy(own.Mine).ring()
    assert receipt.return_value == 3
    assert receipt.ticks > 50  # it is metered like one's own
    assert program_of(own.Mine).namespace is not None


def test_rule_of_another_package_is_in_the_digest(write: Callable[..., Any]) -> None:
    digests = set()
    for step in (3, 4):
        own = write(
            site_packages__bells__rules=RULES.format(step=step),
            site_packages__bells__contract=HEAD + BELL.format(rules="bells.rules"),
            here__own=OWN.format(bells="bells.contract"),
        )
        digests.add(program_of(own.Mine).digest)
        for name in ("own", "bells.rules", "bells.contract", "bells"):
            del sys.modules[name]
    assert len(digests) == 2


def test_other_package_passes_the_guard_itself(write: Callable[..., Any]) -> None:
    own = write(
        elsewhere__bells__rules=RULES.format(step=3).replace("//", "/"),
        elsewhere__bells__contract=HEAD + BELL.format(rules="bells.rules"),
        here__own=OWN.format(bells="bells.contract"),
    )
    with pytest.raises(GuardError, match=r"rules.py:2:34: '/' makes a float"):
        Chain().deploy(own.Mine)


def test_installed_package_without_contracts_is_refused(write: Callable[..., Any]) -> None:
    own = write(
        site_packages__hexes__rules=RULES.format(step=3),
        here__own=HEAD + BELL.format(rules="hexes.rules"),
    )
    with pytest.raises(GuardError, match=r"'hexes.rules.STEP' is not on the list"):
        Chain().deploy(own.Bell)


CIRCLE = {
    "here__circle__tour": HEAD
    + "import circle.stop\n@event\nclass Toured:\n n: Key[u64]\n"
    + "class Tour(Contract):\n @call\n def go(self) -> u64:\n"
    + "  self.emit(circle.tour.Toured(1))\n  return circle.stop.steps(circle.stop.N)\n",
    "here__circle__stop": "import circle.tour\nN = 2\ndef steps(n: int) -> int:\n for _ in range(50): n += 1\n return n\n",
    "here__own": "import circle.tour\n",
}
CIRCLE["here__circle__tour"] = "import circle.tour\n" + CIRCLE["here__circle__tour"]


@pytest.mark.parametrize("more", [{}, {"here__circle____init__": ""}], ids=["no file", "a file"])
def test_modules_may_import_each_other(more: dict[str, str], write: Callable[..., Any]) -> None:
    tour = write(**CIRCLE, **more).circle.tour
    receipt = Chain().deploy(tour.Tour).go()
    assert (receipt.return_value, receipt.ticks > 50) == (52, True)
    assert receipt.events == [tour.Toured(1)]


def test_attribute_spelled_like_an_event_is_not_an_event(write: Callable[..., Any]) -> None:
    own = write(
        here__own=HEAD + "@event\nclass Rung:\n n: u64\n"
        "class Bell(Contract):\n Rung: u64\n @call\n def ring(self) -> None: self.Rung = 1\n"
    )
    assert own.Bell.__spec__.events == {}


# The linter


def lint(*words: object) -> Result:
    return CliRunner().invoke(cli, ["lint", *map(str, words)])


SCRIPT = HEAD + "import random\nclass Bell(Contract):\n n: u64\nprint(random.random() / 2)\n"


def test_file_is_read_as_a_deploy_reads_it(tmp_path: Path) -> None:
    (tmp_path / "bell.py").write_text(SCRIPT, "utf-8")
    assert check(tmp_path / "bell.py") == []


def test_contract_in_a_function_is_read(tmp_path: Path) -> None:
    text = (
        HEAD
        + "def make():\n class Bell(Contract):\n  @call\n  def ring(self) -> None: print(0)\n return Bell\n"
    )
    (tmp_path / "bell.py").write_text(text, "utf-8")
    assert [each.rule for each in check(tmp_path / "bell.py")] == ["debug"]


def test_project_is_read_through_its_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("contracts/game", "scripts", "venv/lib"):
        (tmp_path / folder).mkdir(parents=True)
    bad = SCRIPT.replace("n: u64", "@call\n def ring(self) -> None: print(0)")
    (tmp_path / "contracts" / "game" / "contract.py").write_text(bad, "utf-8")
    (tmp_path / "venv" / "lib" / "contract.py").write_text(bad, "utf-8")
    (tmp_path / "scripts" / "play.py").write_text("print(1 / 2)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    found = lint(".")
    assert found.exit_code == 1
    assert found.stdout.startswith("contracts/game/contract.py:6:26: 'print' works")
    assert found.stderr == "findings: 1\n"


def test_installed_package_is_found_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finder:  # as of an editable install: no folder on the path has it
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> object:
            if name != "lent":
                return None
            return importlib.util.spec_from_file_location(name, tmp_path / "lent" / "__init__.py")

    (tmp_path / "lent" / "game").mkdir(parents=True)
    for folder in ("lent", "lent/game"):
        (tmp_path / folder / "__init__.py").write_text("", "utf-8")
    (tmp_path / "lent" / "game" / "contract.py").write_text(
        SCRIPT.replace("print(random.random() / 2)", "1 / 2"), "utf-8"
    )
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert "'/' makes a float" in lint("lent.game").stdout
    assert "lent" not in sys.modules
