"""A call with no more than the fields of a message is not made a transaction first, and answers as if it were."""

from __future__ import annotations

from typing import Any

import pytest

from chain import Chain

SENDER, TELLER = "0x" + "ab" * 20, "0x" + "cd" * 20
# Returns the sender, the value, and how long the calldata are.
TELL = "0x335f52346020523660405260605ff3"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"from": SENDER},
        {"from": "", "value": None},
        {"from": SENDER, "value": "0x0"},
        {"value": "0x1"},
        {"from": SENDER, "value": "0x1"},
        {"from": "0x12", "to": "0x34"},
        {"from": 5},
        {"to": "0x34", "data": "0x1"},
        {"to": SENDER, "data": "0x12"},
        {"to": ""},
        {"to": None, "data": "0x00"},
        {"input": "0x", "data": None},
        {"input": "0x12"},
        {"data": "0x1", "value": "1"},
        {"value": "0x-1"},
        {"value": hex(2**256)},
        {"sender": SENDER},
    ],
)
def test_messages_are_read_as_transactions_are(
    chain: Chain, rpc: Any, fields: dict[str, Any]
) -> None:
    rpc("anvil_setCode", TELLER, TELL)
    message = {"to": TELLER, "data": "0x1234", **fields}
    transaction = {**message, "nonce": "0x0"}  # which a call does not look at
    asked = [{"id": 1, "method": "eth_call", "params": [each]} for each in (message, transaction)]
    short, plain = map(chain.node.handle, asked)
    assert short == plain
