"""Every method answers in its shape, asked at least once here. All other tests of this folder check the shapes of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from eth_account import Account

from chain import Address, Chain
from chain.crypto.accounts import ACCOUNTS
from chain.machine.transaction import Transaction
from chain.metering.program import program_of
from chain.rpc.methods import METHODS
from chain.rpc.typed_transactions import encode_typed
from chain.simulator.handle import Handle
from chain.simulator.world_handle import WorldHandle
from tests.chain.helpers import untyped
from tests.chain.rpc.shape_language import Each, Either, problems
from tests.chain.rpc.shapes import REFUSED, SHAPES
from tests.chain.rpc.test_rewrites import Token
from tests.chain.toys import Counter, Scoring

Ask = Callable[..., Any]
ALICE, BOB = (str(account) for account in ACCOUNTS[:2])
WALLET = Account.from_key("0x" + "57" * 32)
TYPED = {
    "types": {"EIP712Domain": [], "Note": [{"name": "text", "type": "string"}]},
    "primaryType": "Note", "domain": {}, "message": {"text": "hello"},
}  # fmt: skip


def test_every_method_has_a_shape() -> None:
    assert METHODS.keys() == SHAPES.keys() | REFUSED


@pytest.mark.parametrize(
    ("shape", "value", "is_fine"),
    [
        ("0x[0-9]", "0x1", True), ("0x[0-9]", "0x12", False), ("0x[0-9]", None, False), (int, True, False),
        ({"a": int, "b?": int}, {"a": 1}, True), ({"a": int}, {}, False), ({"a": int}, {"a": 1, "b": 2}, False),
        ([int], [1, 2], True), ([int], ["1"], False), ([], [1], False), (Either(int, None), None, True),
        (Either(int, None), "", False), (Each("a+", int), {"aa": 1}, True), (Each("a+", int), {"b": 1}, False),
        (False, 0, False), (None, {}, False),
    ],
)  # fmt: skip
def test_shapes_are_distinguished(shape: Any, value: Any, is_fine: bool) -> None:
    assert (problems(shape, value) == []) == is_fine


class Session:
    """Asks a node, and keeps the names of what it asked."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.asked = chain, set[str]()

    def __call__(self, method: str, *params: Any) -> Any:
        self.asked.add(method)
        return self.chain.node.request(method, params)

    def control(self, name: str, *params: Any) -> Any:
        """Ask by both names of a method."""
        if f"hardhat_{name}" not in self.asked:
            self.asked.add(f"hardhat_{name}")
            assert METHODS[f"hardhat_{name}"] is METHODS[f"anvil_{name}"]
        return self(f"anvil_{name}", *params)


def test_every_method_answers_in_its_shape(chain: Chain, forwarder: Address) -> None:
    ask, counter, token = Session(chain), chain.deploy(Counter), chain.deploy(Token)
    world = chain.deploy_world("arcade", systems=[Scoring])
    hashes = transactions(ask, counter)
    read_chain(ask, counter, hashes)
    run(ask, counter)
    watch(ask)
    wait(ask)
    control(ask, counter, token)
    own(ask, counter, world)
    assert METHODS.keys() - ask.asked == REFUSED


def transactions(ask: Session, counter: Handle) -> list[str]:
    """Send transactions of all types, one of which reverts, and return their hashes."""
    chain = ask.chain
    to, add = str(counter.address), "0x" + counter.add.calldata(1).hex()
    plain = {"from": ALICE, "to": to, "data": add, "gas": "0x30d40"}
    ask("anvil_setBalance", WALLET.address, hex(10**20))
    sent = [
        ask("eth_sendTransaction", {**plain, "gasPrice": hex(10**9)}),
        ask("eth_sendTransaction", {**plain, "accessList": [{"address": to, "storageKeys": ["0x" + "00" * 32]}]}),
        ask("eth_sendUnsignedTransaction", {**plain, "data": "0x12345678"}),
    ]  # fmt: skip
    blob = Transaction(
        bytes(ACCOUNTS[0]), bytes(ACCOUNTS[1]), b"", 0, 21_000, chain.nonce(ALICE), 10**10, type=3
    )
    with_blob = encode_typed(blob, [10**9, [b"\1" + bytes(31)]], chain.chain_id, ACCOUNTS[0])
    assert with_blob.raw is not None
    sent.append(ask("eth_sendRawTransaction", "0x" + with_blob.raw.hex()))
    lending = {"chainId": chain.chain_id, "address": to, "nonce": 1}
    signed = Account.sign_authorization(lending, WALLET.key)
    raw = Account.sign_transaction(
        {
            "chainId": chain.chain_id, "nonce": 0, "to": WALLET.address, "gas": 100_000, "maxFeePerGas": 10**10,
            "maxPriorityFeePerGas": 1, "authorizationList": [signed], "type": 4,
        },
        WALLET.key,
    ).raw_transaction  # fmt: skip
    sent.append(ask("eth_sendRawTransactionSync", "0x" + bytes(raw).hex())["transactionHash"])
    sent.append(ask("eth_sendTransactionSync", {"from": ALICE, "to": ALICE})["transactionHash"])
    return sent


def read_chain(ask: Session, counter: Handle, hashes: list[str]) -> None:
    """Ask for blocks, transactions, receipts, accounts, traces."""
    to, last = str(counter.address), ask("eth_blockNumber")
    of_block = [
        "eth_getBlockReceipts", "eth_getBlockTransactionCountByNumber", "eth_getUncleCountByBlockNumber",
        "eth_getHeaderByNumber", "erigon_getHeaderByNumber", "debug_getRawHeader", "debug_getRawBlock",
        "debug_getRawReceipts", "debug_traceBlockByNumber", "trace_block", "ots_getBlockDetails",
    ]  # fmt: skip
    for number in range(int(last, 16) + 1):
        block = ask("eth_getBlockByNumber", hex(number), True)
        for method in of_block:
            ask(method, hex(number))
        for method in (
            "eth_getBlockByHash", "eth_getHeaderByHash", "eth_getBlockTransactionCountByHash",
            "eth_getUncleCountByBlockHash", "debug_traceBlockByHash", "ots_getBlockDetailsByHash",
        ):  # fmt: skip
            ask(method, block["hash"])
        for way, which in (("Number", hex(number)), ("Hash", block["hash"])):
            ask(f"eth_getTransactionByBlock{way}AndIndex", which, "0x0")
            ask(f"eth_getRawTransactionByBlock{way}AndIndex", which, "0x0")
            ask(f"eth_getUncleByBlock{way}AndIndex", which, "0x0")
        ask("ots_getBlockTransactions", number, 0, 5)
        ask("trace_replayBlockTransactions", number, ["trace", "stateDiff"])
    for tx_hash in hashes:
        for method in (
            "eth_getTransactionByHash", "eth_getTransactionReceipt", "eth_getRawTransactionByHash",
            "debug_getRawTransaction", "trace_transaction", "ots_traceTransaction", "ots_getInternalOperations",
            "ots_getTransactionError", "debug_traceTransaction", "chain_receipt", "chain_trace",
        ):  # fmt: skip
            ask(method, tx_hash)
        ask("trace_get", tx_hash, [])
        ask("trace_replayTransaction", tx_hash, ["stateDiff"])
        for config in ({}, {"diffMode": True}):
            for tracer in ("callTracer", "prestateTracer"):
                ask("debug_traceTransaction", tx_hash, {"tracer": tracer, "tracerConfig": config})
    ask("trace_filter", {})
    ask("eth_getTransactionBySenderAndNonce", ALICE, "0x3")
    ask("ots_getTransactionBySenderAndNonce", ALICE, 3)
    ask("ots_searchTransactionsBefore", ALICE, 0, 9)
    ask("ots_searchTransactionsAfter", ALICE, 0, 9)
    ask("ots_getContractCreator", to)
    ask("ots_hasCode", to, "latest")
    for method in (
        "eth_getBalance",
        "eth_getTransactionCount",
        "eth_getCode",
        "eth_getAccountInfo",
    ):
        ask(method, to, "latest")
    ask("eth_getStorageAt", to, "0x0")
    ask("eth_getStorageValues", {to: ["0x0", "0x1"]})
    ask("eth_getProof", to, ["0x0", "0x" + "01" * 32])
    ask("eth_feeHistory", "0x5", "latest", [10, 90])
    for method in (
        "web3_clientVersion", "net_version", "eth_networkId", "net_listening", "net_peerCount", "eth_chainId",
        "eth_syncing",
        "eth_protocolVersion", "eth_mining", "eth_hashrate", "eth_coinbase", "eth_accounts", "eth_requestAccounts",
        "eth_gasPrice", "eth_baseFee", "eth_maxPriorityFeePerGas", "eth_config", "eth_capabilities", "eth_blobBaseFee",
        "debug_getBadBlocks", "ots_getApiLevel", "rpc.discover",
    ):  # fmt: skip
        ask(method)


def run(ask: Session, counter: Handle) -> None:
    """Run what is not sent, and sign."""
    to = str(counter.address)
    call = {"from": ALICE, "to": to, "data": "0x" + counter.add.calldata(2).hex()}
    for method in (
        "eth_call",
        "eth_estimateGas",
        "eth_createAccessList",
        "debug_traceCall",
        "chain_traceLook",
    ):
        ask(method, call)
    ask("debug_traceCall", call, "latest", {"enableMemory": True})
    ask("trace_call", call, ["trace"])
    ask("eth_simulateV1", {"blockStateCalls": [{"calls": [call, {**call, "data": "0x1234"}]}]})
    for method in ("eth_signTransaction", "eth_fillTransaction"):
        ask(method, {**call, "gas": "0x30d40"})
    ask("eth_fillTransaction", {"to": BOB, "blobVersionedHashes": ["0x01" + "00" * 31]})
    ask("eth_sign", ALICE, "0x1234")
    ask("personal_sign", "0x1234", ALICE)
    ask("eth_signTypedData", ALICE, TYPED)
    ask("eth_signTypedData_v3", ALICE, TYPED)
    ask("eth_signTypedData_v4", ALICE, TYPED)
    ask("web3_sha3", "0x1234")


def watch(ask: Session) -> None:
    filters = [
        ask("eth_newFilter", {"fromBlock": "0x0"}), ask("eth_newBlockFilter"), ask("eth_newPendingTransactionFilter"),
    ]  # fmt: skip
    ask("eth_sendTransaction", {"from": ALICE, "to": BOB})
    for number in filters:
        ask("eth_getFilterChanges", number)
    ask("eth_getFilterLogs", filters[0])
    ask("eth_getLogs", {"fromBlock": "0x0"})
    ask("eth_uninstallFilter", filters[0])


def wait(ask: Session) -> None:
    """Ask for what is pending and what is queued."""
    ask("evm_setAutomine", False)
    waiting = ask("eth_sendTransaction", {"from": ALICE, "to": BOB, "gas": "0x5208"})
    queued = ask("eth_sendTransaction", {"from": BOB, "to": ALICE, "gas": "0x5208", "nonce": "0x9"})
    for tx_hash in (waiting, queued):
        assert ask("eth_getTransactionByHash", tx_hash)["blockHash"] is None
    for method in ("txpool_status", "txpool_content", "txpool_inspect", "eth_pendingTransactions"):
        ask(method)
    ask("txpool_contentFrom", BOB)
    for full in (False, True):
        ask("eth_getBlockByNumber", "pending", full)
    ask("eth_getBlockReceipts", "pending")
    ask("eth_getHeaderByNumber", "pending")
    ask.control("dropTransaction", queued)
    ask.control("removePoolTransactions", BOB)
    ask.control("dropAllTransactions")
    ask("evm_setAutomine", True)


def control(ask: Session, counter: Handle, token: Handle) -> None:
    """Ask for everything that sets up a test."""
    to = str(counter.address)
    dump = ask.control("dumpState")
    for method, params in (
        ("setBalance", [to, "0x5"]), ("addBalance", [to, "0x5"]), ("setNonce", [to, "0x5"]),
        ("setCode", [BOB, "0x00"]), ("setStorageAt", [to, "0x0", "0x1"]), ("impersonateAccount", [to]),
        ("stopImpersonatingAccount", [to]), ("autoImpersonateAccount", [False]), ("setPrevRandao", ["0x1"]),
        ("setCoinbase", [BOB]), ("setNextBlockBaseFeePerGas", ["0x1"]), ("setChainId", [hex(ask.chain.chain_id)]),
        ("setLoggingEnabled", [False]), ("mine", ["0x1"]), ("mine_detailed", []),
        ("setBlockGasLimit", [hex(60_000_000)]), ("setAutomine", [True]), ("getAutomine", []),
        ("setIntervalMining", [0]), ("getIntervalMining", []), ("increaseTime", [5]),
        ("setNextBlockTimestamp", [1_800_000_000]), ("setTime", [1_900_000_000]), ("setBlockTimestampInterval", [3]),
        ("removeBlockTimestampInterval", []), ("dealERC20", [BOB, str(token.address), "0x5"]),
        ("setERC20Allowance", [BOB, ALICE, str(token.address), "0x5"]), ("nodeInfo", []), ("metadata", []),
        ("mine", []), ("reorg", [1]), ("loadState", [dump]),
    ):  # fmt: skip
        ask.control(method, *params)
    ask.control("revert", ask.control("snapshot"))
    ask.control("rollback")
    for method, params in (
        ("evm_mine", []), ("evm_mineDetailed", []), ("evm_mine_detailed", []), ("evm_setIntervalMining", [0]),
        ("evm_setAutomine", [True]), ("evm_increaseTime", [5]), ("evm_setNextBlockTimestamp", [1_950_000_000]),
        ("evm_setTime", [1_960_000_000]), ("evm_setBlockGasLimit", [hex(60_000_000)]),
        ("evm_setAccountBalance", [to, "0x5"]), ("evm_setAccountCode", [BOB, "0x"]),
        ("evm_setAccountNonce", [to, "0x7"]), ("evm_setAccountStorageAt", [to, "0x0", "0x0"]),
        ("testing_timeTravel", [1_970_000_000]), ("debug_setHead", [hex(ask.chain.head.number)]),
    ):  # fmt: skip
        ask(method, *params)
    ask("evm_revert", ask("evm_snapshot"))


def own(ask: Session, counter: Handle, world: WorldHandle) -> None:
    """Ask for what only this chain has."""
    to, arcade = str(counter.address), str(world.address)
    ask("chain_account", "first.testnet")
    ask("chain_load", {"die": [1]})
    ask("chain_unload")
    ask("chain_send", {"from": ALICE, "to": to, "entry": "add", "args": [3]})
    ask("chain_send", {"from": ALICE, "to": to, "entry": "add", "args": [5_000]})
    ask("chain_send", {"to": str(world.system(Scoring).address), "entry": "win", "args": [2]})
    ask("chain_look", {"to": to, "entry": "add", "args": [3]})
    ask("chain_traceLook", {"from": ALICE, "to": to, "data": "0x" + counter.add.calldata(0).hex()})
    for method in (
        "chain_contracts",
        "chain_programs",
        "chain_accounts",
        "chain_receipts",
        "chain_activity",
    ):
        ask(method)
    ask("chain_trace", 0)
    ask("chain_receipt", 0)
    ask("chain_events", "Added")
    ask("chain_sql", "select * from receipts")
    ask("chain_worlds")
    ask("chain_model", arcade, "Score", [ALICE])
    ask("chain_models", arcade, "Score")
    ask("chain_modelHistory", arcade, "Score", [ALICE])
    ask("chain_fields", to)
    ask("chain_fieldHistory", to, "count")
    for method, params in (
        ("Now", []),
        ("Advance", [5]),
        ("SetTime", [2_000_000_000]),
        ("Mine", [2]),
    ):
        ask(f"chain_{method[0].lower()}{method[1:]}", *params)
    ask("chain_setExcessBlobGas", "0x5")
    ask.chain.node.package = untyped(Reloading())
    ask("chain_reload")
    counts = [0, 0, 0, 0, 0, 0]
    ask("chain_head", "", counts)
    ask("chain_rows", ask.chain.node.mark, "receipts", 0)
    ask("chain_table", ask.chain.node.mark, "logs", 'select count(*) from "derived:logs"', [])
    ask("chain_transact", "", counts, {"from": ALICE, "to": BOB})
    ask.control("reset")


class Reloading:
    def reload(self) -> list[Any]:
        return [program_of(Counter)]
