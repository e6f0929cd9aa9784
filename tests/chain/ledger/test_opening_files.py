"""Opening and closing a chain's file: after an interrupt at any line the file can be opened at once, with all its content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

from chain import Chain
from chain.ledger.file.chain_file import BadChainFile
from tests.chain import plays
from tests.chain.interrupts import KINDS, Interrupts
from tests.chain.plays import Counter, More, Scoring, begin, counter_on

KNOWN = (Counter, More, Scoring, plays.Inner)
NEAR = ("ledger/file.py", "ledger/lock.py", "ledger/store.py", "lasting.py", "steps.py")
STEP = 7


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.chain"


@pytest.fixture
def new(path: Path) -> Callable[[], int]:
    def ready() -> int:
        path.unlink(missing_ok=True)
        return 0

    return ready


@pytest.fixture
def old(path: Path) -> Callable[[], int]:
    base = path.with_name("base.chain")
    with Chain.open(base) as chain:
        begin(chain)
        count = len(chain.receipts)

    def ready() -> int:
        copyfile(base, path)
        return count

    return ready


def interrupted(act: Callable[[], object], *lines: int) -> tuple[int, BaseException | None]:
    """Return the number of lines, and what was raised; its traceback keeps all frames alive."""
    interrupts = Interrupts(lines, KINDS[sum(lines) % 3], NEAR)
    try:
        with interrupts.running():
            act()
    except BaseException as raised:
        return interrupts.count, raised
    return interrupts.count, None


@pytest.mark.parametrize("state", ["new", "old"])
def test_a_file_whose_opening_was_interrupted_is_free(
    state: str, path: Path, request: pytest.FixtureRequest
) -> None:
    ready = request.getfixturevalue(state)
    ready()
    count, _ = interrupted(lambda: Chain.open(path, contracts=KNOWN).close())
    for line in range(1, count + 1, STEP):
        had, made = ready(), list[Chain]()
        _, raised = interrupted(lambda: made.append(Chain.open(path, contracts=KNOWN)), line)  # noqa: B023
        for chain in made:
            chain.close()
        with Chain.open(path, contracts=KNOWN) as chain:
            assert len(chain.receipts) == had, (line, raised)
            chain.deploy(Counter)


def test_interrupted_cleanup_is_repaired(path: Path, old: Callable[[], int]) -> None:
    old()
    count, _ = interrupted(lambda: Chain.open(path, contracts=KNOWN).close())
    for line in range(1, count - 3, STEP):
        had, made = old(), list[Chain]()
        _, raised = interrupted(lambda: made.append(Chain.open(path)), line, line + 1 + line % 9)  # noqa: B023
        for chain in made:
            chain.close()
        with Chain.open(path) as chain:
            assert len(chain.receipts) == had, (line, raised)


def test_closing_that_was_interrupted_is_ended_by_closing(
    path: Path, old: Callable[[], int]
) -> None:
    old()
    count, _ = interrupted(Chain.open(path, contracts=KNOWN).close)
    for line in range(1, count + 1):
        had = old()
        chain = Chain.open(path, contracts=KNOWN)
        counter_on(chain).add(1)
        interrupted(chain.close, line)
        chain.close()
        with Chain.open(path, contracts=KNOWN) as again:
            assert len(again.receipts) == had + 1, line


def test_closing_twice_leaves_a_later_opener_alone(path: Path) -> None:
    first = Chain.open(path)
    first.close()
    with Chain.open(path) as second:
        first.close()
        with pytest.raises(BadChainFile, match="is open for writing"):
            Chain.open(path)
        second.mine()
