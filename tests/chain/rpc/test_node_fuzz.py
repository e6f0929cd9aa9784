"""Random requests: every one is answered, none breaks the node, and none stays in memory."""

from __future__ import annotations

import asyncio
import gc
import json
import resource
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from chain import Chain, Contract, Map, call, view
from chain.rpc.errors import BROKEN
from chain.rpc.limits import Limits
from chain.rpc.methods import METHODS
from chain.rpc.server.access import AccessPolicy
from chain.rpc.server.app import App
from chain.types import u64

# A collection of garbage may take as long as the trial of a request. Python drops the `TimeUp` that then comes in a callback of
# Hypothesis, and it is raised again later.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LITTLE = Limits(mined=20, body=200_000)
GROWTH = 8 << 10  # KiB that the process may grow by from the first fifth of the requests on
WAYS_BACK = ("_reset", "_rollback", "_setHead")  # to where the test could not come back from
NAMED = [name for name in METHODS if not name.endswith(WAYS_BACK)]
TWO = "0x" + "00" * 19 + "02"
TAGS = ["latest", "pending", "earliest", "safe", "finalized", "newest", "0x0", "0x1"]
QUANTITIES = [0, 1, 2, 3, 16, 2**31, 2**63, 2**64, 2**255, 2**256, 2**999]
TEXTS = ["\ud800", "\x00", "é" * 20, "a" * 3_000, "eval", "../x", "0xzz"]
NAMES = [
    "from", "to", "data", "input", "value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce", "type",
    "chainId", "accessList", "address", "storageKeys", "topics", "fromBlock", "toBlock", "blockHash", "blockNumber", "state",
    "stateDiff", "code", "balance", "authorizationList", "blockStateCalls", "calls", "blockOverrides", "stateOverrides",
    "blocks", "timestamp", "tracer", "tracerConfig", "types", "primaryType", "domain", "message", "forking", "validation",
]  # fmt: skip


class Store(Contract):
    kept: Map[u64, u64]

    @call
    def keep(self, at: u64, what: u64) -> None:
        self.kept[at] = what

    @view
    def look(self, at: u64) -> u64:
        return self.kept[at]


def seeds(sender: str, store: str, tx: str, look: str, block: str) -> list[tuple[str, list[Any]]]:
    """Well-formed requests, to be corrupted."""
    call_ = {"from": sender, "to": store, "data": look, "gas": "0x30d40", "value": "0x0"}
    paid = {
        **call_,
        "maxFeePerGas": "0x77359400",
        "maxPriorityFeePerGas": "0x1",
        "nonce": "0x1",
        "type": "0x2",
    }
    old = {
        **call_,
        "gasPrice": "0x3b9aca00",
        "accessList": [{"address": store, "storageKeys": [tx]}],
        "type": "0x1",
    }
    lent = {
        "chainId": "0x7a69",
        "address": store,
        "nonce": "0x2",
        "yParity": "0x0",
        "r": "0x1",
        "s": "0x1",
    }
    imagined = {store: {"balance": "0x1", "nonce": "0x1", "code": "0x00", "stateDiff": {"0x0": tx}}}
    logs = {"fromBlock": "0x0", "toBlock": "latest", "address": [store], "topics": [tx, [tx, None]]}
    typed = {
        "types": {
            "EIP712Domain": [{"name": "name", "type": "string"}],
            "Mail": [{"name": "to", "type": "address[]"}],
        },
        "primaryType": "Mail",
        "domain": {"name": "Post"},
        "message": {"to": [sender]},
    }
    block_fields = {
        "number": "0x9", "time": "0x7fffffff", "baseFeePerGas": "0x1", "gasLimit": "0xfffff", "prevRandao": tx,
        "blobBaseFee": "0x1", "feeRecipient": store,
    }  # fmt: skip
    taken = {"index": "0x0", "validatorIndex": "0x0", "address": store, "amount": "0x1"}
    blocks = [
        {
            "blockOverrides": {**block_fields, "withdrawals": [taken]},
            "stateOverrides": {**imagined, TWO: {"movePrecompileToAddress": tx[:42]}},
            "calls": [call_, {**call_, "blobVersionedHashes": ["0x01" + tx[4:]]}],
        }
    ]
    wish = {"blockStateCalls": blocks, "traceTransfers": True, "returnFullTransactions": True}
    running = [
        (name, [fields, "latest", imagined])
        for name in ("eth_call", "eth_estimateGas", "eth_createAccessList")
        for fields in (call_, paid, old, {**paid, "to": None, "data": "0x60006000f3"})
    ]
    question = 'select count(*) from "derived:words" where address = ?'
    traced = {"tracer": "callTracer", "tracerConfig": {"onlyTopCall": False, "withLog": True}}
    told = {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
    return running + [
        (name, [fields]) for name in ("eth_sendTransaction", "eth_signTransaction", "chain_look", "chain_send")
        for fields in (call_, paid, old, {**call_, "authorizationList": [lent]})
    ] + [
        ("eth_sendRawTransaction", ["0x02f8" + "00" * 60]), ("eth_sendRawTransaction", ["0x04c0"]),
        ("eth_getBalance", [store, "latest"]), ("eth_getCode", [store, {"blockHash": block}]),
        ("eth_getStorageAt", [store, "0x0", "0x1"]), ("eth_getProof", [store, ["0x0"], "latest"]),
        ("eth_getTransactionCount", [sender, "pending"]), ("eth_getBlockByNumber", ["0x1", True]),
        ("eth_getBlockByHash", [block, True]), ("eth_getBlockReceipts", ["0x2"]),
        ("eth_getTransactionByHash", [tx]), ("eth_getTransactionReceipt", [tx]),
        ("eth_getTransactionByBlockNumberAndIndex", ["0x2", "0x0"]), ("eth_getRawTransactionByHash", [tx]),
        ("eth_feeHistory", ["0x4", "latest", [10, 50.5, 90]]), ("eth_getLogs", [logs]), ("eth_newFilter", [logs]),
        ("eth_newBlockFilter", []), ("eth_getFilterChanges", ["0x1"]), ("eth_getFilterLogs", ["0x2"]),
        ("eth_sign", [sender, look]), ("personal_sign", [look, sender]), ("eth_signTypedData_v4", [sender, typed]),
        ("eth_signTypedData", [sender, json.dumps(typed)]), ("eth_simulateV1", [wish, "latest"]),
        ("eth_call", [call_, "latest", imagined, block_fields]),
        ("web3_sha3", [look]), ("debug_traceTransaction", [tx, traced]), ("debug_traceTransaction", [tx, told]),
        ("debug_traceCall", [call_, "latest", traced]), ("debug_traceCall", [paid, "0x1", {"enableMemory": True}]),
        ("evm_mine", ["0x2"]), ("evm_mine", [{"blocks": "0x2", "timestamp": "0x7fffffff"}]), ("evm_snapshot", []),
        ("evm_revert", ["0x1"]), ("evm_increaseTime", ["0x10"]), ("evm_setNextBlockTimestamp", ["0x7fffffff"]),
        ("evm_setAutomine", [False]), ("anvil_mine", ["0x2", "0x5"]), ("anvil_setBalance", [store, "0x1"]),
        ("anvil_setNonce", [sender, "0x9"]), ("anvil_setCode", [store, "0x6000"]), ("anvil_setStorageAt", [store, "0x0", tx]),
        ("anvil_impersonateAccount", [store]), ("anvil_setCoinbase", [store]), ("anvil_setNextBlockBaseFeePerGas", ["0x1"]),
        ("hardhat_setPrevRandao", [tx]), ("evm_setIntervalMining", [0]), ("anvil_dropTransaction", [tx]),
        ("anvil_setBlockTimestampInterval", [5]), ("anvil_dumpState", []), ("anvil_loadState", ["0x1f8b"]),
        ("chain_contracts", []), ("chain_sql", ["select count(*) n from receipts"]), ("chain_events", ["Rang", {"limit": 2}]),
        ("chain_receipts", [{"entry": "keep"}]), ("chain_activity", []), ("chain_trace", [tx]),
        ("chain_look", [{"to": store, "entry": "look", "args": [1]}]), ("chain_mine", [2]),
        ("chain_send", [{"to": store, "entry": "keep", "args": [1, 2]}]),
        ("chain_head", ["", [0, 0, 0, 0, 0, 0]]), ("chain_transact", ["", [0, 0, 0, 0, 0, 0], call_]),
        ("chain_rows", ["", "receipts", 0]), ("chain_table", ["", "words", question, [[store]]]),
        ("chain_model", [store, "Score", [sender]]), ("chain_models", [store, "Score"]), ("chain_load", [{"die": [1, 2]}]),
        ("chain_traceLook", [{"to": store, "entry": "look", "args": [1]}]), ("chain_account", ["first.testnet"]),
        ("anvil_loadState", ["0x" + json.dumps({"accounts": {store: {"balance": "0x1"}}}).encode().hex()]),
        ("chain_fields", [store]),
    ]  # fmt: skip


class Fuzz:
    """Makes up requests, the same ones for the same seed."""

    def __init__(self, seed: int, known: list[str]) -> None:
        self.random = Random(seed)
        self.known = known
        self.seeds = seeds(*known)

    def body(self) -> bytes:
        roll = self.random.random()
        if roll < 0.05:
            return self.random.randbytes(self.random.randrange(60))
        if roll < 0.07:
            return self.random.choice([b"[", b"{", b'{"a":', b'"']) * self.random.randrange(
                1, 5_000
            )
        if roll < 0.10:
            return json.dumps([self.request() for _ in range(self.random.randrange(5))]).encode()
        raw = json.dumps(self.request()).encode()
        return self.spoil(raw) if roll < 0.25 else raw

    def spoil(self, raw: bytes) -> bytes:
        place = self.random.randrange(len(raw))
        return raw[:place] + self.random.randbytes(self.random.randrange(3)) + raw[place + 1 :]

    def request(self) -> Any:
        roll = self.random.random()
        if roll < 0.04:
            return self.value(3)
        if roll < 0.70:
            method, params = self.random.choice(self.seeds)
            for _ in range(self.random.randrange(3)):
                params = self.bend(params)
            return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        made: dict[str, Any] = {"jsonrpc": "2.0", "id": self.random.randrange(99)}
        made["method"] = self.random.choice(NAMED)
        made["params"] = [self.value(3) for _ in range(self.random.randrange(5))]
        if self.random.random() < 0.03:
            made[self.random.choice(list(made))] = self.value(2)
        return made

    def bend(self, value: Any) -> Any:
        """The same with one part replaced, or left out."""
        if not value or not isinstance(value, list | dict) or self.random.random() < 0.1:
            return self.value(2)
        places = list(value) if isinstance(value, dict) else range(len(value))
        place = self.random.choice(places)
        made: Any = value.copy()
        if self.random.random() < 0.15:
            del made[place]
        else:
            made[place] = self.bend(value[place])
        return made

    def value(self, depth: int) -> Any:
        random = self.random
        kind = random.randrange(12 if depth else 8)
        match kind:
            case 0:
                return random.choice([None, True, False, 0, 1, -1, 0.5, "", "0x", [], {}])
            case 1:
                return random.choice([2**53, 2**64, 2**256, 10**400, -(2**63), 1e300, 31337])
            case 2:
                return "0x" + random.randbytes(random.choice([1, 4, 20, 32, 33, 100])).hex()
            case 3:
                return hex(random.choice(QUANTITIES))
            case 4:
                return random.choice(TEXTS)
            case 5:
                return random.choice(TAGS)
            case 6 | 7:
                return random.choice(self.known)
            case 8 | 9:
                names = random.sample(NAMES, random.randrange(1, 5))
                return {name: self.value(depth - 1) for name in names}
            case 10:
                ends = {"from": self.known[0], "to": random.choice(self.known)}
                return {**ends, random.choice(NAMES): self.value(depth - 1)}
            case _:
                return [self.value(depth - 1) for _ in range(random.randrange(4))]


class Conversation:
    """A node in process, and its replies that are not JSON-RPC answers."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.chain.node.limits = LITTLE
        store = self.chain.deploy(Store)
        receipt = store.keep(1, 2)
        self.known = [str(self.chain.accounts[0]), str(store.address), "0x" + receipt.tx_hash.hex()]
        self.known += ["0x" + store.look.calldata(1).hex(), "0x" + self.chain.block_hash().hex()]
        self._app = App(self.chain.node, AccessPolicy(), lambda: None)
        self._before = self.chain.snapshot()

    async def ask(self, body: bytes) -> tuple[int, bytes]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app({"type": "http", "method": "POST", "headers": []}, receive, send)
        return sent[0]["status"], sent[1]["body"]

    def rewind(self) -> None:
        """Go back to the beginning: the effects of a request on the chain are not measured."""
        self.chain.revert(self._before)
        self.chain.automine = True
        self.chain.node.interval = 0.0

    async def check(self, body: bytes) -> None:
        status, said = await self.ask(body)
        if status == 204:
            return
        answers = json.loads(said)
        for answer in answers if isinstance(answers, list) else [answers]:
            assert answer["jsonrpc"] == "2.0", (body, said)
            assert ("result" in answer) != ("error" in answer), (body, said)
            assert answer.get("error", {}).get("code") != BROKEN, (body, said)

    async def run(self, fuzz: Fuzz, count: int, each: Callable[[int], None]) -> None:
        for number in range(count):
            await self.check(fuzz.body())
            if number % 500 == 499:
                self.rewind()
                each(number)
        _, said = await self.ask(b'{"id": 1, "method": "eth_chainId"}')
        assert json.loads(said)["result"] == "0x7a69"


@pytest.fixture
def talk() -> Conversation:
    return Conversation()


def test_any_request_is_answered(talk: Conversation) -> None:
    asyncio.run(talk.run(Fuzz(1, talk.known), 2_000, lambda _: None))


@pytest.mark.slow
def test_many_requests_leave_nothing(talk: Conversation) -> None:
    sizes: list[int] = []

    def measure(number: int) -> None:
        if number % 20_000 == 19_999:
            gc.collect()
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    asyncio.run(talk.run(Fuzz(2, talk.known), 100_000, measure))
    assert sizes[-1] - sizes[0] < GROWTH, sizes
