"""Kill -9 in every mode: a library on a file, nodes, and deployments. Acknowledged work is there exactly once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from signal import SIGKILL
from time import monotonic
from typing import Any

import pytest

from chain import Chain
from chain.simulator.node_client import HttpNodeClient, NodeUnreachable
from tests.chain.kills import ROOT, Process, nursery
from tests.chain.ledger.test_killed_writers import WRITER, count_in

ROUNDS = int(os.environ.get("ROUNDS", "1000"))
FEW = 6
KEPT = 10  # so many rounds on one file
PLAN = """
from chain import Contract, call
from chain.types import u64


class Game(Contract):
    count: u64

    @call
    def add(self, n: u64) -> u64:
        self.count += n
        return self.count


class Other(Game):
    @call
    def twice(self) -> u64:
        self.count *= 2
        return self.count


def plan(deployment):
    game = deployment.deploy(Game)
    game.add(1)
    other = deployment.deploy(Other)
    other.add(3)
    other.twice()
"""


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Process]]:
    with nursery(tmp_path_factory.mktemp("pipes")) as made:
        yield made.begin


Begin = Callable[..., Process]


def killed(process: Process) -> None:
    how, wrong = process.end()
    assert (how, wrong) == (-SIGKILL, "")


# A library


def library(begin: Begin, folder: Path, rounds: int, random: Random) -> None:
    script = folder / "writer.py"
    script.write_text(WRITER, "utf-8")
    for number in range(rounds):
        path = folder / f"{number // KEPT}.chain"
        before = count_in(path) if path.exists() else 0
        process = begin(script, path, ROOT, random.getrandbits(32))
        lines = [process.told.readline() for _ in range(random.randrange(60))]
        process.kill(random.random() / 100)
        lines += process.told.readlines()
        killed(process)
        found = count_in(path) if path.exists() else 0
        told = [int(line) for line in lines]
        assert max([before, *told]) <= found, f"round {number}"
        assert not told or found <= told[-1] + 1, f"round {number}"


# Nodes


class Asked:
    """The requests to a node until it was killed."""

    def __init__(self, process: Process) -> None:
        self.ask = HttpNodeClient(f"http://{process.told.readline().split()[-1]}")
        self.taken: list[str] = []
        self.sent = 0

    def send(self, to: int) -> None:
        self.sent += 1
        fields = {"to": "0x" + f"{to:02x}" * 20, "value": "0x1"}
        self.taken.append(self.ask("eth_sendTransaction", [fields]))


def send_one_by_one(asked: Asked, random: Random) -> None:
    """Send transactions, each into its own block, with other requests between."""
    ask = asked.ask
    while True:
        asked.send(random.randrange(0x20, 0x30))
        if random.random() < 0.2:
            ask("anvil_setBalance", ["0x" + "77" * 20, hex(random.getrandbits(60))])
        if random.random() < 0.1:
            number = ask("evm_snapshot")
            for _ in range(random.randrange(3)):
                ask("eth_sendTransaction", [{"to": "0x" + "66" * 20}])
            ask("evm_revert", [number])


def send_into_open_block(asked: Asked, random: Random) -> None:
    """Send transactions that wait for the next block, which is rebuilt again and again."""
    for _ in range(random.randrange(10, 40)):
        asked.send(0x22)
    for number in range(10**6):
        asked.ask("anvil_setPrevRandao", [hex(number + 1)])
        if number < 5:
            asked.send(0x33)


def node(
    begin: Begin, folder: Path, rounds: int, random: Random, asks: Any, *options: object
) -> None:
    taken, sent, path = list[str](), 0, folder / "x.chain"
    for number in range(rounds):
        if number % KEPT == 0:
            path, taken, sent = folder / f"{number // KEPT}.chain", [], 0
        words = ("node", "--port", 0, "--quiet", "--data", path, *options)
        process = begin("boardchain", *words)
        asked = Asked(process)
        process.kill(random.random() / 3)
        with suppress(NodeUnreachable):
            asks(asked, random)
        asked.ask.close()
        killed(process)
        taken, sent = taken + asked.taken, sent + asked.sent
        with Chain.open(path) as chain:
            lost = [each for each in taken if chain.ledger.find(bytes.fromhex(each[2:])) is None]
            assert not lost, f"round {number}: {len(lost)} of {len(taken)}"
            value_sent = [receipt for receipt in chain.receipts if receipt.value]
            assert len(value_sent) <= sent, f"round {number}"


def automining(begin: Begin, folder: Path, rounds: int, random: Random) -> None:
    node(begin, folder, rounds, random, send_one_by_one)


def with_block_time(begin: Begin, folder: Path, rounds: int, random: Random) -> None:
    node(begin, folder, rounds, random, send_into_open_block, "--block-time", 0.2)


# Deployments


def deployed(folder: Path) -> Any:
    kept = folder / "kept/games"
    journal = json.loads((kept / "plans/deploy_game.json").read_text("utf-8"))
    did = sorted(did["step"] for run in journal["runs"] for did in run["did"])
    book = (kept / "addresses.json").read_text("utf-8")
    with Chain.open(folder / "games.chain") as chain:
        return chain.block_hash(), len(chain.receipts), journal["steps"], did, book


def deployments(begin: Begin, folder: Path, rounds: int, random: Random) -> None:
    script = folder / "deploy_game.py"
    script.write_text(PLAN, "utf-8")

    def apply(place: Path, after: float | None = None) -> bool:
        """Return True if it ended by itself."""
        place.mkdir(exist_ok=True)
        words = ("--chain", place / "games.chain", "--deployments", place / "kept", "--yes")
        process = begin("boardchain", "deploy", script, *words)
        if after is not None:
            process.kill(after)
        process.told.read()
        how, wrong = process.end()
        assert how in (0, -SIGKILL), wrong
        return how == 0

    assert apply(folder / "whole")
    since, whole = monotonic(), deployed(folder / "whole")
    assert apply(folder / "timed")
    takes = monotonic() - since
    assert whole[1] == 5
    kills = place = 0
    while kills < rounds:
        place += 1
        while not apply(folder / str(place), random.random() * takes):
            kills += 1
        assert deployed(folder / str(place)) == whole, f"kill {kills}"


MODES = (library, automining, with_block_time, deployments)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.__name__)
def test_killed_a_few_times(mode: Any, begin: Begin, tmp_path: Path) -> None:
    mode(begin, tmp_path, FEW, Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.__name__)
def test_killed_a_thousand_times(mode: Any, begin: Begin, tmp_path: Path) -> None:
    mode(begin, tmp_path, ROUNDS, Random(2))
