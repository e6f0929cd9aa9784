"""web3.py on a chain in the same process: requests go straight to the table of methods, as Python values.

Three of web3.py's standard middlewares send the node the same small requests for every transaction (the chain id four times,
the whole latest block twice). In process these values are available directly, so the three are replaced, under the same
names, by middlewares that complete and refuse the same transactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final, cast

from web3 import HTTPProvider, Web3
from web3.exceptions import Web3ValidationError
from web3.manager import RequestManager
from web3.middleware.base import Middleware, Web3Middleware
from web3.middleware.gas_price_strategy import validate_transaction_params
from web3.middleware.validation import METHODS_TO_VALIDATE
from web3.providers.base import JSONBaseProvider
from web3.types import RPCEndpoint, RPCResponse

from chain.rpc.errors import RpcError
from chain.rpc.hex_values import quantity, to_int
from chain.simulator.chain import Chain

_SEND: Final = "eth_sendTransaction"
_SPARE_GAS: Final = 100_000  # added by web3.py to an estimate


def web3_of(chain: Chain) -> Web3:
    """Return a web3.py `Web3` on this chain, with the standard middleware."""
    return Web3(ChainProvider(chain), middleware=_middleware())


def web3_at(url: str) -> Web3:
    """Return a web3.py `Web3` on the node at this URL."""
    return Web3(HTTPProvider(url))


class ChainProvider(JSONBaseProvider):
    """A web3.py provider for a chain in this process."""

    def __init__(self, chain: Chain) -> None:
        super().__init__()
        self.chain = chain
        self._node = chain.node
        self._numbers = count(1)

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        answer: dict[str, object] = {"jsonrpc": "2.0", "id": next(self._numbers)}
        try:
            answer["result"] = self._node.request(method, tuple(params))
        except RpcError as error:
            answer["error"] = error.json()
        return answer  # type: ignore[return-value]

    def make_batch_request(
        self, requests: Sequence[tuple[RPCEndpoint, object]]
    ) -> list[RPCResponse]:
        return [self.make_request(method, params) for method, params in requests]


def _middleware() -> list[tuple[Middleware, str]]:
    """Return the standard middlewares in order, with the replacements in place."""
    replacements: dict[str, Middleware] = {
        "gas_price_strategy": GasPrice,
        "validation": ChainId,
        "gas_estimate": GasEstimate,
    }
    standard = RequestManager.get_default_middleware()
    return [(replacements.get(name, layer), name) for layer, name in standard]


class _Layer(Web3Middleware):
    """A middleware that reads the chain directly."""

    @property
    def _web3(self) -> Web3:
        return cast(Web3, self._w3)

    @property
    def _chain(self) -> Chain:
        return cast(ChainProvider, self._web3.provider).chain


class GasPrice(_Layer):
    """Applies the user's gas price strategy, and refuses fees that contradict one another."""

    def request_processor(self, method: RPCEndpoint, params: Any) -> object:
        if method == _SEND:
            price: Any = self._web3.eth.generate_gas_price(params[0])
            latest: Any = {"baseFeePerGas": self._chain.head.base_fee}
            params = (validate_transaction_params(params[0], latest, price),)
        return method, params


class ChainId(_Layer):
    """Refuses a transaction that is meant for another chain."""

    def request_processor(self, method: RPCEndpoint, params: Any) -> object:
        if method in METHODS_TO_VALIDATE and "chainId" in params[0]:
            fields = dict(params[0])
            chain_id = to_int(fields.pop("chainId"), "'chainId'")
            if chain_id != self._chain.chain_id:
                raise Web3ValidationError(
                    f"the transaction is meant for chain {chain_id}, this is chain {self._chain.chain_id}"
                )
            params = (fields, *params[1:])
        return method, params


class GasEstimate(_Layer):
    """Gives a transaction without `gas` the estimate and some more. Refuses one that would fail."""

    def request_processor(self, method: RPCEndpoint, params: Any) -> object:
        if method == _SEND and "gas" not in params[0]:
            gas = self._web3.eth.estimate_gas(params[0]) + _SPARE_GAS
            gas = min(gas, self._chain.head.gas_limit)
            params = ({**params[0], "gas": quantity(gas)},)
        return method, params
