"""Real signals: Ctrl-C on a script, and a node that is killed while it rebuilds an open block."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chain import Chain
from chain.simulator.node_client import HttpNodeClient
from tests.chain.interrupts import derived_errors

ROOT = Path(__file__).parents[3]
ROUNDS = int(os.environ.get("ROUNDS", "40"))

SCRIPT = """
from chain import Contract, call
from chain.types import u64


class Clock(Contract):
    count: u64

    @call
    def tick(self) -> u64:
        self.count += 1
        return self.count


def main(chain):
    if len(chain.receipts):
        clock = chain.handle(Clock, chain.receipts[0].address)
    else:
        clock = chain.deploy(Clock)
    print("ready", flush=True)
    while True:
        with chain.block():
            clock.tick()
            clock.tick()
        with chain.anchor():
            clock.tick()
            with chain.block():
                clock.tick()
        print(clock.tick().return_value, flush=True)
"""


def interrupted(script: Path, path: Path, random: Random) -> int:
    """Run the script on the file until Ctrl-C; return the last count that it printed."""
    command = [sys.executable, "-m", "chain", "run", str(script), "--chain", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as runner:  # fmt: skip
        assert runner.stdout is not None and runner.stdout.readline() == b"ready\n"
        time.sleep(random.random() / 5)
        runner.send_signal(signal.SIGINT)
        told = runner.stdout.read().split()
    return int(told[-1]) if told else 0


@pytest.mark.slow
def test_interrupted_script_leaves_a_sound_file(tmp_path: Path) -> None:
    random, script, path = Random(3), tmp_path / "play.py", tmp_path / "x.chain"
    script.write_text(SCRIPT, "utf-8")
    for number in range(ROUNDS):
        if number % 20 == 0:
            path.unlink(missing_ok=True)
        told = interrupted(script, path, random)
        with Chain.open(path) as chain:
            assert chain.storage(chain.receipts[0].address, 0) >= told, number
            assert not derived_errors(chain), number


def node_on(path: Path) -> tuple[subprocess.Popen[str], str]:
    options = ("--port", "0", "--quiet", "--block-time", "0.4", "--data", str(path))
    command = [sys.executable, "-m", "chain", "node", *options]
    node = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert node.stdout is not None
    return node, f"http://{node.stdout.readline().split()[-1]}"


def asked_until_killed(path: Path, random: Random) -> list[str]:
    """Send various requests to a node until it is killed; return the acknowledged transactions."""
    node, url = node_on(path)
    ask, taken = HttpNodeClient(url), list[str]()
    try:
        for _ in range(random.randrange(20, 60)):
            taken.append(ask("eth_sendTransaction", [{"to": "0x" + "22" * 20, "value": "0x1"}]))
        for killed_after in range(random.randrange(1, 6)):
            ask("anvil_setPrevRandao", [hex(killed_after + 1)])
            taken.append(ask("eth_sendTransaction", [{"to": "0x" + "33" * 20, "value": "0x1"}]))
        late = f"import os, time; time.sleep({random.random() / 30}); os.kill({node.pid}, 9)"
        waiter = subprocess.Popen([sys.executable, "-c", late])
        for again in range(10**6):
            ask("anvil_setPrevRandao", [hex(again + 1)])
    except Exception:
        assert node.wait() == -signal.SIGKILL
        waiter.wait()
    finally:
        node.kill()
        node.communicate()
        ask.close()
    return taken


@pytest.mark.slow
def test_killed_node_loses_nothing_that_waited(tmp_path: Path) -> None:
    random, path, taken = Random(5), tmp_path / "x.chain", list[Any]()
    for number in range(ROUNDS):
        if number % 10 == 0:
            path.unlink(missing_ok=True)
            taken.clear()
        taken += asked_until_killed(path, random)
        with Chain.open(path) as chain:
            lost = [each for each in taken if chain.ledger.find(bytes.fromhex(each[2:])) is None]
            assert not lost, f"round {number}: {len(lost)} of {len(taken)}"
