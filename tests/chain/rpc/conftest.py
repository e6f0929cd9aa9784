"""A node of a chain in process, asked directly, and contracts on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from chain import Chain
from chain.rpc.errors import RpcError
from chain.rpc.methods import METHODS
from chain.rpc.node import Node
from chain.simulator.handle import Handle
from tests.chain.rpc.shape_language import problems
from tests.chain.rpc.shapes import SHAPES
from tests.chain.rpc.simulated import Cell, Simulate
from tests.chain.toys import Bell, Counter, Relay

NO_OWN = MappingProxyType[str, Any]({})


@pytest.fixture
def ask(chain: Chain) -> Callable[..., Any]:
    return lambda method, *params: chain.node.request(method, params)


@pytest.fixture
def counter(chain: Chain) -> Handle:
    return chain.deploy(Counter)


@pytest.fixture
def relay(chain: Chain) -> Handle:
    return chain.deploy(Relay)


@pytest.fixture(autouse=True)
def _answers_have_their_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check every answer that any of these tests gets."""
    request = Node.request

    def checked(self: Node, method: str, params: Sequence[Any] = (), own: Any = NO_OWN) -> Any:
        result = request(self, method, params, own)
        if method in METHODS and method not in own:
            found = problems(SHAPES[method], json.loads(json.dumps(result)))
            assert not found, f"{method}: {found[:3]}"
        return result

    monkeypatch.setattr(Node, "request", checked)


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


@pytest.fixture
def cell(chain: Chain) -> Handle:
    return chain.deploy(Cell)


@pytest.fixture
def simulate(chain: Chain) -> Simulate:
    def simulate(*blocks: dict[str, Any], **wishes: Any) -> list[Any]:
        found: list[Any] = chain.node.request(
            "eth_simulateV1", [{"blockStateCalls": list(blocks), **wishes}]
        )
        return found

    return simulate
