"""`boardchain node` as a process: its output, its port, its end."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen

import click
import pytest

from chain import Chain, Contract, view
from chain.cli.commands.node import command
from chain.crypto.accounts import ACCOUNTS
from chain.crypto.hashing import create2_address
from chain.metering.program import program_of
from chain.simulator.predeployed import HISTORY
from chain.types import u64
from contracts.deblockle import Deblockle

pytestmark = pytest.mark.usefixtures("kept_code")

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "chain", "node", "--port", "0")


class Elsewhere(Contract):
    """A class that no package offers."""

    @view
    def one(self) -> u64:
        return 1


class Running(NamedTuple):
    process: subprocess.Popen[str]
    said: list[str]

    def ask(self, method: str, *params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        with urlopen(Request(f"http://{self.said[-1].split()[-1]}", body.encode())) as answer:
            said = json.loads(answer.read())
        return said.get("result", said.get("error"))

    def end(self, how: int) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=10)


@contextmanager
def running(*options: str) -> Iterator[Running]:
    with subprocess.Popen((*COMMAND, *options), cwd=ROOT, stdout=subprocess.PIPE, text=True) as node:  # fmt: skip
        assert node.stdout is not None
        said: list[str] = []
        for line in node.stdout:
            said.append(line.strip())
            if line.startswith("Listening"):
                break
        try:
            yield Running(node, said)
        finally:
            node.kill()


def refused(*options: str) -> tuple[int, str]:
    done = subprocess.run(
        (*COMMAND, *options), cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def node() -> Iterator[Running]:
    with running("--quiet") as node:
        yield node


def test_nodes_show_what_wallets_need() -> None:
    with running() as node:
        said = "\n".join(node.said)
        assert all(str(each) in said and f"0x{each.key.hex()}" in said for each in ACCOUNTS)
        assert "Chain id: 31337" in said
        assert "Deblockle" in said
        assert node.end(signal.SIGINT) == 0


def test_node_serves_what_was_deployed_without_its_package(tmp_path: Path) -> None:
    file = tmp_path / "duel.chain"
    with Chain.open(file) as chain:
        duel = chain.deploy(Deblockle)
        duel.create_game("first.testnet", "second.testnet", 3)
        to, data = str(duel.address), f"0x{duel.game_state.calldata(0).hex()}"
        expected = chain.node.request("eth_call", [{"to": to, "data": data}, "latest"])
    with running("--data", str(file), "--contracts", "not_here") as node:
        assert node.ask("eth_call", {"to": to, "data": data}, "latest") == expected
        assert "Contracts in not_here: none" in node.said
    code, told = refused("--data", str(tmp_path / "new.chain"), "--contracts", "not_here")
    assert (code, "there is no package 'not_here' here" in told) == (2, True)


def test_transactions_are_printed_at_a_terminal() -> None:
    terminal, inside = pty.openpty()
    with (
        os.fdopen(terminal, encoding="utf-8") as screen,
        subprocess.Popen((*COMMAND, "--clock", "blocks"), cwd=ROOT, stdout=inside) as process,
    ):
        node = Running(process, [next(line for line in screen if line.startswith("Listening"))])  # type: ignore[arg-type]
        before = node.ask("evm_snapshot")
        for value in ("0x5", "0x6"):
            node.ask("eth_sendTransaction", {"to": str(ACCOUNTS[1]), "value": value})
            node.ask("eth_blockNumber")
        node.ask("evm_revert", before)
        node.ask("eth_sendTransaction", {"to": "0x" + "11" * 20, "value": "0x7"})
        told = [next(screen).rstrip() for _ in range(3)]
        process.kill()
    assert told == [
        "1 +1s alice: send 5 wei to bob ok [21000 gas]",
        "2 +2s alice: send 6 wei to bob ok [21000 gas]",
        "1 +1s alice: send 7 wei to 0x1111…1111 ok [21000 gas]",
    ]


def test_quiet_nodes_print_their_address() -> None:
    with running("--quiet", "--chain-id", "7", "--gas-limit", "50000") as node:
        assert len(node.said) == 1
        assert node.ask("eth_chainId") == "0x7"
        assert node.ask("eth_getBlockByNumber", "latest", False)["gasLimit"] == hex(50_000)
        assert node.end(signal.SIGTERM) == 0


def test_nodes_follow_a_fork() -> None:
    with running("--fork", "prague", "--tx-gas-cap") as node:
        assert "Fork: prague" in node.said
        assert node.ask("anvil_nodeInfo")["hardFork"] == "prague"
        assert node.ask("eth_getBlockByNumber", "latest", False)["gasLimit"] == hex(30_000_000)
        assert node.end(signal.SIGTERM) == 0


def test_nodes_are_like_anvil_on_demand() -> None:
    options = ("--base-fee", "800", "--elastic-fees", "--client-version", "anvil/v1.7.1")
    with running("--quiet", "--genesis-time", "2000000000", *options) as node:
        assert node.ask("web3_clientVersion") == "anvil/v1.7.1"
        node.ask("evm_mine")
        blocks = [node.ask("eth_getBlockByNumber", hex(number), False) for number in range(2)]
        assert [int(block["timestamp"], 16) for block in blocks] == [2 * 10**9, 2 * 10**9 + 1]
        assert [int(block["baseFeePerGas"], 16) for block in blocks] == [800, 700]
        salt, code = bytes(32), bytes.fromhex("60015f5360015ff3")  # leaves code of one byte
        factory = "0x4e59b44847b379578588920ca78fbf26c0b4956c"
        node.ask("eth_sendTransaction", {"to": factory, "data": "0x" + (salt + code).hex()})
        made = create2_address(bytes.fromhex(factory[2:]), salt, code)
        assert node.ask("eth_getCode", "0x" + made.hex()) == "0x01"
        history = {"to": "0x" + HISTORY.hex(), "data": "0x" + bytes(32).hex()}
        assert node.ask("eth_call", history) == blocks[0]["hash"]


def test_time_passes_without_blocks(node: Running) -> None:
    assert abs(node.ask("chain_now") - time.time()) < 60


def test_chains_outlive_their_node(tmp_path: Path) -> None:
    file = str(tmp_path / "duel.chain")
    with running("--quiet", "--data", file) as node:
        sent = node.ask("eth_sendTransaction", {"to": "0x" + "11" * 20, "value": "0x5"})
        node.process.kill()
        node.process.wait()
    with running("--quiet", "--data", file) as node:
        assert node.ask("eth_getTransactionReceipt", sent)["status"] == "0x1"
        assert node.ask("eth_getBalance", "0x" + "11" * 20) == "0x5"


def test_offered_contracts_can_be_deployed(node: Running) -> None:
    sent = node.ask("eth_sendTransaction", {"data": program_of(Deblockle).bytecode})
    assert node.ask("eth_getTransactionReceipt", sent)["contractAddress"]


def test_other_contracts_are_refused(node: Running) -> None:
    before = node.ask("eth_blockNumber")
    said = node.ask("eth_sendTransaction", {"data": program_of(Elsewhere).bytecode})
    assert "declared" in said["message"]
    assert node.ask("eth_blockNumber") == before


def test_taken_ports_are_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused("--port", str(port))
    assert code == 1
    assert f"port {port}" in said
    assert "Traceback" not in said


def test_strange_packages_are_reported() -> None:
    code, said = refused("--contracts", "no_such_games")
    assert (code, "no_such_games" in said, "Traceback" in said) == (2, True, False)


def test_limits_are_numbers_with_units() -> None:
    options = "--memory-limit 512M --max-waiting 64k --max-body 9 --time-limit 0.5"
    chosen = command.make_context("node", options.split()).params
    names = "memory_limit", "max_waiting", "max_body", "time_limit"
    assert [chosen[name] for name in names] == [512 << 20, 64 << 10, 9, 0.5]
    unlimited = ["--memory-limit", "none", "--time-limit", "none"]
    chosen = command.make_context("node", unlimited).params
    assert (chosen["memory_limit"], chosen["time_limit"]) == (None, None)


@pytest.mark.parametrize(
    "words", [("--memory-limit", "1X"), ("--max-body", "0"), ("--time-limit", "0")]
)
def test_other_limits_are_refused(words: tuple[str, str]) -> None:
    with pytest.raises(
        click.BadParameter, match=r"write 65536, 64K, 512M or 2G|not in the range|write 10 or 0.5"
    ):
        command.make_context("node", [*words])


# Leaves code that jumps back for ever, and reads its gas, so that not all of it is compiled.
ENDLESS = "0x6006600c60003960066000f35b5a50600056"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["eth_call", "eth_sendTransaction", "debug_traceCall"])
def test_nobody_waits_for_endless_bytecode(method: str) -> None:
    """The others get each answer within 0.3 s, and the node ends within 2."""
    with running("--quiet") as node:
        deployed = node.ask("eth_sendTransaction", {"data": ENDLESS})
        where = node.ask("eth_getTransactionReceipt", deployed)["contractAddress"]
        fields = {"to": where, "gas": hex(30_000_000)}
        attack = threading.Thread(target=suppressed, args=(node.ask, method, fields))
        attack.start()
        times = []
        for _ in range(60):
            began = time.monotonic()
            node.ask("eth_sendTransaction", {"to": "0x" + "11" * 20, "value": "0x5"})
            times.append(time.monotonic() - began)
        assert attack.is_alive()
        assert max(times) < 0.3
        began = time.monotonic()
        assert node.end(signal.SIGTERM) == 0
        assert time.monotonic() - began < 2
        attack.join()


def suppressed(ask: Callable[..., Any], *what: Any) -> None:
    with suppress(OSError, HTTPException):
        ask(*what)
