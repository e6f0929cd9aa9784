"""Requests to a node that are interrupted anywhere in their trial and run in a worker instead, many times."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chain import Chain, Contract, Vector, call, view
from chain.metering.program import program_of
from chain.rpc.json_messages import encode
from chain.rpc.limits import Limits
from chain.rpc.server import request_runner
from chain.rpc.server.request_runner import Runner
from chain.types import u64
from tests.chain.helpers import Code

SIZE = int(os.environ.get("TRIALS", "150"))
# An interrupt that comes where Python drops errors is reported on stderr, and comes again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Diary(Contract):
    lines: Vector[u64]
    sums: Vector[u64]

    @call
    def write(self, number: u64) -> u64:
        total = 0
        for i in range(number):
            total += i
        self.lines.append(number)
        self.sums.append(total)
        return total

    @view
    def count(self) -> u64:
        return len(self.lines)


def requests(random: Random, diary: str, loop: str) -> Any:
    """A request that takes up to some milliseconds."""
    number = random.randrange(2_000)
    match random.randrange(4):
        case 0:
            return "chain_look", [{"to": diary, "entry": "count"}]
        case 1:
            return "eth_sendTransaction", [
                {"to": loop, "gas": hex(50_000), "data": f"0x{number:064x}"}
            ]
        case 2:
            return "eth_estimateGas", [{"to": diary, "data": "0x"}]
    return "chain_send", [{"to": diary, "entry": "write", "args": [number]}]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["memory", "file"])
def test_trials_leave_no_trace(
    tmp_path: Path, evm: Code, initcode: Code, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """The chain equals one that got the same requests without interrupts."""
    tried = Chain.open(tmp_path / "a.chain", contracts=[Diary]) if where == "file" else Chain()
    peaceful, workers = Chain(), 0
    begin = evm(1, "SLOAD", 1, "ADD", 1, "SSTORE", 0, "CALLDATALOAD")
    code = initcode(begin + evm("JUMPDEST", 1, "SWAP1", "SUB", "DUP1", len(begin), "JUMPI"))
    for chain in (tried, peaceful):
        chain.declare(Diary)
        diary = str(chain.send(None, program_of(Diary).initcode).address)
        loop = str(chain.send(None, code).address)
        chain.node.request("eth_call", [{"to": loop, "data": f"0x{1:064x}"}])
    tried.node.limits = Limits()
    monkeypatch.setattr(request_runner, "_MEMORY", 0)

    async def play() -> int:
        random, running, moved = Random(SIZE), Runner(tried.node), 0
        for number in range(SIZE):
            method, params = requests(random, diary, loop)
            monkeypatch.setattr(request_runner, "_TRIAL_SECONDS", random.random() * 0.004)
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            answer = await running.answer(message, {}, 1 << 20)
            assert answer == encode(peaceful.node.handle_one(message))
            moved += bool(running._long)
            running._long.clear()
        return moved

    workers = asyncio.run(play())
    print(f"{workers} of {SIZE} requests were interrupted")
    assert tried.block_hash() == peaceful.block_hash()
    assert tried.state_root() == peaceful.state_root()
    if where == "file":
        tried.close()
        with Chain.open(tmp_path / "a.chain", contracts=[Diary]) as chain:
            assert chain.block_hash() == peaceful.block_hash()
