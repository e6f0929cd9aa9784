"""Nothing that outlives a call can be changed by one, however it is reached.

Each paragraph of `leaks.txt` is a module and the body of an entry that would remember something outside of storage. It is
played without the guard, several times on one chain and on another one in the same process. Either it is refused when it is
deployed, or every call comes to the same; what the guard alone refuses is marked so. `leaks.expected.txt` has what
an author reads.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, DeclarationError
from chain.errors import GuardError, Reverted

HERE = Path(__file__).parent
HEAD = "from chain import Contract, call, view\nfrom chain.types import i64\n"
PARAGRAPHS = (HERE / "leaks.txt").read_text("utf-8").strip().split("\n\n")
LEAKS = dict(paragraph.split("\n", 1) for paragraph in PARAGRAPHS)
# What only its name in the source shows: the guard refuses it everywhere.
BY_NAME = frozenset(
    """
    A number in a closure.
    A global number.
    The table behind an Enum.
    The attributes of an object.
    The dict of an object.
    A class by a name.
    """.strip().split("\n    ")
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Writes a leak as a file, and imports it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(title: str) -> Any:
        top, body = LEAKS[title].split("go:\n")
        inner = body.strip().replace("\n", "\n        ")
        entry = f"\n\nclass Leak(Contract):\n    @call\n    def go(self) -> i64:\n        {inner}\n"
        (tmp_path / "leaky.py").write_text(HEAD + top + entry, "utf-8")
        importlib.invalidate_caches()
        return importlib.import_module("leaky")

    yield write
    sys.modules.pop("leaky", None)


def came(leak: Any) -> str:
    try:
        return str(leak.go().return_value)
    except Reverted as no:
        return str(no)


def played(contract: type[Any]) -> list[str]:
    """Return the results of three calls on one chain and one on another, or why they are refused."""
    try:
        first = Chain(guard=False).deploy(contract)
        second = Chain(guard=False).deploy(contract)
    except DeclarationError as no:
        return [str(no)]
    return [came(first), came(first), came(first), came(second)]


@pytest.mark.parametrize("title", LEAKS)
def test_nothing_is_remembered(title: str, module: Callable[[str], Any]) -> None:
    made = module(title)
    if title in BY_NAME:
        with pytest.raises(GuardError):
            Chain().deploy(made.Leak)
    else:
        assert len(set(played(made.Leak))) == 1


def test_refusals_name_the_value_and_the_line(
    module: Callable[[str], Any], golden: Callable[[Path, str], None]
) -> None:
    said = []
    for title in LEAKS:
        sys.modules.pop("leaky", None)
        if title not in BY_NAME:
            came_first = played(module(title).Leak)[0]
            said.append(f"{title}\n    {came_first}\n")
            assert re.search(r"leaky\.py:\d+|^-?\d+$", came_first), came_first
    golden(HERE / "leaks.expected.txt", "".join(said))
