"""A class runs the code of its own definition, never that of another class of its name."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chain import Chain, DeclarationError
from chain.metering.program import program_of

HEAD = "from chain import Chain, Contract, call, view\nfrom chain.types import Address, u64\n"
STEP = "class Counter(Contract):\n n: u64\n @call\n def inc(self) -> u64:\n  self.n += {}\n  return self.n\n"
FIELDS = "class Counter(Base):\n {}: u64\n"


def indented(text: str) -> str:
    return "".join(f" {line}\n" for line in text.splitlines())


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Writes a file and imports it, or imports it again."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str) -> ModuleType:
        (tmp_path / "twice.py").write_text(HEAD + text, "utf-8")
        importlib.invalidate_caches()
        linecache.checkcache()
        known = sys.modules.get("twice")
        return importlib.reload(known) if known else importlib.import_module("twice")

    yield write
    sys.modules.pop("twice", None)


def counted(cls: Any, chain: Chain | None = None) -> int:
    counter = (chain or Chain()).deploy(cls)
    return int(counter.inc().return_value)


ONE, TEN = STEP.format(1), STEP.format(10)
FASTER = "def inc(self) -> u64:\n   self.n += 10\n   return self.n\n"
# By what makes a second class of a name: the file, and what each class that it keeps counts by.
KEPT = {
    "below": (f"{ONE}V1 = Counter\n{TEN}V2 = Counter\n", {"V1": 1, "V2": 10, "Counter": 10}),
    "derived": (f"{ONE}V1 = Counter\nclass Counter(Counter):\n  @call\n  {FASTER}", {"V1": 1, "Counter": 10}),
    "in a loop": (
        f"KEPT = []\nfor n in range(2):\n if n:\n{indented(indented(TEN))} else:\n{indented(indented(ONE))}"
        " KEPT.append(Counter)\nV1, V2 = KEPT\n",
        {"V1": 1, "V2": 10},
    ),
    "if": (f"if len('a') == 1:\n{indented(ONE)}else:\n{indented(TEN)}", {"Counter": 1}),
    "else": (f"if len('a') == 2:\n{indented(ONE)}else:\n{indented(TEN)}", {"Counter": 10}),
    "deleted": (f"{ONE}V1 = Counter\ndel Counter\n", {"V1": 1}),
    "renamed": (f"{ONE}V1 = Counter\nCounter = None\n", {"V1": 1}),
    "decorated": (
        f"def faster(cls):\n class Counter(cls):\n  @call\n  {FASTER} return Counter\n@faster\n{ONE}",
        {"Counter": 10},
    ),
    "decorated under its name": (
        f"def faster(cls):\n class New(cls):\n  @call\n  {FASTER}"
        f" New.__name__ = New.__qualname__ = cls.__name__\n return New\n@faster\n{ONE}",
        {"Counter": 10},
    ),
    "another behind a decorator": (
        f"{TEN}V2 = Counter\ndef old(cls): return V2\n@old\n{ONE}",
        {"Counter": 10, "V2": 10},
    ),
    "a deployer": (
        f"{ONE}V1 = Counter\n{TEN}class Maker(Contract):\n @call\n def inc(self) -> u64:\n"
        "  return self.at(V1, self.deploy(V1)).inc()\n",
        {"Maker": 1},
    ),
    "a parent": (f"{ONE}class Heir(Counter): pass\n{TEN}", {"Counter": 10, "Heir": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "steps"), KEPT.values(), ids=KEPT)
def test_class_runs_its_own_code(
    text: str, steps: dict[str, int], load: Callable[[str], ModuleType]
) -> None:
    module = load(text)
    chain = Chain(guard=False)
    assert {name: counted(getattr(module, name), chain) for name in steps} == steps


@pytest.mark.parametrize("name", ["V1", "V2"])
def test_each_has_its_own_layout(name: str, load: Callable[[str], ModuleType]) -> None:
    module = load(
        "class Pair(Contract):\n a: u64\nV1 = Pair\nclass Pair(Contract):\n b: u64\n c: u64\nV2 = Pair\n"
    )
    program = program_of(getattr(module, name))
    assert program.spec.cls is getattr(module, name)
    assert program.digest != program_of(module.V1 if name == "V2" else module.V2).digest


def test_class_from_before_a_reload_keeps_its_code(load: Callable[[str], ModuleType]) -> None:
    old = load(STEP.format(1)).Counter
    new = load(STEP.format(10)).Counter
    assert (counted(old), counted(new)) == (1, 10)


def test_reload_of_the_same_text_is_the_same(load: Callable[[str], ModuleType]) -> None:
    old, new = (program_of(load(STEP.format(1)).Counter) for _ in "ab")
    assert counted(old.spec.cls) == counted(new.spec.cls) == 1


def test_edited_file_is_refused(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    counter = load(STEP.format(1)).Counter
    (tmp_path / "twice.py").write_text(HEAD + STEP.format(1_000), "utf-8")
    with pytest.raises(DeclarationError, match=r"twice.py:3: Counter differs from its file"):
        program_of(counter)


def test_words_around_may_be_edited(load: Callable[[str], ModuleType], tmp_path: Path) -> None:
    counter = load(STEP.format(1)).Counter
    (tmp_path / "twice.py").write_text(f"# a comment\n{HEAD}\n\n{STEP.format(1)}", "utf-8")
    assert counted(counter) == 1


def typed(space: dict[str, Any], text: str, name: str) -> Any:
    """Run code as a notebook runs a cell."""
    lines = text.splitlines(keepends=True)
    if name.startswith("<ipython"):
        linecache.cache[name] = (len(text), None, lines, name)
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space["Counter"]


@pytest.mark.parametrize("file", ["<ipython-input-{}>", "<stdin>"])
def test_class_typed_again_runs_its_own_code(file: str) -> None:
    space: dict[str, Any] = {"__name__": "typed_in"}
    found = [typed(space, HEAD + STEP.format(step), file.format(step)) for step in (1, 10, 100)]
    assert [counted(each) for each in found] == [1, 10, 100]


def test_helper_typed_again_is_another_program() -> None:
    space: dict[str, Any] = {"__name__": "typed_in"}
    text = STEP.format("helper()")
    chain = Chain(guard=False)
    steps = []
    for step in (1, 10):
        typed(space, f"{HEAD}def helper(): return {step}\n{text}", "<stdin>")
        steps.append(counted(space["Counter"], chain))
    assert steps == [1, 10]
