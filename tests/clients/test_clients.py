"""Clients that people use, each on a node of its own: it deploys, plays, reads events, is refused, and sets the clock.

`scripts/setup_clients` installs those that come from npm; what is not there is left out, and says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3._utils.contract_sources.contract_data import math_contract as math
from web3._utils.contract_sources.contract_data import revert_contract as revert
from web3.exceptions import ContractLogicError
from web3.types import RPCEndpoint

from chain import Chain
from chain.crypto.accounts import ACCOUNTS
from chain.crypto.hashing import keccak
from contracts.blokus import Blokus
from contracts.deblockle import Deblockle

Seen = dict[str, Any]
HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
ALICE, BOB = ACCOUNTS[:2]
TEXT = {
    "type": "event",
    "name": "Log",
    "anonymous": False,
    "inputs": [{"name": "text", "type": "string", "indexed": False}],
}

EXPECTED: Seen = {
    "created": ["Created Game setup with 3 cubes per player"],
    "moved": "Player 1 Rolls to stop. Roll phase for another player 2.",
    "state": [True, 0, 2, 6],  # there is a game; phase, player and cubes
    "refused": "Wrong player's turn! ",
    "event": ["PlayerJoined", 0, 2, True],
    "found": 1,
    "seconds": 65,
    "back": True,
}


@pytest.fixture(scope="module")
def url(start_node: Callable[..., str]) -> str:
    """A node for all tests of this module. It passes for anvil, as Hardhat's helpers ask for it."""
    return start_node("--client-version", "anvil/v1.7.1")


def tool(name: str) -> str:
    """A command of Foundry: the program itself, for what npm puts before it hides how it ended."""
    found = next(MODULES.glob(f"@foundry-rs/{name}-*/bin/{name}*"), None)
    if found is None:
        pytest.skip(f"{name} is not installed: scripts/setup_clients does it")
    return str(found)


def script(name: str, needs: str, *args: str) -> Seen:
    """Run a JavaScript client and return what it printed."""
    node = shutil.which("node", path=f"{MODULES / '.bin'}{os.pathsep}{os.environ['PATH']}")
    if node is None or next(MODULES.glob(needs), None) is None:
        pytest.skip(f"{needs} is not installed: scripts/setup_clients does it")
    done = subprocess.run(
        [node, HERE / name, *args], capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.returncode, done.stderr
    seen: Seen = json.loads(done.stdout)
    return seen


# JavaScript


def test_ethers_plays(url: str) -> None:
    named = {
        "nonceBelow": "NONCE_EXPIRED",
        "value": "INSUFFICIENT_FUNDS",
        "estimate": "INSUFFICIENT_FUNDS",
        "method": "UNSUPPORTED_OPERATION",
        "replacement": "REPLACEMENT_UNDERPRICED",
    }
    more = {"impersonated": True, "named": named}
    assert script("play_ethers.mjs", "ethers", url) == EXPECTED | more


def test_many_send_at_once_and_otterscan_explores(url: str) -> None:
    key = "0x" + ACCOUNTS[9].key.hex()  # which nobody else sends from
    assert script("explore_ethers.mjs", "ethers", url, key, "300") == {
        "sent": 300, "balance": 300, "level": 8, "details": [1, True, True], "sameByHash": True, "blockPage": [1, 1],
        "pages": [25, True, False, 25, False], "trace": [["CALL", 0, "0x1"]], "error": "0x", "operations": [],
        "hasCode": False, "byNonce": True, "creator": None, "changed": True,
    }  # fmt: skip


def test_hardhat_plays_and_its_helpers_work(url: str, tmp_path: Path) -> None:
    named = {
        "nonceBelow": ["ProviderError", -32000, "nonce too low"],
        "value": ["ProviderError", -32000, "insufficient funds for gas * price + value"],
        "gasBelow": ["ProviderError", -32000, "intrinsic gas too low"],
        "fee": ["ProviderError", -32000, "max fee per gas less than block base fee"],
        "reverted": ["ProviderError", 3, "execution reverted"],
        "method": ["ProviderError", -32601],
    }
    ours = [Chain().declare(contract) for contract in (Blokus, Deblockle)]
    artifacts = {each.spec.name: ([*each.abi, TEXT], each.bytecode) for each in ours} | {
        "Math": (math.MATH_CONTRACT_ABI, math.MATH_CONTRACT_BYTECODE),
        "Errors": (revert.REVERT_CONTRACT_ABI, revert.REVERT_CONTRACT_BYTECODE),
    }
    for name, (abi, code) in artifacts.items():
        folder = tmp_path / "contracts" / f"{name}.sol"
        folder.mkdir(parents=True)
        artifact: Seen = {
            "_format": "hh3-artifact-1", "contractName": name, "sourceName": f"contracts/{name}.sol", "abi": abi,
            "bytecode": code, "linkReferences": {}, "deployedBytecode": "0x", "deployedLinkReferences": {},
        }  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(artifact))
    assert script("play_hardhat.mjs", "@nomicfoundation/edr-*", url, str(tmp_path)) == EXPECTED | {
        "counter": [5, 1], "named": named, "increaseTo": 500, "next": 7, "mine": 5, "mineUpTo": 4,
        "account": [hex(10**18), "0x9"], "word": 42, "impersonated": 66, "code": "0x60005460005260206000f3",
        "fixture": True, "block": [77, 5, True], "waiting": None,
    }  # fmt: skip


def test_viem_plays(url: str) -> None:
    named = {
        "nonceBelow": "NonceTooLowError",
        "value": "InsufficientFundsError",
        "gasBelow": "IntrinsicGasTooLowError",
        "gasAbove": "IntrinsicGasTooHighError",
        "fee": "FeeCapTooLowError",
        "call": "InsufficientFundsError",
    }
    more = {"heard": True, "impersonated": True, "pool": 1, "dropped": 0, "queued": 1, "lent": True}
    assert script("play_viem.mjs", "viem", url) == EXPECTED | more | {"named": named}


# web3.py


def test_web3_plays_over_http(url: str) -> None:
    w3 = Web3(Web3.HTTPProvider(url))
    ask = w3.provider.make_request
    seen: Seen = {}

    def deploy(contract: type) -> Any:
        program = Chain().declare(contract)
        made = w3.eth.contract(abi=[*program.abi, TEXT], bytecode=program.bytecode)
        receipt = w3.eth.wait_for_transaction_receipt(made.constructor().transact({"from": ALICE}))
        return w3.eth.contract(address=receipt["contractAddress"], abi=[*program.abi, TEXT])

    def send(call: Any, sender: bytes = ALICE) -> Any:
        return w3.eth.wait_for_transaction_receipt(call.transact({"from": sender}))

    game = deploy(Deblockle)
    created = send(game.functions.create_game(str(ALICE), str(BOB), (True, 3)))
    seen["created"] = [log["args"]["text"] for log in game.events.Log().process_receipt(created)]
    moved = send(game.functions.make_move(0, 4, 5, 4, 4))
    seen["moved"] = game.events.Log().process_receipt(moved)[0]["args"]["text"]
    exists, ((phase, player, board), *_) = game.functions.game_state(0).call()
    seen["state"] = [exists, phase, player, len(board)]
    with pytest.raises(ContractLogicError) as refused:
        game.functions.pass_move(0).call({"from": ALICE})
    seen["refused"] = str(refused.value.message).removeprefix("execution reverted: ")

    table = deploy(Blokus)
    send(table.functions.create_game(2, 0))
    joined = send(table.functions.join(0), BOB)
    (event,) = table.events.PlayerJoined().process_receipt(joined)
    args = event["args"]
    seen["event"] = [
        event["event"],
        args["game_id"],
        args["player_id"],
        args["account"] == str(BOB),
    ]
    filters = {"account": str(BOB)}
    seen["found"] = len(
        table.events.PlayerJoined().get_logs(from_block=0, argument_filters=filters)
    )

    snapshot, before = ask(RPCEndpoint("evm_snapshot"), [])["result"], w3.eth.get_block("latest")
    ask(RPCEndpoint("evm_increaseTime"), [65])
    ask(RPCEndpoint("evm_mine"), [])
    seen["seconds"] = w3.eth.get_block("latest")["timestamp"] - before["timestamp"]
    ask(RPCEndpoint("evm_revert"), [snapshot])
    seen["back"] = w3.eth.get_block("latest")["hash"] == before["hash"]
    assert seen == EXPECTED


async def test_web3_listens_over_a_socket(url: str, runner: Any) -> None:
    program = Chain().declare(Blokus)
    async with AsyncWeb3(WebSocketProvider(url.replace("http", "ws"))) as w3:
        made = w3.eth.contract(abi=program.abi, bytecode=program.bytecode)
        sent = await made.constructor().transact({"from": ALICE})
        address = (await w3.eth.wait_for_transaction_receipt(sent))["contractAddress"]
        table = w3.eth.contract(address=address, abi=program.abi)
        await w3.eth.subscribe("logs", {"address": address})
        await table.functions.create_game(2, 0).transact({"from": ALICE})
        async for message in w3.socket.process_subscriptions():
            event = table.events.GameCreated().process_log(message["result"])
            break
        assert event["args"] == {"game_id": 0, "players": 2, "scoring": 0}
        with pytest.raises(ContractLogicError, match="You already play in this game"):
            await table.functions.join(0).call({"from": ALICE})
        before = await w3.eth.get_block("latest")
        await w3.provider.make_request("evm_increaseTime", [65])
        await w3.provider.make_request("evm_mine", [])
        after = await w3.eth.get_block("latest")
        assert after["timestamp"] - before["timestamp"] == 65


# Foundry


@pytest.fixture
def cast(url: str) -> Callable[..., str]:
    """Runs cast on the node; returns what it prints, or with `fails` its error."""
    command = tool("cast")

    def cast(*args: str, fails: bool = False) -> str:
        done = subprocess.run(
            [command, *args],
            env={**os.environ, "ETH_RPC_URL": url},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert bool(done.returncode) is fails, done.stderr
        return (done.stderr if fails else done.stdout).strip()

    return cast


def test_cast_plays(cast: Callable[..., str]) -> None:
    def send(*args: str, sender: Any = ALICE) -> Any:
        return json.loads(cast("send", "--json", "--private-key", f"0x{sender.key.hex()}", *args))

    def deploy(contract: type) -> str:
        address: str = send("--create", Chain().declare(contract).bytecode)["contractAddress"]
        return address

    def texts(receipt: Any) -> list[str]:
        told = [
            cast("decode-event", "--json", "--sig", "Log(string)", log["data"])
            for log in receipt["logs"]
        ]
        return [json.loads(each)[0] for each in told]

    seen: Seen = {}
    game = deploy(Deblockle)
    create = "create_game(string,string,(bool,uint64))"
    seen["created"] = texts(send(game, create, str(ALICE), str(BOB), "(true,3)"))
    move = "make_move(uint64,int8,int8,int8,int8)"
    seen["moved"] = texts(send(game, move, "0", "4", "5", "4", "4"))[0]
    no = cast("call", game, "pass_move(uint64)", "0", "--from", str(ALICE), fails=True)
    seen["refused"] = no.partition("execution reverted: ")[2].partition(", data")[0]

    table = deploy(Blokus)
    send(table, "create_game(uint8,uint8)", "2", "0")
    send(table, "join(uint64)", "0", sender=BOB)
    assert cast("call", table, "game_count()(uint64)") == "1"
    joined = "PlayerJoined(uint64 indexed,uint8 indexed,address indexed,uint8)"
    logs = json.loads(cast("logs", "--json", "--from-block", "0", "--address", table, joined))
    game_id, player, account = (int(topic, 16) for topic in logs[-1]["topics"][1:])
    is_bob = account == int.from_bytes(BOB)
    seen["event"] = ["PlayerJoined", game_id, player, is_bob]
    seen["found"] = sum(int(log["topics"][3], 16) == int.from_bytes(BOB) for log in logs)

    def time() -> int:
        return int(cast("block", "latest", "--field", "timestamp"))

    snapshot, before, block = json.loads(cast("rpc", "evm_snapshot")), time(), cast("block-number")
    cast("rpc", "evm_increaseTime", "65")
    cast("rpc", "evm_mine")
    seen["seconds"] = time() - before
    cast("rpc", "evm_revert", snapshot)
    seen["back"] = cast("block-number") == block
    assert seen == {name: value for name, value in EXPECTED.items() if name != "state"}


def test_forge_broadcasts_a_script(url: str, cast: Callable[..., str], tmp_path: Path) -> None:
    """It deploys a Solidity contract and plays on it, and creates a game on Deblockle, which is deployed already."""
    forge, key = tool("forge"), f"0x{ALICE.key.hex()}"
    chain = Web3(Web3.HTTPProvider(url)).provider
    game = chain.make_request(RPCEndpoint("chain_send"), [{"contract": "Deblockle"}])["result"][
        "address"
    ]
    shutil.copytree(HERE / "foundry", tmp_path, dirs_exist_ok=True)
    kept = MODULES / ".cache" / "forge"  # Solidity is slow to compile here
    where = {"FOUNDRY_OUT": str(kept / "out"), "FOUNDRY_CACHE_PATH": str(kept / "cache")}
    done = subprocess.run(
        [
            forge, "script", "script/Play.s.sol:Play", "--sig", "run(address)", game, "--rpc-url", url, "--private-key", key,
            "--use", HERE / "solc.mjs", "--broadcast", "--skip-simulation",
        ],
        cwd=tmp_path, env={**os.environ, **where}, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stdout + done.stderr
    (run,) = (tmp_path / "broadcast").rglob("run-latest.json")
    receipts = json.loads(run.read_text("utf-8"))["receipts"]
    assert [int(each["status"], 16) for each in receipts] == [1, 1, 1, 1]
    counter = receipts[0]["contractAddress"]
    assert cast("call", counter, "count()(uint256)") == "7"
    no, too_much = (
        cast("call", counter, "add(uint256)", "4", fails=True),
        keccak(b"TooMuch(uint256)")[:4],
    )
    assert too_much.hex() in no
    told = chain.make_request(RPCEndpoint("chain_receipts"), [{"to": game}])["result"]
    assert [each["result"] for each in told] == [0] and told[0]["args"]["num_cubes"] == 3
