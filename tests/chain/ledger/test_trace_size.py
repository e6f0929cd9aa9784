"""A trace is refused while it is made, before it takes the memory of the node."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from chain import Address, Chain
from chain.rpc.errors import TOO_MUCH, RpcError
from tests.chain.helpers import Code

MOST = 3 << 26  # bytes; without a bound each of these takes gigabytes


def spinning(evm: Code, *body: Any, begin: bytes = b"") -> bytes:
    """Bytecode that does `body` again and again."""
    return begin + evm("JUMPDEST", *body, len(begin), "JUMP")


@pytest.fixture
def ways(evm: Code) -> dict[str, bytes]:
    return {
        "memory": spinning(evm, begin=evm(1, 400_000, "MSTORE")),
        "stack": spinning(evm, begin=evm(2**255, *["DUP1"] * 1_000)),
        "words": spinning(evm, "GAS", "SLOAD", "POP"),
    }


@pytest.mark.parametrize("way", ["memory", "stack", "words"])
def test_large_traces_are_refused(
    chain: Chain, ways: dict[str, bytes], initcode: Code, way: str
) -> None:
    where: Address = chain.send(None, initcode(ways[way])).address
    tracemalloc.start()
    try:
        with pytest.raises(RpcError, match="larger than 33554432 bytes") as no:
            chain.node.request(
                "debug_traceCall",
                [{"to": str(where), "gas": hex(20_000_000)}, "latest", {"enableMemory": True}],
            )
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
    assert no.value.code == TOO_MUCH


def test_the_traced_transaction_stays_as_it_was(
    chain: Chain, ways: dict[str, bytes], initcode: Code
) -> None:
    where: Address = chain.send(None, initcode(ways["memory"])).address
    sent = chain.send(where, gas=600_000)
    before = chain.state.copy().accounts
    with pytest.raises(RpcError, match="larger than"):
        chain.node.request("debug_traceTransaction", [sent.tx_hash, {"enableMemory": True}])
    assert chain.state.accounts == before
    assert chain.node.request("debug_traceTransaction", [sent.tx_hash, {"limit": 3}])["failed"]
