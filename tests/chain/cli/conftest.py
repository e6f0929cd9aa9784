"""A project in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chain.cli.arena_project import ARENA


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a plan and no package of contracts."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "none_here.py").write_text("")
    for folder in ("scripts", "elsewhere"):
        (tmp_path / folder).mkdir()
    for name in ("deploy", "other"):
        (tmp_path / f"scripts/{name}.py").write_text(ARENA)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("BOARDCHAIN_CONTRACTS", "none_here")
    monkeypatch.chdir(tmp_path)
    return tmp_path
