"""A stock web3.py client on a chain in process, and a counter there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from eth_typing import ChecksumAddress
from web3 import Web3

from chain import Chain
from chain.simulator.handle import Handle
from tests.chain.rpc.web3.counter import Counter


@pytest.fixture(scope="module")
def shared() -> tuple[Chain, Handle]:
    chain = Chain()
    return chain, chain.deploy(Counter, 10)


@pytest.fixture
def chain(shared: tuple[Chain, Handle]) -> Iterator[Chain]:
    with shared[0].anchor():
        yield shared[0]


@pytest.fixture
def w3(chain: Chain) -> Web3:
    w3: Web3 = chain.web3
    return w3


@pytest.fixture
def counter(chain: Chain, shared: tuple[Chain, Handle]) -> Any:
    return shared[1].web3


@pytest.fixture
def alice(chain: Chain) -> ChecksumAddress:
    return Web3.to_checksum_address(chain.accounts[0])
