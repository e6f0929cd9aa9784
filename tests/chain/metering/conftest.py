"""Modules of authors, written by tests."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

Load = Callable[..., Any]
HEAD = """from chain import Chain, Contract, call, view
from chain.types import i64, u64
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Write modules, by name, and import the last one; what an earlier call imported is imported again."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    written: dict[str, None] = {}

    def write(head: str = HEAD, **texts: str) -> Any:
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(head + dedent(text), "utf-8")
            written[name.replace("__", ".")] = None
        forget()
        return importlib.import_module([*texts][-1].replace("__", "."))

    def forget() -> None:
        tops = {name.partition(".")[0] for name in written}
        for name in [name for name in sys.modules if name.partition(".")[0] in tops]:
            del sys.modules[name]
        importlib.invalidate_caches()
        linecache.checkcache()

    yield write
    forget()
