"""The compiled core and the sources that it is made from leave the same chains."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.chain.game_folders import GAMES, ROOT

# Prints which core runs, then for each chain how its calls ended, what they cost, and the hash of its last block.
PLAYER = """
import sys
from chain import Chain
from chain.foundation import creation_hooks
from chain.arena import Plan
from chain.arena.find_game import find_game
from chain.arena.match import play_game
from chain.foundation.compiled_core import describe_core
from contracts.deblockle import Deblockle

print(describe_core())
chains = []
creation_hooks.creation_listeners.append(chains.append)
for name in sys.argv[1:]:
    target = f"contracts.{name}"
    play_game(Plan.of(target, [*find_game(target).strategies][:2]), 0)
desk = Chain().deploy(Deblockle)
desk.pass_move(0, check=False)  # no such game: a line of the contract
chains[-1].send(desk.address, desk.pass_move.calldata(0)[:-1])  # too short: a line of ours, which nobody is told
for chain in chains:
    print([(str(receipt.error), receipt.gas_used, receipt.ticks) for receipt in chain.receipts])
    print(chain.block_hash().hex())
"""


def played(folder: Path, core: str) -> list[str]:
    """The name of the core of the Boardchain in `folder`, then the chains that games leave with it."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "BOARDCHAIN_CORE": core}
    command = [sys.executable, "-P", "-c", PLAYER, *GAMES]
    run = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def require_same_chains(folder: Path) -> None:
    (which, *compiled), (other, *sources) = played(folder, ""), played(folder, "python")
    assert (which, other) == ("compiled core", "pure Python")
    assert compiled == sources
    assert len(sources) >= 2 * len(GAMES) + 2


def extensions() -> dict[Path, Path]:
    """The extension modules of this checkout, by the sources they were made from."""
    found = (ROOT / "chain").rglob(f"*{EXTENSION_SUFFIXES[0]}")
    return {module.with_name(f"{module.name.partition('.')[0]}.py"): module for module in found}


@pytest.fixture
def core() -> dict[Path, Path]:
    found = extensions()
    if not found:
        pytest.skip("no core is compiled in this checkout: BOARDCHAIN_COMPILE=1 pip install -e .")
    return found


def test_both_cores_leave_same_chains(core: dict[Path, Path]) -> None:
    require_same_chains(ROOT)


def test_core_is_made_from_these_sources(core: dict[Path, Path]) -> None:
    """Python would silently run an extension module that is older than its source."""
    older = [
        str(part.relative_to(ROOT))
        for source, module in core.items()
        for part in (source, source.with_suffix(".pxd"))
        if part.exists() and module.stat().st_mtime < part.stat().st_mtime
    ]
    assert older == []


def test_version_names_core() -> None:
    environment = {**os.environ, "BOARDCHAIN_CORE": "python"}
    command = [sys.executable, "-m", "chain", "--version"]
    run = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.startswith("boardchain ")
    assert run.stdout.endswith(", pure Python\n")


def test_every_pxd_is_compiled() -> None:
    core = (ROOT / "setup.py").read_text("utf-8").split('"""')[3].split()
    named = [
        path.relative_to(ROOT / "chain").with_suffix("").as_posix()
        for path in ROOT.glob("chain/**/*.pxd")
    ]
    assert named
    assert {*named} <= {*core}


def set_attributes(source: str, cls: str) -> set[str]:
    """The attributes that the methods of a class set on `self`, without its properties."""
    (found,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == cls
    )
    return {
        node.attr
        for node in ast.walk(found)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name) and node.value.id == "self"
    } - {node.name for node in found.body if isinstance(node, ast.FunctionDef)}  # fmt: skip


def declared_attributes(text: str) -> dict[str, set[str]]:
    """The attributes of each class in a `.pxd`, those of its bases there or in other files included."""
    classes: dict[str, set[str]] = {}
    bases: dict[str, str] = {}
    for head, body in re.findall(r"cdef class (.+):\n((?:[ \t].*\n|\n)*)", text):
        name, _, bases[name] = head.rstrip(")").partition("(")
        fields = re.findall(r"^\s+cdef [^(\n]*$", body, re.MULTILINE)
        classes[name] = {part.split()[-1] for field in fields for part in field.split(",")}

    def with_bases(name: str) -> set[str]:
        return classes[name] | with_bases(bases[name]) if name in classes else set()

    return {name: with_bases(name) for name in classes}


def test_every_pxd_names_the_attributes_of_its_classes() -> None:
    paths = sorted(ROOT.glob("chain/**/*.pxd"))
    declared = declared_attributes("\n".join(path.read_text("utf-8") for path in paths) + "\n")
    assert {"Frame", "State", "Slots", "CachedValue"} <= {*declared}
    sources = {path: path.with_suffix(".py").read_text("utf-8") for path in paths}
    for path, source in sources.items():
        for cls in declared_attributes(path.read_text("utf-8") + "\n"):
            missing = set_attributes(source, cls) - declared[cls] - {"__class__"}
            assert not missing, f"{path.name}: {cls} lacks {missing}"


@pytest.mark.slow
def test_wheel_has_compiled_core(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(ROOT)]  # fmt: skip
    subprocess.run(command, env={**os.environ, "BOARDCHAIN_COMPILE": "1"}, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "none-any" not in wheel.name
    ZipFile(wheel).extractall(tmp_path / "unpacked")
    require_same_chains(tmp_path / "unpacked")
