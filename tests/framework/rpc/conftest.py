"""A node of a chain in process, asked directly, and contracts on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chain import Chain
from chain.rpc.errors import RpcError
from chain.simulator.handle import Handle
from tests.framework.toys import Bell, Counter, Relay


@pytest.fixture
def ask(chain: Chain) -> Callable[..., Any]:
    return lambda method, *params: chain.node.request(method, params)


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


@pytest.fixture
def relay(chain: Chain) -> Handle:
    return chain.deploy(Relay)


class Rpc:
    """The methods of a chain, asked directly: `rpc("eth_chainId")`."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    def __call__(self, method: str, *params: Any) -> Any:
        return self._chain.node.request(method, params)

    def refusal(self, method: str, *params: Any) -> RpcError:
        with pytest.raises(RpcError) as caught:
            self(method, *params)
        return caught.value

    @staticmethod
    def hexed(raw: bytes) -> str:
        return "0x" + raw.hex()

    @classmethod
    def to(cls, entry: Any, *args: Any, **fields: Any) -> dict[str, Any]:
        """The JSON of a transaction to an entry of a handle."""
        to, data = cls.hexed(entry._address), cls.hexed(entry.calldata(*args))
        return {"to": to, "data": data, **fields}


@pytest.fixture
def rpc(chain: Chain) -> Rpc:
    return Rpc(chain)


@pytest.fixture
def bell(chain: Chain) -> Handle:
    return chain.deploy(Bell)
