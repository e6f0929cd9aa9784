"""A class that changes from one version to the next."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from chain.metering.program import program_of
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.reload_package import import_again
from tests.chain.versions import Edit

_numbers = count()


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edit]:
    """Writes the one module of a package and imports it; its class Game. So one class comes in several versions."""
    name = f"arena_{next(_numbers)}"
    monkeypatch.syspath_prepend(tmp_path)
    known: list[ContractCatalogue] = []

    def write(text: str) -> Any:
        (tmp_path / f"{name}.py").write_text(dedent(text))
        known[:] = [import_again(known[0]) if known else ContractCatalogue(name)]
        found = known[0].find("Game")
        program_of(found)
        return found

    yield write
    sys.modules.pop(name, None)
