"""eth-tester on this chain: all of its own suite for backends, and web3.py through it."""

from __future__ import annotations

import pytest
from eth_tester import EthereumTester
from eth_tester.utils.backend_testing import BaseTestBackendDirect

from chain.rpc.tester import ChainBackend


class TestChainBackend(BaseTestBackendDirect):
    """The suite that eth-tester has for whoever stands in for its own backend."""

    @pytest.fixture
    def eth_tester(self) -> EthereumTester:
        return EthereumTester(ChainBackend())
