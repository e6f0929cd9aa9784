"""An interrupt at any line leaves a chain, and its file, before a step or after it, and the chain continues."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copyfile

import pytest

from chain import Chain
from tests.chain import interrupts, plays
from tests.chain.interrupts import KINDS, derived_errors, leftovers, places, run, state_digest
from tests.chain.plays import PLAYS, Counter, More, Scoring, begin, counter_on

KNOWN = (Counter, More, Scoring, plays.Inner)
FEW = 5 * len(PLAYS)  # interrupts in memory; in a file 2 for each play
# A scope that was interrupted before it was entered says so.
pytestmark = pytest.mark.filterwarnings("ignore")
MANY = int(os.environ.get("INTERRUPTS", "3000"))
_OFTEN = 8  # so many on one chain


@pytest.fixture(scope="module", autouse=True)
def _only_garbage_of_ours() -> None:
    """Exclude the objects of other tests, so that collecting garbage is fast."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _interrupted_chains_end() -> Iterator[None]:
    """End the scopes that tracebacks of interrupts hold, before the next test lists the existing chains."""
    yield
    gc.collect()


def check(chain: Chain, play: interrupts.Play, random: Random) -> str:
    """Interrupt a play once or twice in a row, and return what is wrong then."""
    fork = chain.fork()
    may_stand = places(play, fork)
    count = run(play, chain.fork()).count * (3 if chain.driver.observer else 1)
    lines = [random.randrange(1, count + 1)]
    if random.random() < 0.3:
        lines.append(lines[0] + random.randrange(1, 60))
    kind = random.choice(KINDS)
    done = run(play, chain, tuple(lines), kind)
    told = f"{play.__name__} by {kind.__name__} at {' and '.join(done.places)}"
    chain.settle()
    if state_digest(chain) not in may_stand:
        return f"{told}: the chain stands nowhere"
    wrong = leftovers(chain) + (derived_errors(chain) if random.random() < 0.4 else [])
    return f"{told}: {wrong}" if wrong else ""


def goes_on(chain: Chain) -> None:
    chain.automine = True
    count = len(chain.receipts)
    assert counter_on(chain).add(1).ok
    assert (len(chain.receipts), chain.ledger.open) == (count + 1, None)


def campaign(number: int, seed: int) -> list[str]:
    """Interrupt the plays in memory this many times; return what was wrong."""
    random, found, base = Random(seed), list[str](), Chain()
    begin(base)
    chain = base
    for n in range(number):
        if n % _OFTEN == 0:
            chain = base.fork()
        wrong = check(chain, PLAYS[n % len(PLAYS)], random)
        if wrong:
            found.append(wrong)
            chain = base.fork()
            continue
        goes_on(chain)
    return found


def campaign_in_file(number: int, seed: int, folder: Path) -> list[str]:
    """The same in a file, which is opened again after each."""
    random, found = Random(seed), list[str]()
    path = base = folder / "base.chain"
    with Chain.open(base) as chain:
        begin(chain)
    for n in range(number):
        if n % _OFTEN == 0 or found[n - 1]:
            path = folder / f"{n}.chain"
            copyfile(base, path)
        with Chain.open(path, contracts=KNOWN) as chain:
            found.append(check(chain, PLAYS[n % len(PLAYS)], random))
            stands = state_digest(chain)
        if not found[n]:
            with Chain.open(path, contracts=KNOWN) as chain:
                wrong = derived_errors(chain) if n % 3 == 0 else []
                found[n] = (
                    "" if state_digest(chain) == stands and not wrong else f"from the file {wrong}"
                )
                goes_on(chain)
    return list(filter(None, found))


def test_interrupts_in_memory_never_split_a_step() -> None:
    assert campaign(FEW, 1) == []


def test_interrupts_in_a_file_never_split_a_step(tmp_path: Path) -> None:
    assert campaign_in_file(2 * len(PLAYS), 2, tmp_path) == []


def digest_of_copy(far: Chain) -> str:
    """Return the state of a chain in a node, with what is new there."""
    far.settle()
    return state_digest(far)


@pytest.mark.parametrize("play", [play for play in PLAYS if play is not plays.node])
def test_copy_equals_its_node_after_an_interrupt(play: interrupts.Play) -> None:
    base, random = Chain(), Random(play.__name__)
    for contract in KNOWN:
        base.declare(contract)
    begin(base)
    files = "simulator/remote_driver.py", "simulator/node_ledger.py", "foundation/atomic_steps.py"
    count = run(play, Chain.connect(base.fork().node, contracts=KNOWN), files=files).count
    for kind in KINDS:
        near = base.fork()
        far = Chain.connect(near.node, contracts=KNOWN)
        done = run(play, far, (random.randrange(1, count + 1),), kind, files)
        gc.collect()
        near.settle()
        assert (digest_of_copy(far), leftovers(far)) == (state_digest(near), []), done.places


def sweep(play: interrupts.Play, number: int, base: Chain) -> Iterator[str]:
    """Interrupt a play at so many lines, evenly spread, each time on a fork, and return what is wrong then."""
    may_stand = places(play, base.fork())
    count = run(play, base.fork()).count
    for n in range(number):
        chain, line, kind = base.fork(), 1 + n * count // number, KINDS[n % 3]
        done = run(play, chain, (line,), kind)
        chain.settle()
        wrong = leftovers(chain) + (derived_errors(chain) if n % 40 == 0 else [])
        if state_digest(chain) not in may_stand or wrong:
            yield f"{play.__name__} by {kind.__name__} at {done.places}, line {line}: {wrong}"


@pytest.mark.slow
@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.__name__)
def test_no_line_is_left_out(play: interrupts.Play) -> None:
    base = Chain()
    begin(base)
    goes_on(base)
    assert list(sweep(play, MANY // len(PLAYS), base)) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_interrupts_one_after_the_other(seed: int, tmp_path: Path) -> None:
    found = campaign(MANY // 20, seed) + campaign_in_file(MANY // 40, seed, tmp_path)
    assert found == []
