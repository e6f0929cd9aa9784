"""JSON-RPC as bytes: what arrives is read with suspicion, what leaves is bounded.

An answer that is too large is replaced by an error, and so is one that JSON cannot hold; the requests of a batch behind
the limit are not run.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from math import isinf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NoReturn

from chain.rpc.errors import BROKEN, NO_JSON, RpcError, shortened, too_much
from chain.rpc.node import VERSION

if TYPE_CHECKING:
    from chain.rpc.limits import Limits
    from chain.rpc.node import ConnectionMethods, Node

Run = Callable[[Any, int], Awaitable[bytes | None]]  # a request, and the room that its answer has

_DEEPEST: Final = 128
_TURN: Final = 0.05  # seconds that a batch may take before others have a turn
_TOKENS: Final = re.compile(
    r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[][{}]', re.DOTALL
)  # strings, and brackets outside
_encode: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


async def handle_bytes(limits: Limits, raw: bytes, run: Run) -> bytes | None:
    """The answer to the bytes of a request or a batch; None where nothing is to be answered."""
    try:
        message = _decode(raw)
    except ValueError as no:
        return error_bytes(RpcError(NO_JSON, f"this is no JSON: {no}"))
    if not isinstance(message, list) or not message:
        return await run(message, limits.response)
    return await _answer_batch(limits, message, run)


def error_bytes(no: RpcError, number: Any = None) -> bytes:
    """An answer that says no."""
    return encode({"jsonrpc": VERSION, "id": number, "error": no.json()})


def encode(message: Any) -> bytes:
    return _encode(message).encode("ascii")


def _decode(raw: bytes) -> Any:
    text = raw.decode("utf-8")
    if text.count("[") + text.count("{") > _DEEPEST and _depth(text) > _DEEPEST:
        raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


def _depth(text: str) -> int:
    """How deep it is nested. The parser calls itself for each level, and would end the process with it."""
    depth = deepest = 0
    for token in _TOKENS.findall(text):
        if token in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in "]}":
            depth -= 1
    return deepest


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    """A number that an answer can repeat: Python reads 1e999 as infinity, which JSON has no word for."""
    number = float(text)
    if isinf(number):
        raise ValueError(f"{shortened(text)} is larger than any number with a point can be")
    return number


async def _answer_batch(limits: Limits, messages: list[Any], run: Run) -> bytes | None:
    if len(messages) > limits.batch:
        return error_bytes(too_much(f"{len(messages)} requests in a batch: at most {limits.batch}"))
    answers: list[bytes] = []
    left, began = limits.response, monotonic()
    for message in messages:
        made = await run(message, left)
        if made is not None:
            answers.append(made)
            left -= len(made) + 1
        if monotonic() - began > _TURN:
            await asyncio.sleep(0)  # whoever waits has a turn
            began = monotonic()
    return b"[%b]" % b",".join(answers) if answers else None


def answer_one(node: Node, message: Any, own: ConnectionMethods, room: int) -> bytes | None:
    """The answer to one request in at most so many bytes; None to a notification."""
    number = message.get("id") if isinstance(message, dict) else None
    if room <= 0:
        return error_bytes(_too_large(node), number) if number is not None else None
    made = node.handle_one(message, own)
    if made is None:
        return None
    try:
        raw = encode(made)
    except (TypeError, ValueError, RecursionError) as bug:
        return error_bytes(RpcError(BROKEN, f"its answer is no JSON: {bug}"), made["id"])
    return raw if len(raw) <= room else error_bytes(_too_large(node), made["id"])


def _too_large(node: Node) -> RpcError:
    return too_much(f"the answer is too large: at most {node.limits.response} bytes; ask for less")
