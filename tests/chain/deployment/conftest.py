"""A journal in a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain.deployment.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "plan.json")
