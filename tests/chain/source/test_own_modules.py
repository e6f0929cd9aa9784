"""Which modules are an author's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chain import Chain
from chain.errors import GuardError
from chain.source.own_modules import is_own, modules_imported_by
from tests.chain.metering.conftest import Load, load

__all__ = ["load"]


@pytest.mark.parametrize("init", [True, False])
def test_installed_package_without_contracts_is_refused(
    init: bool, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"hexes{init}"
    folder = tmp_path / "site-packages" / name
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text("STEP = 3\n", "utf-8")
    if init:
        (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(folder.parent)
    text = f"from {name}.rules import STEP\nclass Bell(Contract):\n @view\n def ring(self) -> u64: return STEP\n"
    with pytest.raises(GuardError, match=rf"'{name}\.rules\.STEP' is not on the list"):
        Chain().deploy(load(own=text).Bell)
    assert not is_own(name)


def test_modules_may_import_each_other(load: Load) -> None:
    stop = "import circle.tour\nN = 2\ndef steps(n):\n for _ in range(50): n += 1\n return n\n"
    tour = "import circle.stop\nclass Tour(Contract):\n @call\n def go(self) -> u64: return circle.stop.steps(circle.stop.N)\n"
    made = load(circle__stop=stop, circle__tour=tour)
    receipt = Chain().deploy(made.Tour).go()
    assert (receipt.return_value, receipt.ticks) == (52, 52)
    assert {*modules_imported_by("circle.tour")} == {"circle", "circle.tour", "circle.stop"}
    assert is_own("circle") and not is_own("json") and not is_own("chain.types")
    assert "circle.stop" in sys.modules
