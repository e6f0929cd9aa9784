"""JSON converted for eth-tester: numbers and bytes under snake-case names, with every field in its expected form."""

from __future__ import annotations

import re
from typing import Any, Final

from chain.rpc.json_format import Json

Values = dict[str, Any]

_NAMES: Final = {"miner": "coinbase", "input": "data"}
_NUMBERS: Final = {
    "number", "difficulty", "totalDifficulty", "size", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas", "logsBloom",
    "blobGasUsed", "excessBlobGas", "blobGasPrice", "blockNumber", "transactionIndex", "logIndex", "type", "status", "nonce",
    "value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "chainId", "v", "r", "s", "yParity",
    "cumulativeGasUsed", "effectiveGasPrice", "storageKeys",
}  # fmt: skip


def _plain(value: object, name: str = "") -> Any:
    """Convert JSON: quantities to numbers, other strings to bytes, names to snake case."""
    if isinstance(value, dict):
        return {_NAMES.get(key) or _snake(key): _plain(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_plain(item, name) for item in value)
    if isinstance(value, str):
        return int(value, 16) if name in _NUMBERS else bytes.fromhex(value[2:])
    return value


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def camel(name: str) -> str:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def block_values(shown: Json) -> Values:
    """Convert a block. Fields that the pending block does not have yet are zero."""
    values: Values = _plain(shown)
    unknown = {name for name, value in values.items() if value is None}
    transactions = tuple(
        _fit_transaction(tx) if isinstance(tx, dict) else tx for tx in values["transactions"]
    )
    return {
        **values,
        **dict.fromkeys(unknown, bytes(32)),
        "transactions": transactions,
        "logs_bloom": values["logs_bloom"] or 0,
        "size": values["size"] or 0,
        "nonce": bytes(8),
        "extra_data": values["extra_data"].rjust(32, b"\0"),
    }


def transaction_values(shown: Json) -> Values:
    return _fit_transaction(_plain(shown))


def _fit_transaction(values: Values) -> Values:
    values["to"] = values["to"] or b""
    del values["block_timestamp"]
    if "access_list" in values:
        values["access_list"] = tuple(tuple(entry.values()) for entry in values["access_list"])
    else:
        values.pop("chain_id", None)
    return values


def receipt_values(shown: Json) -> Values:
    values: Values = _plain(shown)
    del values["logs_bloom"]
    values["to"] = values["to"] or b""
    values["state_root"] = bytes((values["status"],))
    for log in values["logs"]:
        del log["removed"], log["block_timestamp"]
        log["type"] = "pending" if log["block_number"] is None else "mined"
    return values
