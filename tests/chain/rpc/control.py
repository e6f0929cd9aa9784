"""A counter under control, and the requests to its chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Address, Contract, Key, Map, call, event, view
from chain.crypto.accounts import ACCOUNTS
from chain.rpc.errors import RpcError
from chain.simulator.handle import Handle
from chain.types import u64

Ask = Callable[..., Any]
ALICE, BOB = ACCOUNTS[:2]
STRANGER = Address(b"\x5a" * 20)
START = 1_704_067_200


@event
class Counted:
    by: Key[u64]


class Counter(Contract):
    count: u64
    last: u64
    by: Map[Address, u64]

    @call
    def add(self, by: u64) -> u64:
        self.count += by
        self.last = self.block.timestamp
        self.by[self.caller] += by
        self.emit(Counted(by))
        return self.count

    @view
    def total(self) -> u64:
        return self.count


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
