"""An interrupt at any line leaves a chain, and its file, before a step or after it, and the chain goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copyfile

import interrupts
import plays
import pytest
from interrupts import KINDS, made_up, places, run, standing
from plays import PLAYS, Counter, More, Scoring, begin, counter_on

from chain import Chain

KNOWN = (Counter, More, Scoring, plays.Inner)
FEW = 220  # interrupts in memory; in a file half as many
MANY = int(os.environ.get("INTERRUPTS", "3000"))
_OFTEN = 8  # so many on one chain


def check(chain: Chain, play: interrupts.Play, random: Random) -> str:
    """Interrupt a play once, or twice in a row: what is wrong then, if anything is."""
    fork = chain.fork()
    may_stand = places(play, fork)
    count = run(play, chain.fork()).count * (3 if chain._store else 1)
    lines = [random.randrange(1, count + 1)]
    if random.random() < 0.3:
        lines.append(lines[0] + random.randrange(1, 60))
    kind = random.choice(KINDS)
    done = run(play, chain, tuple(lines), kind)
    told = f"{play.__name__} by {kind.__name__} at {' and '.join(done.places)}"
    chain.settle()
    if standing(chain) not in may_stand:
        return f"{told}: the chain stands nowhere"
    if wrong := made_up(chain):
        return f"{told}: {wrong}"
    return ""


def goes_on(chain: Chain) -> None:
    chain.automine = True
    count = len(chain.receipts)
    assert counter_on(chain).add(1).ok
    assert (len(chain.receipts), chain.ledger.open) == (count + 1, None)


def campaign(number: int, seed: int) -> list[str]:
    """So many interrupts in memory, evenly over the plays: what was wrong."""
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
    base, path = folder / "base.chain", folder / "x.chain"
    with Chain.open(base) as chain:
        begin(chain)
    for n in range(number):
        if n % _OFTEN == 0 or found[-1]:
            copyfile(base, path)
        with Chain.open(path, contracts=KNOWN) as chain:
            found.append(check(chain, PLAYS[n % len(PLAYS)], random))
            stands = standing(chain)
        if not found[n]:
            with Chain.open(path, contracts=KNOWN) as chain:
                wrong = made_up(chain)
                found[n] = (
                    "" if standing(chain) == stands and not wrong else f"from the file {wrong}"
                )
                goes_on(chain)
    return list(filter(None, found))


def test_interrupts_in_memory_leave_steps_whole() -> None:
    assert campaign(FEW, 1) == []


def test_interrupts_in_a_file_leave_steps_whole(tmp_path: Path) -> None:
    assert campaign_in_file(FEW // 2, 2, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_interrupts(seed: int, tmp_path: Path) -> None:
    found = campaign(MANY // 5, seed) + campaign_in_file(MANY // 20, seed, tmp_path)
    assert found == []
