"""The shape of an answer of `eth_simulateV1`: its fields, and what each looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

QUANTITY: Final = "0x(0|[1-9a-f][0-9a-f]*)"
DATA: Final = "0x([0-9a-f]{2})*"
ADDRESS: Final = "0x[0-9a-f]{40}"
WORD: Final = "0x[0-9a-f]{64}"
Shape = dict[str, Any]

HEADER: Final[Shape] = {
    **dict.fromkeys(("hash", "parentHash", "sha3Uncles", "stateRoot", "transactionsRoot", "receiptsRoot"), WORD),
    **dict.fromkeys(("mixHash", "withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash"), WORD),
    **dict.fromkeys(("difficulty", "number", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas"), QUANTITY),
    **dict.fromkeys(("blobGasUsed", "excessBlobGas", "size"), QUANTITY),
    "miner": ADDRESS,
    "logsBloom": "0x[0-9a-f]{512}",
    "extraData": DATA,
    "nonce": "0x[0-9a-f]{16}",
}  # fmt: skip
PLACE: Final[Shape] = {
    "blockHash": WORD,
    "blockNumber": QUANTITY,
    "blockTimestamp": QUANTITY,
    "transactionIndex": QUANTITY,
}
LOG: Final[Shape] = {
    **PLACE, "address": ADDRESS, "topics": [WORD], "data": DATA, "transactionHash": WORD, "logIndex": QUANTITY,
    "removed": False,
}  # fmt: skip
CALL: Final[Shape] = {
    "returnData": DATA, "logs": [LOG], "gasUsed": QUANTITY, "maxUsedGas": QUANTITY, "status": "0x1",
}  # fmt: skip
FAILED: Final[Shape] = {**CALL, "status": "0x0"}
REVERTED: Final[Shape] = {"code": 3, "message": "execution reverted.*", "data": DATA}
HALTED: Final[Shape] = {"code": -32015, "message": "vm execution error.*"}
WITHDRAWAL: Final[Shape] = {
    "index": QUANTITY, "validatorIndex": QUANTITY, "address": ADDRESS, "amount": QUANTITY,
}  # fmt: skip


def problems(blocks: Any) -> list[str]:
    """Return what is wrong with an answer, empty if nothing is."""
    return [problem for block in blocks for problem in _block_problems(block)]


def _block_problems(block: dict[str, Any]) -> Iterator[str]:
    shape = {**HEADER, "transactions": [WORD], "uncles": [], "withdrawals": [WITHDRAWAL]}
    yield from _compare(
        shape, {name: value for name, value in block.items() if name != "calls"}, ""
    )
    for call in block["calls"]:
        if call["status"] == "0x1":
            yield from _compare(CALL, call, "calls")
        else:
            error = REVERTED if call["error"]["code"] == 3 else HALTED
            yield from _compare({**FAILED, "error": error}, call, "calls")


def _compare(shape: Any, value: Any, path: str) -> Iterator[str]:
    if isinstance(shape, dict):
        if shape.keys() != value.keys():
            yield f"{path}: {sorted(shape.keys() ^ value.keys())}"
        for name in shape.keys() & value.keys():
            yield from _compare(shape[name], value[name], f"{path}.{name}")
    elif isinstance(shape, list):
        for item in value:
            yield from _compare(shape[0], item, path) if shape else iter([f"{path}: {item}"])
    elif isinstance(shape, str) and isinstance(value, str):
        if not re.fullmatch(shape, value, re.DOTALL):
            yield f"{path}: {value}"
    elif shape != value:
        yield f"{path}: {value!r}"
