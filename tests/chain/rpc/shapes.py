"""The answers of each method of the node, as data: a shape for every method in the table of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.chain.rpc.shape_language import Each, Either, each_of, maybe
from tests.chain.rpc.shape_parts import (
    ACCESS_LIST,
    ADDRESS,
    ANY,
    BLOCK,
    BLOCK_TRACE,
    BYTES,
    DECIMAL,
    FLAT,
    HASH,
    HEADER,
    LOG,
    MINED,
    NUMBER,
    OTS_BLOCK,
    OTS_DETAILS,
    OTS_OPERATION,
    OTS_PAGE,
    OTS_RECEIPT,
    OTS_TRACE,
    PENDING_BLOCK,
    PENDING_HEADER,
    RECEIPT,
    REPLAY,
    SIGNED,
    SIMULATED,
    TEXT,
    TRACE,
    TRANSACTION,
    UINT,
    WAITING,
)

# Only on this chain

_TEXT_OR_NONE: Final = maybe(TEXT)
_ERROR: Final = {
    "kind": TEXT, "text": TEXT, "data": BYTES, "name": _TEXT_OR_NONE, "fields": ANY, "file": _TEXT_OR_NONE,
    "line": maybe(int), "place": _TEXT_OR_NONE,
}  # fmt: skip
_OWN_LOG: Final = {
    "address": ADDRESS, "topics": [HASH], "data": BYTES, "text": _TEXT_OR_NONE, "event": _TEXT_OR_NONE, "fields": ANY,
}  # fmt: skip
_STORED: Final = {
    **each_of("contract model field member", _TEXT_OR_NONE), "address": ADDRESS, "keys": ANY,
}  # fmt: skip
_WRITE: Final = {**_STORED, "old": ANY, "new": ANY, "text": TEXT}
_OWN_RECEIPT: Final = {
    **each_of("position block index timestamp type nonce gas gas_used", int),
    **each_of("value gas_price", Either(int, DECIMAL)),
    **each_of("contract entry sender_name", _TEXT_OR_NONE),
    **each_of("logs undone_logs", [_OWN_LOG]), **each_of("writes undone_writes", [_WRITE]),
    "hash": HASH, "sender": ADDRESS, "to": maybe(ADDRESS), "address": ADDRESS, "args": Each(TEXT, ANY), "data": BYTES,
    "output": BYTES, "ok": bool, "result": ANY, "error": maybe(_ERROR),
}  # fmt: skip
_EVENT: Final = {
    **_OWN_LOG, "log": int, "receipt": int, "hash": HASH, "block": int, "timestamp": int,
}  # fmt: skip
_VERSION: Final = {"value": ANY, "block": int, "timestamp": int, "receipt": int, "hash": HASH}
_LOOK: Final = {
    "ok": bool, "output": BYTES, "result": ANY, "error": maybe(_ERROR), "texts": [TEXT], "logs": [_OWN_LOG],
    "gas_used": int,
}  # fmt: skip
_PROGRAM: Final = {"name": TEXT, "class": TEXT, "digest": HASH, "abi": [Each(TEXT, ANY)]}
_OWN_ACCOUNT: Final = {"name": TEXT, "address": ADDRESS}
_TREE: Final[dict[str, Any]] = {
    **each_of("address caller code_address", ADDRESS),
    **each_of("contract entry text?", _TEXT_OR_NONE), "step": "call", "kind": TEXT,
    "args": Each(TEXT, ANY), "data": BYTES, "value": Either(int, DECIMAL), "gas": int, "gas_used": int, "ok": bool,
    "output": BYTES, "result": ANY, "error": maybe(_ERROR),
}  # fmt: skip
_TREE["steps"] = [
    Either(
        _TREE,
        {**_STORED, "step": "read", "value": ANY, "text": TEXT},
        {**_WRITE, "step": "write"},
        {**_OWN_LOG, "step": "log"},
    )
]

# The state of the node

_FORK_CONFIG: Final = {
    "activationTime": int, "chainId": UINT, "forkId": "0x[0-9a-f]{8}", "precompiles": Each(TEXT, ADDRESS),
    "systemContracts": Each(TEXT, ADDRESS),
    "blobSchedule": {"baseFeeUpdateFraction": int, "max": int, "target": int},
}  # fmt: skip
_RESOURCE: Final = {"disabled": bool, "oldestBlock?": UINT}
_BY_NONCE: Final = Each(DECIMAL, WAITING)
_LINES: Final = Each(ADDRESS, Each(DECIMAL, TEXT))
_NEWS: Final = Either([HASH], [LOG])
_NODE_INFO: Final = {
    "currentBlockNumber": UINT, "currentBlockTimestamp": int, "currentBlockHash": HASH, "hardFork": TEXT,
    "transactionOrder": "fifo",
    "environment": {"baseFee": UINT, "chainId": int, "gasLimit": UINT, "gasPrice": UINT},
    "forkConfig": {"forkUrl": None, "forkBlockNumber": None, "forkRetryBackoff": None},
}  # fmt: skip
_METADATA: Final = {
    "clientVersion": TEXT, "chainId": int, "instanceId": HASH, "latestBlockNumber": int, "latestBlockHash": HASH,
    "forkedNetwork": None,
}  # fmt: skip
_PARAM: Final = {"name": TEXT, "required": bool, "schema": {}}
_OPENRPC: Final = {
    "openrpc": TEXT, "info": {"title": TEXT, "version": TEXT},
    "methods": [
        {
            "name": TEXT, "summary": ".+", "description?": TEXT, "params": [_PARAM],
            "result": {"name": TEXT, "schema": {}},
        }
    ],
}  # fmt: skip
_PROOF: Final = {
    "address": ADDRESS, "nonce": UINT, "balance": UINT, "codeHash": HASH, "storageHash": HASH, "accountProof": [BYTES],
    "storageProof": [{"key": UINT, "value": UINT, "proof": [BYTES]}],
}  # fmt: skip
_HISTORY: Final = {
    "oldestBlock": UINT, "baseFeePerGas": [UINT], "baseFeePerBlobGas": [UINT], "gasUsedRatio": [NUMBER],
    "blobGasUsedRatio": [NUMBER], "reward?": [[UINT]],
}  # fmt: skip

_CONTROL: Final = {
    **each_of(
        "setBalance addBalance setNonce setCode setStorageAt impersonateAccount stopImpersonatingAccount "
        "autoImpersonateAccount setPrevRandao setCoinbase setNextBlockBaseFeePerGas setLoggingEnabled setAutomine "
        "getAutomine setIntervalMining setBlockTimestampInterval removeBlockTimestampInterval revert rollback "
        "reset dropTransaction loadState", bool,
    ),
    **each_of("setChainId reorg dealERC20 setERC20Allowance dropAllTransactions removePoolTransactions", None),
    "mine": "0x0", "mine_detailed": [BLOCK], "setBlockGasLimit": bool,
    "getIntervalMining": maybe(int), "increaseTime": int, "setTime": int, "setNextBlockTimestamp": DECIMAL,
    "snapshot": UINT, "dumpState": BYTES, "nodeInfo": _NODE_INFO, "metadata": _METADATA,
}  # fmt: skip

# Methods that only ever refuse.
REFUSED: Final = frozenset(
    {"eth_subscribe", "eth_unsubscribe", "chain_subscribe", "chain_unsubscribe"}
    | {f"{tool}_{name}" for tool in ("anvil", "hardhat") for name in ("setRpcUrl", "setMinGasPrice")}
)  # fmt: skip

SHAPES: Final[Mapping[str, Any]] = {
    **{f"{tool}_{name}": shape for tool in ("anvil", "hardhat") for name, shape in _CONTROL.items()},
    **each_of(
        "eth_chainId eth_protocolVersion eth_hashrate eth_getBalance eth_getTransactionCount eth_blockNumber "
        "eth_gasPrice eth_baseFee eth_maxPriorityFeePerGas eth_blobBaseFee eth_estimateGas eth_newFilter "
        "eth_newBlockFilter eth_newPendingTransactionFilter net_peerCount evm_snapshot", UINT,
    ),
    **each_of(
        "eth_getBlockTransactionCountByNumber eth_getBlockTransactionCountByHash eth_getUncleCountByBlockNumber "
        "eth_getUncleCountByBlockHash", maybe(UINT),
    ),
    **each_of("eth_getCode eth_call debug_getRawHeader debug_getRawBlock debug_getRawTransaction "
        "chain_head chain_rows chain_table chain_transact", BYTES,
    ),
    **each_of(
        "eth_getRawTransactionByHash eth_getRawTransactionByBlockNumberAndIndex "
        "eth_getRawTransactionByBlockHashAndIndex", maybe(BYTES),
    ),
    **each_of("eth_sendTransaction eth_sendRawTransaction eth_sendUnsignedTransaction web3_sha3 eth_getStorageAt", HASH,
    ),
    **each_of("eth_sign personal_sign eth_signTypedData eth_signTypedData_v3 eth_signTypedData_v4", "0x[0-9a-f]{130}"
    ),
    **each_of(
        "net_listening eth_mining eth_uninstallFilter evm_setAutomine evm_setIntervalMining evm_setBlockGasLimit "
        "evm_setAccountBalance evm_setAccountCode evm_setAccountNonce evm_setAccountStorageAt evm_revert "
        "ots_hasCode chain_setExcessBlobGas chain_load", bool,
    ),
    **each_of("evm_increaseTime evm_setTime ots_getApiLevel chain_now chain_advance chain_setTime chain_mine", int,
    ),
    **each_of(
        "eth_getTransactionByHash eth_getTransactionByBlockNumberAndIndex eth_getTransactionByBlockHashAndIndex "
        "eth_getTransactionBySenderAndNonce", TRANSACTION,
    ),
    **each_of("eth_getBlockByNumber eth_getBlockByHash", Either(BLOCK, PENDING_BLOCK, None)),
    **each_of("eth_getHeaderByNumber eth_getHeaderByHash erigon_getHeaderByNumber", Either(HEADER, PENDING_HEADER, None)),
    **each_of("eth_getUncleByBlockNumberAndIndex eth_getUncleByBlockHashAndIndex testing_timeTravel debug_setHead", None),
    **each_of("eth_signTransaction eth_fillTransaction", {"raw": BYTES, "tx": SIGNED}),
    **each_of("debug_traceTransaction debug_traceCall", TRACE),
    **each_of("debug_traceBlockByNumber debug_traceBlockByHash", BLOCK_TRACE),
    **each_of("trace_transaction trace_block trace_filter", [FLAT]),
    **each_of("eth_getFilterChanges eth_getFilterLogs eth_getLogs", _NEWS),
    **each_of("eth_accounts eth_requestAccounts", [ADDRESS]),
    **each_of("evm_mineDetailed evm_mine_detailed", [BLOCK]),
    **each_of("ots_getBlockDetails ots_getBlockDetailsByHash", maybe(OTS_DETAILS)),
    **each_of("ots_searchTransactionsBefore ots_searchTransactionsAfter", OTS_PAGE),
    "web3_clientVersion": "[^/]+/.+",
    **each_of("net_version eth_networkId", DECIMAL),
    "eth_syncing": False,
    "eth_coinbase": ADDRESS,
    "eth_getStorageValues": Each(ADDRESS, [HASH]),
    "eth_getAccountInfo": {"balance": UINT, "nonce": UINT, "code": BYTES},
    "eth_getProof": _PROOF,
    "eth_getBlockReceipts": maybe([RECEIPT]),
    "eth_getTransactionReceipt": maybe(RECEIPT),
    **each_of("eth_sendTransactionSync eth_sendRawTransactionSync", RECEIPT),
    "eth_config": {"current": _FORK_CONFIG, "next": None, "last": None},
    "eth_capabilities": {
        **each_of("state tx logs receipts blocks stateproofs", _RESOURCE),
        "head": {"number": UINT, "hash": HASH},
    },
    "eth_feeHistory": _HISTORY,
    "eth_simulateV1": SIMULATED,
    "eth_createAccessList": {"accessList": ACCESS_LIST, "gasUsed": UINT, "error?": TEXT},
    "eth_pendingTransactions": [WAITING],
    "debug_getRawReceipts": [BYTES],
    "debug_getBadBlocks": [],
    "trace_get": maybe(FLAT),
    "trace_replayTransaction": REPLAY,
    "trace_call": REPLAY,
    "trace_replayBlockTransactions": [{**REPLAY, "transactionHash": HASH}],
    "ots_getTransactionError": BYTES,
    "ots_traceTransaction": [OTS_TRACE],
    "ots_getInternalOperations": [OTS_OPERATION],
    "ots_getTransactionBySenderAndNonce": maybe(HASH),
    "ots_getContractCreator": maybe({"hash": HASH, "creator": ADDRESS}),
    "ots_getBlockTransactions": {
        "fullblock": {**OTS_BLOCK, "transactions": [MINED]},
        "receipts": [{**OTS_RECEIPT, "logs": None, "logsBloom": None}],
    },
    "txpool_status": {"pending": UINT, "queued": UINT},
    "txpool_content": {"pending": Each(ADDRESS, _BY_NONCE), "queued": Each(ADDRESS, _BY_NONCE)},
    "txpool_contentFrom": {"pending": _BY_NONCE, "queued": _BY_NONCE},
    "txpool_inspect": {"pending": _LINES, "queued": _LINES},
    "evm_mine": "0x0",
    "evm_setNextBlockTimestamp": DECIMAL,
    "rpc.discover": _OPENRPC,
    "chain_contracts": [{**_PROGRAM, "label": TEXT, "address": ADDRESS, "receipt": maybe(int)}],
    "chain_programs": [{**_PROGRAM, "bytecode": BYTES}],
    "chain_reload": [{"name": TEXT, "digest": HASH}],
    "chain_accounts": [_OWN_ACCOUNT],
    "chain_account": _OWN_ACCOUNT,
    "chain_receipts": [_OWN_RECEIPT],
    "chain_receipt": maybe(_OWN_RECEIPT),
    "chain_send": _OWN_RECEIPT,
    "chain_events": [_EVENT],
    "chain_activity": TEXT,
    "chain_sql": {"columns": [TEXT], "rows": [[ANY]]},
    "chain_worlds": [
        {"namespace": TEXT, "address": ADDRESS, "systems": Each(TEXT, ADDRESS), "models": Each(TEXT, [TEXT])}
    ],
    "chain_model": {"exists": bool, "value": ANY},
    "chain_models": [ANY],
    **each_of("chain_modelHistory chain_fieldHistory", [_VERSION]),
    "chain_fields": Each(TEXT, ANY),
    "chain_look": _LOOK,
    "chain_unload": Each(TEXT, [ANY]),
    "chain_trace": _TREE,
    "chain_traceLook": _TREE,
}  # fmt: skip
