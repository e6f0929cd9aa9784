"""What every test sees: the `--vectors DIR` option and the `records` mark that reads recorded games from there."""

from __future__ import annotations

import asyncio
import gc
import json
import lzma
import os
import sys
from collections.abc import Callable, Coroutine, Generator, Iterator
from compileall import compile_dir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

import pytest
import uvicorn.server
from hypothesis import settings

from chain.plugins import pytest_plugin

# Here once for all: pytester forgets what a run inside a test imports first.
from chain.simulator.chain import Chain

# No wall clock: a busy machine must not fail an example. Where it counts (CI), the examples are the same every time.
settings.register_profile("steady", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("steady")

# Tests put faults into what instruments: what they make is not kept, nor taken from what was kept.
os.environ["BOARDCHAIN_CACHE"] = "off"
# What tests deploy does not enter the list of what the user deployed.
_STATE = TemporaryDirectory(prefix="boardchain-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name

HERE = Path(__file__).parent

_IMPORTED: Final = pytest.StashKey[WeakSet[Chain]]()  # the chains that modules of tests have made
_BETWEEN: Final = 10_000  # new objects between two collections, which take a sixth of the time of a test otherwise
_NAP: Final = 0.005  # seconds


def _nap(seconds: float) -> Coroutine[Any, Any, None]:
    return asyncio.sleep(min(seconds, _NAP))


# uvicorn looks every tenth of a second whether it should stop, and waits for another; each test with a server waits for both.
vars(uvicorn.server)["asyncio"] = SimpleNamespace(**vars(asyncio) | {"sleep": _nap})


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin("boardchain"):  # the package is not installed
        pluginmanager.register(pytest_plugin, "boardchain")
    parser.addoption(
        "--vectors",
        type=Path,
        default=HERE / "vectors",
        metavar="DIR",
        help="the folder of recorded games and cases that tests/conformance replays",
    )
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write the golden files anew from what the code says now, instead of comparing",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with the file that holds what it should be, or writes that file under --rewrite."""

    def compare(file: Path, text: str) -> None:
        if request.config.getoption("--rewrite"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8")

    return compare


def pytest_configure() -> None:
    """Compile the sources once for the hundreds of processes that tests start, even where Python keeps no bytecode."""
    for package in ("chain", "contracts"):
        compile_dir(HERE.parent / package, quiet=1)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep tests with their rewritten asserts for the next run, and out of sight of tests that collect garbage."""
    sys.dont_write_bytecode = False
    gc.disable()
    try:
        return (yield)
    finally:
        session.config.stash[_IMPORTED] = WeakSet(_anchored(session))
        gc.freeze()
        gc.set_threshold(_BETWEEN, *gc.get_threshold()[1:])
        gc.enable()
        # Tests change modules within a second, where Python would take the old bytecode. So do the processes that they start.
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """Forget the chains of a file of tests when it is over, or each would be reverted after every further test.

    Caches keep some of them: those of web3.py, and of programs. These are frozen, and so not walked again.
    """
    result = yield
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
        anchored = _anchored(item)
        for chain in {*anchored} - {*item.config.stash[_IMPORTED]}:
            del anchored[chain]
    return result


def _anchored(node: pytest.Session | pytest.Item) -> WeakKeyDictionary[Chain, int]:
    """The chains that the plugin reverts after a test."""
    return node.config.stash[pytest_plugin._KEY].began


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.records("deblockle", "calls")` runs a test once for every recorded value with those keys.

    Files are recognised by what is in them, never by their names, so a larger collection is replayed as it is.
    """
    mark = metafunc.definition.get_closest_marker("records")
    if mark is None:
        return
    folder, *keys = mark.args
    vectors: Path = metafunc.config.getoption("--vectors")
    found = [
        pytest.param(value, id=name)
        for name, value in _recorded(vectors / folder)
        if isinstance(value, dict) and all(key in value for key in keys)
    ]
    metafunc.parametrize("record", found)


@pytest.fixture(scope="session")
def recorded() -> Callable[[Path], list[tuple[str, Any]]]:
    """Every recorded value below a folder, with its name."""
    return _recorded


@cache
def _recorded(folder: Path) -> list[tuple[str, Any]]:
    """Every recorded value below `folder`, read once."""
    return list(_read(folder))


def _read(folder: Path) -> Iterator[tuple[str, Any]]:
    """A `.json` file is one value, or a list of some; a `.jsonl`, packed as `.jsonl.xz` or not, holds one a line.

    Lines that begin with a header and a start are one long game, a value with its `lines`.
    """
    for path in sorted(folder.rglob("*.json*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".json":
            content = json.loads(path.read_text("utf-8"))
            if isinstance(content, list):
                yield from ((f"{name}:{i}", value) for i, value in enumerate(content))
            else:
                yield name, content
            continue
        raw = path.read_bytes()
        text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")
        values = [json.loads(line) for line in text.splitlines()]
        if _begins_a_game(values[:2]):
            yield name, {"lines": values}
        else:
            yield from ((f"{name}:{i}", value) for i, value in enumerate(values, 1))


def _begins_a_game(values: list[Any]) -> bool:
    marks = [value.get("kind", value.get("op")) for value in values if isinstance(value, dict)]
    return marks == ["header", "start"]
