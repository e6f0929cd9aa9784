"""A file survives a kill of its process at any time: nothing acknowledged is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from chain import Chain

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "duel.chain"


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from random import Random
from chain import Chain, Contract, call, event
from chain.types import u64


@event
class Ticked:
    count: u64


class Clock(Contract):
    count: u64

    @call
    def tick(self) -> u64:
        self.count += 1
        self.emit(Ticked(self.count))
        return self.count


def tick():
    print(clock.tick().return_value, flush=True)


def in_block():
    with chain.block():
        for _ in range(3):
            tick()


def with_anchor():
    with chain.anchor():
        clock.tick()
        chain.advance(5)
    tick()


def between_blocks():
    chain.set_balance(chain.accounts[5], len(chain.receipts))
    tick()


if __name__ == "__main__":
    chain, random = Chain.open(sys.argv[1], contracts=[Clock]), Random(int(sys.argv[3]))
    chain.ledger.open and chain.mine()
    made = [receipt for receipt in chain.receipts if receipt.to is None]
    clock = chain.handle(Clock, made[0].address) if made else chain.deploy(Clock)
    while True:
        random.choice([tick, tick, tick, in_block, with_anchor, between_blocks])()
"""


def killed(script: Path, path: Path, random: Random) -> int | None:
    """Have the file written, and kill the writer; return the last acknowledged count."""
    seed = str(random.getrandbits(32))
    command = [sys.executable, str(script), str(path), str(ROOT), seed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stderr is not None
        for _ in range(random.randrange(60)):
            if not writer.stdout.readline():
                break
        writer.send_signal(signal.SIGKILL)
        lines = writer.stdout.read().split(b"\n")[:-1]
        assert writer.stderr.read() == b""
    return int(lines[-1]) if lines else None


def count_in(path: Path) -> int:
    """The chain's own count. Opening the chain verifies its state root."""
    with Chain.open(path) as chain:
        contracts = [receipt.address for receipt in chain.receipts if receipt.to is None]
        return chain.storage(contracts[0], 0) if contracts else 0


def kill_often(tmp_path: Path, rounds: int, random: Random) -> None:
    script = tmp_path / "writer.py"
    script.write_text(WRITER, "utf-8")
    for number in range(rounds):
        path = tmp_path / f"{number // 25}.chain"
        before = count_in(path) if path.exists() else 0
        acknowledged = killed(script, path, random)
        found = count_in(path) if path.exists() else 0
        assert max(before, acknowledged or 0) <= found, f"round {number}"
        if acknowledged is not None:
            assert found <= acknowledged + 1, f"round {number}"


def test_kill_loses_nothing_acknowledged(tmp_path: Path) -> None:
    kill_often(tmp_path, 6, Random(7))


@pytest.mark.slow
def test_thousand_kills_lose_nothing(tmp_path: Path) -> None:
    kill_often(tmp_path, 1000, Random(11))
