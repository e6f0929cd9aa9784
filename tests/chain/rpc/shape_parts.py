"""Shapes of values, transactions, blocks and traces, of which those of answers are made.

They say what the specification of execution clients says. Where it says nothing of what is pending, they say what geth answers:
null for what is known only when the block is closed.
"""

from __future__ import annotations

from typing import Any, Final

from tests.chain.rpc.shape_language import Each, Either, each_of, maybe

# Plain values

UINT: Final = "0x(0|[1-9a-f][0-9a-f]*)"
BYTES: Final = "0x([0-9a-f]{2})*"
ADDRESS: Final = "0x[0-9a-fA-F]{40}"
HASH: Final = "0x[0-9a-f]{64}"
BLOOM: Final = "0x[0-9a-f]{512}"
DECIMAL: Final = "0|[1-9][0-9]*"
NUMBER: Final = Either(int, float)
TEXT: Final = ".*"
ANY: Final = object


# Transactions

ACCESS_LIST: Final = [{"address": ADDRESS, "storageKeys": [HASH]}]
_AUTHORIZATION: Final = each_of("chainId nonce yParity r s", UINT) | {"address": ADDRESS}
_LEGACY: Final = {
    **each_of("nonce value gas gasPrice v r s", UINT),
    "type": "0x0", "hash": HASH, "to": maybe(ADDRESS), "input": BYTES, "chainId?": UINT,
}  # fmt: skip
_LISTED: Final = {
    **{name: shape for name, shape in _LEGACY.items() if name != "chainId?"},
    "type": "0x1", "chainId": UINT, "yParity": "0x[01]", "accessList": ACCESS_LIST,
}  # fmt: skip
_FEES: Final = {**_LISTED, "type": "0x2", "maxFeePerGas": UINT, "maxPriorityFeePerGas": UINT}
_BLOBS: Final = {
    **_FEES, "type": "0x3", "to": ADDRESS, "maxFeePerBlobGas": UINT, "blobVersionedHashes": [HASH],
}  # fmt: skip
_SET_CODE: Final = {
    **_FEES, "type": "0x4", "to": ADDRESS, "authorizationList": [_AUTHORIZATION],
}  # fmt: skip
_TYPES: Final = (_LEGACY, _LISTED, _FEES, _BLOBS, _SET_CODE)
SIGNED: Final = Either(*_TYPES)
_PLACE: Final = {"blockHash": HASH, "blockNumber": UINT, "transactionIndex": UINT}
_NOWHERE: Final = dict.fromkeys(_PLACE)
MINED: Final = Either(
    *({**each, **_PLACE, "from": ADDRESS, "blockTimestamp": UINT} for each in _TYPES)
)
WAITING: Final = Either(
    *({**each, **_NOWHERE, "from": ADDRESS, "blockTimestamp": None} for each in _TYPES)
)
TRANSACTION: Final = Either(MINED, WAITING, None)

# Receipts and logs

_LOG: Final = {
    "address": ADDRESS, "topics": [HASH], "data": BYTES, "logIndex": UINT, "transactionHash": HASH, "removed": bool,
}  # fmt: skip
LOG: Final = {**_LOG, **_PLACE, "blockTimestamp": UINT}
_RECEIPT: Final = {
    **each_of("cumulativeGasUsed gasUsed effectiveGasPrice", UINT),
    "type": "0x[0-4]", "status": "0x[01]", "transactionHash": HASH, "from": ADDRESS, "to": maybe(ADDRESS),
    "contractAddress": maybe(ADDRESS), "logsBloom": BLOOM, "blobGasUsed?": UINT, "blobGasPrice?": UINT,
}  # fmt: skip
RECEIPT: Final = {**_RECEIPT, **_PLACE, "logs": [LOG]}

# Blocks

HEADER: Final = {
    **each_of("hash parentHash sha3Uncles stateRoot transactionsRoot receiptsRoot", HASH),
    **each_of("mixHash withdrawalsRoot parentBeaconBlockRoot requestsHash", HASH),
    **each_of("difficulty number gasLimit gasUsed timestamp baseFeePerGas", UINT),
    **each_of("blobGasUsed excessBlobGas", UINT),
    "miner": ADDRESS, "logsBloom": BLOOM, "extraData": BYTES, "nonce": "0x[0-9a-f]{16}", "totalDifficulty?": UINT,
}  # fmt: skip
WITHDRAWAL: Final = each_of("index validatorIndex amount", UINT) | {"address": ADDRESS}
_BODY: Final = {"size": UINT, "uncles": [HASH], "withdrawals": [WITHDRAWAL]}
BLOCK: Final = {**HEADER, **_BODY, "transactions": Either([HASH], [MINED])}
PENDING_HEADER: Final = {**HEADER, "hash": None}
PENDING_BLOCK: Final = {**PENDING_HEADER, **_BODY, "transactions": Either([HASH], [WAITING])}

# Simulations

_CALL: Final = {
    **each_of("gasUsed maxUsedGas", UINT), "returnData": BYTES, "logs": [LOG], "status": "0x1",
}  # fmt: skip
_REVERT: Final = {"code": 3, "message": "execution reverted.*", "data": BYTES}
_HALT: Final = {"code": -32015, "message": "vm execution error.*"}
_FAILED_CALL: Final = {**_CALL, "status": "0x0", "error": Either(_REVERT, _HALT)}
SIMULATED: Final = [{**BLOCK, "calls": [Either(_CALL, _FAILED_CALL)]}]

# Traces in geth's formats

_OPERATION: Final = {
    **each_of("pc gas gasCost depth", int), "op": TEXT, "error?": TEXT, "refund?": int,
    "stack?": [UINT], "memory?": [HASH], "storage?": Each(HASH, HASH),
}  # fmt: skip
_OPERATIONS: Final = {
    "gas": int, "failed": bool, "returnValue": BYTES, "structLogs": [_OPERATION],
}  # fmt: skip
_CALL_LOG: Final = {
    "address": ADDRESS, "topics": [HASH], "data": BYTES, "index": UINT, "position": UINT,
}  # fmt: skip
_CALL_TRACE: Final[dict[str, Any]] = {
    "type": "(STATIC|DELEGATE)?CALL|CALLCODE|CREATE2?", "from": ADDRESS, "to": ADDRESS, "gas": UINT, "gasUsed": UINT,
    "input": BYTES, "output?": BYTES, "value?": UINT, "error?": TEXT, "revertReason?": TEXT, "logs?": [_CALL_LOG],
}  # fmt: skip
_CALL_TRACE["calls?"] = [_CALL_TRACE]
_ACCOUNT: Final = {
    "balance?": UINT, "nonce?": int, "code?": BYTES, "codeHash?": HASH, "storage?": Each(HASH, HASH),
}  # fmt: skip
_ACCOUNTS: Final = Each(ADDRESS, _ACCOUNT)
TRACE: Final = Either(_OPERATIONS, _CALL_TRACE, {"pre": _ACCOUNTS, "post": _ACCOUNTS}, _ACCOUNTS)
BLOCK_TRACE: Final = [{"txHash": HASH, "result": TRACE}]

# Traces in Parity's format, and what Otterscan asks

_SENT: Final = {"from": ADDRESS, "gas": UINT, "value": UINT}
_TREE_PLACE: Final = {"subtraces": int, "traceAddress": [int], "error?": TEXT}
_FLAT: Final = Either(
    {
        **_TREE_PLACE, "type": "call",
        "action": {**_SENT, "to": ADDRESS, "input": BYTES, "callType": "(static|delegate)?call|callcode"},
        "result": maybe({"gasUsed": UINT, "output": BYTES}),
    },
    {
        **_TREE_PLACE, "type": "create", "action": {**_SENT, "init": BYTES, "creationMethod": "create2?"},
        "result": maybe({"gasUsed": UINT, "address": ADDRESS, "code": BYTES}),
    },
    {
        **_TREE_PLACE, "type": "suicide", "result": None,
        "action": {"address": ADDRESS, "refundAddress": ADDRESS, "balance": UINT},
    },
)  # fmt: skip
_FLAT_PLACE: Final = {
    "blockHash": maybe(HASH), "blockNumber": int, "transactionHash": HASH, "transactionPosition": int,
}  # fmt: skip
FLAT: Final = Either(*({**each, **_FLAT_PLACE} for each in _FLAT.shapes))


def _change(shape: str) -> Either:
    return Either("=", {"+": shape}, {"-": shape}, {"*": {"from": shape, "to": shape}})


_DIFF: Final = Each(
    ADDRESS,
    {
        "balance": _change(UINT), "nonce": _change(UINT), "code": _change(BYTES), "storage": Each(HASH, _change(HASH)),
    },
)  # fmt: skip
REPLAY: Final = {"output": BYTES, "trace": [_FLAT], "stateDiff": maybe(_DIFF), "vmTrace": None}
OTS_TRACE: Final = {
    "type": "(STATIC|DELEGATE)?CALL|CALLCODE|CREATE2?|SELFDESTRUCT", "depth": int, "from": ADDRESS, "to": ADDRESS,
    "value": maybe(UINT), "input": BYTES, "output": BYTES,
}  # fmt: skip
OTS_OPERATION: Final = {"type": int, "from": ADDRESS, "to": ADDRESS, "value": UINT}
OTS_BLOCK: Final = {**HEADER, **_BODY, "logsBloom": None, "transactionCount": int}
OTS_DETAILS: Final = {
    "block": OTS_BLOCK, "totalFees": UINT,
    "issuance": {"blockReward": UINT, "uncleReward": UINT, "issuance": UINT},
}  # fmt: skip
OTS_RECEIPT: Final = {**RECEIPT, "timestamp": int}
OTS_PAGE: Final = {
    "txs": [MINED], "receipts": [OTS_RECEIPT], "firstPage": bool, "lastPage": bool,
}  # fmt: skip
