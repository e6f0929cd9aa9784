"""Errors of JSON-RPC methods: a code, a message, and the data of a revert."""

from __future__ import annotations

from typing import Any, Final

from chain.machine.failure import Failure

REVERTED: Final = 3  # the code by which clients know a revert
REFUSED: Final = -32000
METHOD_UNAVAILABLE: Final = -32004
TOO_MUCH: Final = -32005
VM_FAILED: Final = -32015
NO_REQUEST: Final = -32600
NO_METHOD: Final = -32601
BAD_PARAMS: Final = -32602
BROKEN: Final = -32603
NO_JSON: Final = -32700
# Those of eth_simulateV1.
NONCE_TOO_LOW: Final = -38010
NONCE_TOO_HIGH: Final = -38011
FEE_TOO_LOW: Final = -38012
GAS_TOO_LOW: Final = -38013
NO_FUNDS: Final = -38014
BLOCK_FULL: Final = -38015
NUMBER_ORDER: Final = -38020
TIME_ORDER: Final = -38021
MOVED_TO_ITSELF: Final = -38022
MOVED_TO_SAME: Final = -38023
NO_EOA: Final = -38024
INITCODE_TOO_LARGE: Final = -38025
OVER_LIMIT: Final = -38026
NO_MEMORY: Final = (
    "it needs more memory than is allowed, so it was stopped and undone: 'boardchain node "
    "--memory-limit' allows more"
)
_LONGEST: Final = 1_000


class RpcError(Exception):
    """An error answer to a JSON-RPC request."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def json(self) -> dict[str, object]:
        body = {"code": self.code, "message": shortened(self.message)}
        return body if self.data is None else {**body, "data": self.data}


def shortened(text: str) -> str:
    """Shorten a message, which may quote a long request."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def bad_params(message: str) -> RpcError:
    return RpcError(BAD_PARAMS, message)


def refused(message: str) -> RpcError:
    return RpcError(REFUSED, message)


def too_much(message: str) -> RpcError:
    return RpcError(TOO_MUCH, message)


def failed(failure: Failure) -> RpcError:
    """Return the error for a message that ran and failed. Running out of gas or halting is not a revert and has no data."""
    if failure.kind == "out of gas":
        return refused(f"out of gas: {failure.text}")
    if failure.kind == "halt":
        return refused(failure.text)
    data = "0x" + failure.data.hex()
    reason = f": {failure.text}" if failure.data and failure.text != data else ""
    return RpcError(REVERTED, f"execution reverted{reason}", data)
