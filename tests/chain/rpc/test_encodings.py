"""Blocks, receipts and transactions in their encodings: they lead to the hashes and roots of the header."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain
from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.ledger.headers import list_root
from chain.rpc.errors import REFUSED
from chain.simulator.handle import Handle


@pytest.fixture
def block(chain: Chain, counter: Handle, rpc: Any) -> Any:
    """A block of two transactions, of type 0 and 2, with logs."""
    with chain.block():
        for fees in ({"gasPrice": hex(10**9)}, {}):
            rpc("eth_sendTransaction", rpc.to(counter.add, 1, **fees))
    return rpc("eth_getBlockByNumber", "latest", True)


def raw(shown: str) -> bytes:
    return bytes.fromhex(shown[2:])


def test_headers_have_the_hash_of_their_block(block: Any, rpc: Any) -> None:
    header = raw(rpc("debug_getRawHeader", "latest"))
    assert rpc.hexed(keccak(header)) == block["hash"]


def test_blocks_begin_with_their_header(block: Any, rpc: Any) -> None:
    encoded = raw(rpc("debug_getRawBlock", block["hash"]))
    parts: Any = rlp.decode(encoded)
    header, transactions, uncles, withdrawals = parts
    assert rlp.encode(header) == raw(rpc("debug_getRawHeader", "latest"))
    assert [uncles, withdrawals, len(encoded)] == [[], [], int(block["size"], 16)]
    first, second = transactions
    assert [rlp.encode(first), second] == [
        raw(rpc("debug_getRawTransaction", tx["hash"])) for tx in block["transactions"]
    ]


def test_receipts_lead_to_their_root(block: Any, rpc: Any) -> None:
    receipts = [raw(receipt) for receipt in rpc("debug_getRawReceipts", "latest")]
    assert [receipt[0] for receipt in receipts[1:]] == [2]
    assert rpc.hexed(list_root(receipts)) == block["receiptsRoot"]


def test_what_is_not_there_has_no_encoding(chain: Chain, rpc: Any) -> None:
    assert rpc("debug_getRawTransaction", "0x" + "11" * 32) == "0x"
    assert rpc("debug_getBadBlocks") == []
    for method in ("debug_getRawHeader", "debug_getRawBlock", "debug_getRawReceipts"):
        assert {rpc.refusal(method, tag).code for tag in ("pending", "0x9")} == {REFUSED}
