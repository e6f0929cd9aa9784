"""Which contracts a package offers, and by which names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain import World
from chain.simulator.catalogue import ContractCatalogue, ContractNotFound
from contracts.mage_duel import Game

CONTRACT = "from chain import Contract\n\n\nclass {}(Contract):\n    pass\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> Path:
    """A package of a name of its own, where Python finds it."""
    folder = tmp_path / f"offered_{abs(hash(request.node.name))}"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_games_are_found_by_name() -> None:
    offered = ContractCatalogue("contracts")
    assert offered.find("PlayerProfile").__module__ == "contracts.mage_duel.profile"
    assert offered.find("contracts.mage_duel:Game") is Game
    assert World in offered.classes


def test_ambiguous_name_needs_its_package(package: Path) -> None:
    for name in ("one", "two"):
        (package / f"{name}.py").write_text(CONTRACT.format("Game"))
    with pytest.raises(
        ContractNotFound, match=f"2 contracts are called Game: write {package.name}.one:Game or "
    ):
        ContractCatalogue(package.name).find("Game")
    assert ContractCatalogue(package.name).find(f"{package.name}.two:Game").__name__ == "Game"


def test_what_is_imported_is_not_offered(package: Path) -> None:
    (package / "one.py").write_text(
        "from contracts.deblockle import Deblockle\n" + CONTRACT.format("Own")
    )
    with pytest.raises(ContractNotFound, match="offers no contract 'Deblockle'; it has Own"):
        ContractCatalogue(package.name).find("Deblockle")


@pytest.mark.parametrize(("text", "says"), [
    ("x = (", r"one\.py:1: this is not valid Python"),
    ("\nimport nothing_of_that_name", r"one\.py:2: ModuleNotFoundError"),
    ("from chain import Contract, call\nclass A(Contract):\n @call\n def a(self, x): ...", r"one\.py:4: A.a: argument"),
])  # fmt: skip
def test_mistake_is_reported_with_its_place(package: Path, text: str, says: str) -> None:
    (package / "one.py").write_text(text)
    with pytest.raises(ContractNotFound, match=says):
        _ = ContractCatalogue(package.name).classes
