"""web3.py's own tests of what a node answers, over HTTP and WebSocket.

They come with the package; the contracts and blocks that they ask for are made here. Every test finds the same chain.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
import requests
from eth_typing import ChecksumAddress
from web3 import AsyncHTTPProvider, AsyncWeb3, HTTPProvider, Web3, WebSocketProvider
from web3._utils.contract_sources.contract_data import emitter_contract as emitter
from web3._utils.contract_sources.contract_data import math_contract as math
from web3._utils.contract_sources.contract_data import offchain_lookup
from web3._utils.contract_sources.contract_data import panic_errors_contract as panic_errors
from web3._utils.contract_sources.contract_data import revert_contract as revert
from web3._utils.contract_sources.contract_data import storage_contract as storage
from web3._utils.module_testing import (
    AsyncEthModuleTest,
    AsyncNetModuleTest,
    EthModuleTest,
    NetModuleTest,
    Web3ModuleTest,
)
from web3._utils.module_testing.persistent_connection_provider import (
    PersistentConnectionProviderTest,
)
from web3._utils.module_testing.utils import RequestMocker
from web3._utils.module_testing.web3_module import AsyncWeb3ModuleTest

from chain.crypto.accounts import ACCOUNTS

# Some of the tests make requests that they then do not send.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")

Ask: TypeAlias = Callable[..., list[Any]]
CHAIN_ID: Final = 131277322940537  # the one that some of the tests are written for
SOURCES: Final[dict[str, Any]] = {
    "emitter": emitter.EMITTER_CONTRACT_DATA,
    "math": math.MATH_CONTRACT_DATA,
    "offchain_lookup": offchain_lookup.OFFCHAIN_LOOKUP_DATA,
    "panic_errors": panic_errors.PANIC_ERRORS_CONTRACT_DATA,
    "revert": revert.REVERT_CONTRACT_DATA,
    "storage": storage.STORAGE_CONTRACT_DATA,
}
_INDEXED: Final = 9  # which of its events the emitter shall emit
WAITING: Final = re.compile("_unmined|_modify_transaction|_replace_transaction(?!_already_mined)")
_NEVER_SENT: Final = "web3.py fails on the typed data before it asks the node"
_OTHER_ERROR: Final = (
    "the test wants an error of web3.py's own, and web3.py leaves typed data to the node"
)
NOT_HERE: Final = {
    "TestAsyncEth.test_eth_sign_typed_data": _NEVER_SENT,
    "TestAsyncEth.test_invalid_eth_sign_typed_data": _NEVER_SENT,
    "TestEth.test_invalid_eth_sign_typed_data": _OTHER_ERROR,
}


class Prepared(NamedTuple):
    """A node, and what is deployed on its chain."""

    url: str
    ask: Ask
    start: list[str]  # the snapshot with all this
    addresses: dict[str, ChecksumAddress]
    deployed: dict[str, str]  # the hashes of the transactions that did it
    sent: str  # the hash of a transfer
    logged: str  # the hash of a transaction with one log
    empty: int  # the number of a block with nothing in it


@pytest.fixture(scope="module")
def node(start_node: Callable[..., str]) -> Iterator[Prepared]:
    url = start_node("--chain-id", str(CHAIN_ID))
    with requests.Session() as session:

        def ask(*calls: tuple[Any, ...]) -> list[Any]:
            """Make some calls at once."""
            batch = [
                {"jsonrpc": "2.0", "id": i, "method": method, "params": params}
                for i, (method, *params) in enumerate(calls)
            ]
            return [each["result"] for each in session.post(url, json=batch, timeout=10).json()]

        yield prepare(Web3(HTTPProvider(url)), url, ask)


def prepare(w3: Web3, url: str, ask: Ask) -> Prepared:
    sender: Any = {"from": str(ACCOUNTS[0])}
    addresses, deployed = dict[str, ChecksumAddress](), dict[str, str]()
    for name, source in SOURCES.items():
        sent = w3.eth.contract(**source).constructor().transact(sender)
        deployed[name] = sent.to_0x_hex()
        address = w3.eth.wait_for_transaction_receipt(sent)["contractAddress"]
        assert address is not None
        addresses[name] = address
    emitter = w3.eth.contract(addresses["emitter"], abi=SOURCES["emitter"]["abi"])
    logged = emitter.functions.logDouble(_INDEXED, 12345, 54321).transact(sender).to_0x_hex()
    tip: Any = {"maxFeePerGas": 3 * 10**9, "maxPriorityFeePerGas": 10**9}
    payment: Any = {**sender, **tip, "to": sender["from"], "value": 1}
    transfer = w3.eth.send_transaction(payment)
    _, start = ask(("evm_mine",), ("evm_snapshot",))
    return Prepared(
        url, ask, [start], addresses, deployed, transfer.to_0x_hex(), logged, w3.eth.block_number
    )


@pytest.fixture(autouse=True)
def rewound(node: Prepared, request: pytest.FixtureRequest) -> Iterator[None]:
    if WAITING.search(request.node.originalname):  # for a block that does not come
        node.ask(("evm_setAutomine", False))
    yield
    is_undone, node.start[0] = node.ask(("evm_revert", *node.start), ("evm_snapshot",))
    assert is_undone


@pytest.fixture(autouse=True)
def _expected(request: pytest.FixtureRequest) -> None:
    name = f"{request.cls.__name__}.{request.node.originalname}"
    if name in NOT_HERE:
        request.applymarker(pytest.mark.xfail(reason=NOT_HERE[name], strict=True))


# What the tests ask for


@pytest.fixture(params=[str, bytes], ids=["text", "bytes"])
def keyfile_account_address_dual_type(request: pytest.FixtureRequest) -> Any:
    return request.param(ACCOUNTS[0])


@pytest.fixture
def keyfile_account_address() -> str:
    return str(ACCOUNTS[0])


@pytest.fixture
def keyfile_account_pkey() -> str:
    return "0x" + ACCOUNTS[0].key.hex()


@pytest.fixture
def mined_txn_hash(node: Prepared) -> str:
    return node.sent


@pytest.fixture
def txn_hash_with_log(node: Prepared) -> str:
    return node.logged


@pytest.fixture
def math_contract_deploy_txn_hash(node: Prepared) -> str:
    return node.deployed["math"]


@pytest.fixture
def math_contract_address(node: Prepared) -> str:
    return node.addresses["math"]


@pytest.fixture
def emitter_contract_address(node: Prepared) -> str:
    return node.addresses["emitter"]


@pytest.fixture
def empty_block(w3: Web3, node: Prepared) -> Any:
    return w3.eth.get_block(node.empty)


@pytest.fixture
def block_with_txn(w3: Web3, node: Prepared) -> Any:
    return w3.eth.get_block(node.empty - 1)


@pytest.fixture
def block_with_txn_with_log(w3: Web3, node: Prepared) -> Any:
    return w3.eth.get_block(node.empty - 2)


def contract(name: str) -> Any:
    """The fixture for a contract."""

    @pytest.fixture
    def made(w3: Web3, node: Prepared) -> Any:
        return w3.eth.contract(node.addresses[name], abi=SOURCES[name]["abi"])

    return made


def async_contract(name: str) -> Any:
    """The fixture for a contract through the client that is asynchronous."""

    @pytest.fixture
    def made(async_w3: AsyncWeb3[Any], node: Prepared) -> Any:
        return async_w3.eth.contract(node.addresses[name], abi=SOURCES[name]["abi"])

    return made


def same_as(name: str) -> Any:
    """A fixture by another name."""

    @pytest.fixture
    def made(request: pytest.FixtureRequest) -> Any:
        return request.getfixturevalue(name)

    return made


emitter_contract = contract("emitter")
math_contract = contract("math")
offchain_lookup_contract = contract("offchain_lookup")
panic_errors_contract = contract("panic_errors")
revert_contract = contract("revert")
storage_contract = contract("storage")
async_emitter_contract = async_contract("emitter")
async_math_contract = async_contract("math")
async_offchain_lookup_contract = async_contract("offchain_lookup")
async_panic_errors_contract = async_contract("panic_errors")
async_revert_contract = async_contract("revert")
async_storage_contract = async_contract("storage")
async_math_contract_address = same_as("math_contract_address")
async_emitter_contract_address = same_as("emitter_contract_address")
async_keyfile_account_address = same_as("keyfile_account_address")
async_keyfile_account_address_dual_type = same_as("keyfile_account_address")
async_empty_block = same_as("empty_block")
async_block_with_txn = same_as("block_with_txn")
async_block_with_txn_with_log = same_as("block_with_txn_with_log")


@pytest.fixture
def skip_if_testrpc() -> Callable[[Any], None]:
    return lambda _: None  # it is none


@pytest.fixture
def request_mocker() -> type[RequestMocker]:
    return RequestMocker


async_skip_if_testrpc = same_as("skip_if_testrpc")


@pytest.fixture
def w3(node: Prepared) -> Web3:
    return Web3(HTTPProvider(node.url))


@pytest.fixture(params=["http", "websocket"])
def async_w3(
    node: Prepared, runner: asyncio.Runner, request: pytest.FixtureRequest
) -> Iterator[AsyncWeb3[Any]]:
    if request.param == "http":
        made: AsyncWeb3[Any] = AsyncWeb3(AsyncHTTPProvider(node.url))
    else:
        made = runner.run(_connected(node.url.replace("http", "ws")))
    yield made
    runner.run(made.provider.disconnect())


async def _connected(url: str) -> AsyncWeb3[Any]:
    w3: AsyncWeb3[Any] = await AsyncWeb3(WebSocketProvider(url))
    return w3


class TestEth(EthModuleTest):
    pass


class TestAsyncEth(AsyncEthModuleTest):
    pass


class TestNet(NetModuleTest):
    pass


class TestAsyncNet(AsyncNetModuleTest):
    pass


class TestWeb3(Web3ModuleTest):
    def _check_web3_client_version(self, client_version: str) -> None:  # type: ignore[override]
        assert client_version.startswith("boardchain")


class TestAsyncWeb3(AsyncWeb3ModuleTest):
    def _check_web3_client_version(self, client_version: str) -> None:  # type: ignore[override]
        assert client_version.startswith("boardchain")


@pytest.mark.parametrize("async_w3", ["websocket"], indirect=True)
class TestConnection(PersistentConnectionProviderTest):
    """These wait for blocks that come by themselves."""

    @pytest.fixture(autouse=True)
    def mined(
        self, node: Prepared, rewound: None, request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Mines all the time, but not where a test tells of a block of its own, which has to be the first."""
        if "extradata_poa" in request.node.originalname:
            yield
            return
        done = Event()

        def mine() -> None:
            while not done.wait(0.1):
                node.ask(("evm_mine",))

        node.ask(("evm_setAutomine", False))
        miner = Thread(target=mine)
        miner.start()
        yield
        done.set()
        miner.join()
