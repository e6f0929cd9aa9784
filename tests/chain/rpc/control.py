"""Requests to a chain under control, for transactions of its counter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address
from chain.crypto.accounts import ACCOUNTS
from chain.rpc.errors import RpcError
from chain.simulator.handle import Handle

Ask = Callable[..., Any]
ALICE, BOB = ACCOUNTS[:2]
STRANGER = Address(b"\x5a" * 20)
START = 1_704_067_200


def hexed(raw: bytes) -> str:
    return "0x" + raw.hex()


def adding(counter: Handle, by: int, sender: Address = ALICE) -> dict[str, Any]:
    data = hexed(counter.add.calldata(by))
    return {"from": hexed(sender), "to": hexed(counter.address), "data": data, "gas": hex(200_000)}


def refusal(ask: Ask, code: int, method: str, *params: Any) -> str:
    with pytest.raises(RpcError) as caught:
        ask(method, *params)
    assert caught.value.code == code
    return caught.value.message
