"""A server writes receipts as text and keeps it: the answers are those that are made anew."""

from __future__ import annotations

import json

import pytest

from chain import Chain
from chain.rpc import kept_texts
from chain.rpc.json_messages import answer_one
from chain.rpc.methods import AS_TEXT
from chain.simulator.handle import Handle


def block_in(chain: Chain, tx_hash: bytes) -> str | None:
    """Return the block of a receipt, which is asked for as text, twice, and as an object."""
    shown = f"0x{tx_hash.hex()}"
    asked = {"id": 1, "method": "eth_getTransactionReceipt", "params": [shown]}
    texts = [answer_one(chain.node, asked, AS_TEXT, 1 << 20) for _ in range(2)]
    expected = answer_one(chain.node, asked, {}, 1 << 20)
    assert texts == [expected, expected]
    result = json.loads(expected or b"").get("result")
    return None if result is None else str(result["blockNumber"])


def test_receipts_as_text_equal_those_as_objects(
    chain: Chain, counter: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_texts, "_MOST_TEXTS", 2)
    made = [counter.add(by) for by in (1, 2, 3)]
    assert [block_in(chain, receipt.tx_hash) for receipt in made] == ["0x2", "0x3", "0x4"]
    assert block_in(chain, bytes(32)) is None
    assert block_in(chain, bytes(31)) is None  # refused


def test_receipt_of_an_open_block_is_not_kept(chain: Chain, counter: Handle) -> None:
    with chain.block():
        tx_hash = counter.add(1).tx_hash
        assert block_in(chain, tx_hash) is None
    assert block_in(chain, tx_hash) == "0x2"


def test_same_transaction_in_another_block_has_another_receipt(
    chain: Chain, counter: Handle
) -> None:
    before = chain.snapshot()
    tx_hash = counter.add(1).tx_hash
    assert block_in(chain, tx_hash) == "0x2"
    chain.revert(before)
    assert block_in(chain, tx_hash) is None
    chain.mine(3)
    again = counter.add(1)
    assert again.tx_hash == tx_hash
    assert block_in(chain, tx_hash) == "0x5"
