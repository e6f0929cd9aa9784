"""What Solidity writes to its console, as Hardhat and Foundry show it."""

from __future__ import annotations

from typing import Any

import pytest
from eth_abi import encode

from chain import Chain
from chain.crypto.hashing import keccak
from chain.ledger.decoded.console_log import CONSOLE
from chain.rpc.server.activity_feed import ActivityFeed
from tests.chain.helpers import Code

ANN = "0x" + "0a" * 20


def calldata(signature: str, *values: Any) -> bytes:
    kinds = [kind for kind in signature[4:-1].split(",") if kind]
    return keccak(signature.encode())[:4] + encode(kinds, values)


@pytest.fixture
def write(chain: Chain, evm: Code) -> Any:
    """Sends a transaction to bytecode that passes its calldata on to the console, and then ends or fails."""

    def write(data: bytes, *, fails: bool = False) -> list[str]:
        start = len(chain.receipts)
        passing = (
            "CALLDATASIZE",
            0,
            0,
            "CALLDATACOPY",
            0,
            0,
            "CALLDATASIZE",
            0,
            CONSOLE,
            "GAS",
            "STATICCALL",
        )
        chain.set_code(ANN, evm(*passing, *((0, 0, "REVERT") if fails else ("STOP",))))
        chain.send(ANN, data)
        return [line.strip() for line in chain.activity(start).splitlines()[1:]]

    return write


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (calldata("log()"), ["console.log:"]),
        (calldata("log(string)", "hello"), ["console.log: hello"]),
        (calldata("log(string)", "two\nlines"), ["console.log: two", "console.log: lines"]),
        (calldata("log(string,uint256)", "square", 7), ["console.log: square 7"]),
        (
            calldata("log(string,uint256,bool)", "%d of %s %s", 7, True),
            ["console.log: 7 of true %s"],
        ),
        (calldata("log(uint256,address)", 3, bytes(20)), [f"console.log: 3 0x{'00' * 20}"]),
        (calldata("log(int256)", -5), ["console.log: -5"]),
        (calldata("log(bytes2)", b"ab"), ["console.log: 0x6162"]),
        (calldata("log(string)", "hello")[:-40], []),
        (b"\1\2\3\4", []),
    ],
)
def test_texts_are_shown(write: Any, data: bytes, lines: list[str]) -> None:
    assert write(data) == lines


def test_failed_transactions_show_theirs(write: Any) -> None:
    assert write(calldata("log(string)", "before the end"), fails=True) == [
        "console.log: before the end"
    ]


def test_a_node_tells_them(chain: Chain, write: Any) -> None:
    told: list[str] = []
    feed = ActivityFeed(chain.ledger, told.append)
    write(calldata("log(string,uint256)", "square\x1b", 7))
    feed.update()
    assert told[1:] == ["    console.log: square  7"]
