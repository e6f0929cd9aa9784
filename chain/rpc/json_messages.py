"""JSON-RPC as bytes: input is checked, and the size of output is limited.

An answer that is too large, or that JSON cannot hold, is replaced by an error. Requests of a batch that come after the limit
is reached are not run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from math import isinf
from time import monotonic
from typing import Final, NoReturn

from chain.rpc.errors import BROKEN, NO_JSON, RpcError, shortened, too_much
from chain.rpc.json_format import json_text
from chain.rpc.limits import Limits
from chain.rpc.node import VERSION, ConnectionMethods, JsonText, Node
from chain.values.nesting import shallow

# Takes a request, and the room for its answer in bytes.
Run = Callable[[object, int], Awaitable[bytes | None]]

_ANSWER: Final = b'{"jsonrpc":"2.0","id":%b,"result":%b}'
_TURN: Final = 0.05  # seconds of a batch before other requests are served


async def handle_bytes(limits: Limits, raw: bytes, run: Run) -> bytes | None:
    """Return the answer to the bytes of a request or a batch; None if there is nothing to answer."""
    try:
        message = decode(raw)
    except ValueError as error:
        return error_bytes(RpcError(NO_JSON, f"this is not JSON: {error}"))
    if not isinstance(message, list) or not message:
        return await run(message, limits.response)
    return await _answer_batch(limits, message, run)


def error_bytes(no: RpcError, number: object = None) -> bytes:
    """Return an error answer. `number` is the id of the request."""
    return encode({"jsonrpc": VERSION, "id": number, "error": no.json()})


def encode(message: object) -> bytes:
    return json_text(message).encode("ascii")


def decode(raw: bytes) -> object:
    text = shallow(raw.decode("utf-8"))
    if text.startswith("{") and text.endswith("}"):  # nearly all: no space around it
        message, end = _DECODER.raw_decode(text)
        if end == len(text):
            return message
    if text.startswith("\ufeff"):  # as `json.loads`, which makes a new decoder for each text
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    return _DECODER.decode(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    """Parse a float that an answer can repeat: Python reads 1e999 as infinity, which JSON cannot express."""
    number = float(text)
    if isinf(number):
        raise ValueError(f"{shortened(text)} is larger than any number with a point can be")
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


async def _answer_batch(limits: Limits, messages: list[object], run: Run) -> bytes | None:
    if len(messages) > limits.batch:
        return error_bytes(too_much(f"{len(messages)} requests in a batch: at most {limits.batch}"))
    answers: list[bytes] = []
    remaining, started = limits.response, monotonic()
    for message in messages:
        answer = await run(message, remaining)
        if answer is not None:
            answers.append(answer)
            remaining -= len(answer) + 1
        if monotonic() - started > _TURN:
            await asyncio.sleep(0)  # let other requests be served
            started = monotonic()
    return b"[%b]" % b",".join(answers) if answers else None


def answer_one(node: Node, message: object, own: ConnectionMethods, room: int) -> bytes | None:
    """Return the answer to one request in at most `room` bytes; None for a notification."""
    number = message.get("id") if isinstance(message, dict) else None
    if room <= 0:
        return error_bytes(_too_large(node), number) if number is not None else None
    answer = node.handle_one(message, own)
    if answer is None:
        return None
    try:
        raw = encode(answer) if "error" in answer else _result_bytes(answer["id"], answer["result"])
    except (TypeError, ValueError, RecursionError) as bug:
        return error_bytes(RpcError(BROKEN, f"its answer is not JSON: {bug}"), answer["id"])
    return raw if len(raw) <= room else error_bytes(_too_large(node), answer["id"])


def _result_bytes(number: object, result: object) -> bytes:
    shown = b"%d" % number if type(number) is int else encode(number)
    text = result if isinstance(result, JsonText) else json_text(result)
    return _ANSWER % (shown, text.encode("ascii"))


def _too_large(node: Node) -> RpcError:
    return too_much(f"the answer is too large: at most {node.limits.response} bytes; ask for less")
