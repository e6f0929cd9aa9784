"""JSON from elsewhere may be nested only so deep, wherever it is read."""

from __future__ import annotations

import pytest

from chain import Chain
from chain.rpc.control.state_dump import load_state
from chain.rpc.errors import RpcError
from chain.rpc.eth.signatures import sign_typed_data
from chain.rpc.node import Node
from chain.values.nesting import shallow

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text", ["[" * 128 + "]" * 128, "[]" * 500, '"' + DEEP, '{"a": "[["}' * 200]
)
def test_width_and_strings_do_not_count_as_depth(text: str) -> None:
    assert shallow(text) == text


def test_depth_is_refused(chain: Chain) -> None:
    node = Node(chain, {})
    with pytest.raises(ValueError, match="nested deeper than 128 levels"):
        shallow("[" * 129)
    with pytest.raises(RpcError, match="nested deeper than 128 levels"):
        sign_typed_data(node, str(chain.accounts[0]), DEEP)
    with pytest.raises(RpcError, match="this is not a dump of a state"):
        load_state(node, f"0x{DEEP.encode().hex()}")
