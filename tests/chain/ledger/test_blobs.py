"""Blobs: the price of their gas from block to block, the transactions that may carry them, and where the fork is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.crypto import rlp
from chain.crypto.accounts import Account
from chain.crypto.hashing import keccak
from chain.ledger.signing import sign
from chain.machine.hardforks import BPO1, BPO2, FORKS, OSAKA, PRAGUE, Fork
from chain.replays import record, replay
from chain.rpc.errors import RpcError

BLOB = 131_072
DEAR = 5_007_716 * 10  # excess at which a unit of blob gas costs e ** 10 wei


def carrying(chain: Chain, sender: Account, blobs: int, price: int = 10**9, **changed: Any) -> str:
    """Return a signed transaction with blobs."""
    gas, to, value = (
        changed.get(name, usual)
        for name, usual in (("gas", 21_000), ("to", bytes(20)), ("value", 0))
    )
    fields: list[Any] = [
        chain.chain_id, chain.nonce(sender), 0, 10**10, gas, to, value, b"", [], price, [b"\1" * 32] * blobs,
    ]  # fmt: skip
    signature = sign(sender.key, keccak(b"\3" + rlp.encode(fields)))
    r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
    return f"0x03{rlp.encode([*fields, signature[64], r, s]).hex()}"


def send(chain: Chain, blobs: int, sender: int = 0, **changed: Any) -> Any:
    return chain.node.request(
        "eth_sendRawTransaction", [carrying(chain, chain.accounts[sender], blobs, **changed)]
    )


@pytest.mark.parametrize("fork", FORKS.values(), ids=FORKS)
def test_prices_of_blob_gas_are_powers_of_e(fork: Fork) -> None:
    unit = fork.blobs.update_fraction
    prices = [fork.blobs.base_fee(unit * times) for times in (0, 1, 2, 3, 10, 20)]
    assert prices == [1, 2, 7, 20, 22_026, 485_165_195]


@pytest.mark.parametrize(
    ("fork", "excess", "used", "base_fee", "following"),
    [
        (PRAGUE, 0, 5, 10**9, 0),
        (PRAGUE, 0, 9, 10**9, 3 * BLOB),
        (PRAGUE, 2 * BLOB, 3, 10**9, 0),
        (PRAGUE, 8 * BLOB, 0, 10**9, 2 * BLOB),
        (OSAKA, 0, 5, 10**9, 0),
        (OSAKA, 0, 9, 10**9, 3 * BLOB),
        (OSAKA, 8 * BLOB, 0, 10**9, 8 * BLOB),  # cheaper than the reserve price
        (OSAKA, 8 * BLOB, 6, 10**9, 10 * BLOB),
        (OSAKA, 8 * BLOB, 0, 16, 2 * BLOB),
        (OSAKA, 8 * BLOB, 0, 17, 8 * BLOB),
        (BPO1, 0, 15, 10**9, 5 * BLOB),
        (BPO2, 0, 21, 10**9, 7 * BLOB),
    ],
)
def test_excess_follows_demand(
    fork: Fork, excess: int, used: int, base_fee: int, following: int
) -> None:
    assert fork.next_excess_blob_gas(excess, used * BLOB, base_fee) == following


def test_price_rises_as_long_as_blocks_are_full() -> None:
    chain = Chain()
    ask = chain.node.request
    for _ in range(30):
        with chain.block():
            send(chain, 6)
            send(chain, 3, sender=1)
    assert chain.head.excess_blob_gas == 29 * 3 * BLOB
    price = OSAKA.blobs.base_fee(30 * 3 * BLOB)
    assert int(ask("eth_blobBaseFee"), 16) == price == 10
    shown = ask("eth_getBlockByNumber", ["latest", False])
    assert (shown["blobGasUsed"], shown["excessBlobGas"]) == (hex(9 * BLOB), hex(29 * 3 * BLOB))
    history = ask("eth_feeHistory", [1, "latest"])
    assert history["baseFeePerBlobGas"] == ["0x9", "0xa"]
    assert history["blobGasUsedRatio"] == [1.0]
    receipt = ask("eth_getTransactionReceipt", [shown["transactions"][1]])
    assert (receipt["blobGasPrice"], receipt["blobGasUsed"]) == ("0x9", hex(3 * BLOB))


def test_blobs_are_paid_by_their_sender() -> None:
    chain = Chain()
    chain.set_next_block(excess_blob_gas=DEAR)
    send(chain, 2)
    assert chain.balance(chain.accounts[0]) == 10_000 * 10**18 - 21_000 * 10**9 - 2 * BLOB * 22_026
    assert chain.head.excess_blob_gas == DEAR


@pytest.mark.parametrize(
    ("blobs", "changed", "words"),
    [
        (7, {}, "too many blobs: 7, a transaction has at most 6"),
        (1, {"to": b"", "gas": 60_000}, "cannot create a contract"),
        (1, {"price": 22_025}, "it is 22025 wei, the price 22026"),
        (0, {}, "missing blob hashes"),
        (
            6,
            {"value": 10_000 * 10**18 - 21_000 * 10**10 - 6 * BLOB * 10**9 + 1},
            "insufficient funds",
        ),
    ],
)
def test_what_blobs_may_not_do(blobs: int, changed: dict[str, Any], words: str) -> None:
    chain = Chain()
    chain.set_next_block(excess_blob_gas=DEAR)
    with pytest.raises(RpcError, match=words):
        send(chain, blobs, **changed)
    assert not len(chain.receipts)


def test_everything_that_may_be_paid_is_enough() -> None:
    chain = Chain()
    send(chain, 6, value=10_000 * 10**18 - 21_000 * 10**10 - 6 * BLOB * 10**9)
    assert chain.receipts[-1].ok


@pytest.mark.parametrize(
    ("fork", "rooms"), [("prague", [9]), ("osaka", [6, 3]), ("bpo2", [6, 6, 6, 3])]
)
def test_blocks_hold_so_many_blobs(fork: str, rooms: list[int]) -> None:
    chain = Chain(fork=fork)
    with chain.block():
        for sender, blobs in enumerate(rooms):
            send(chain, blobs, sender=sender)
        with pytest.raises(RpcError, match="the block has room for 0"):
            send(chain, 1, sender=9)
    assert all(receipt.trace.gas_used == 21_000 for receipt in chain.receipts)
    assert chain.head.blob_gas_used == chain.ledger.header(1).blob_gas_used == sum(rooms) * BLOB


def test_dropped_blobs_make_room() -> None:
    chain = Chain()
    chain.automine = False
    first = send(chain, 6)
    send(chain, 3, sender=1)
    assert chain.node.request("anvil_dropTransaction", [first])
    assert chain.pending.blob_gas_used == 3 * BLOB


# Where the fork and the market are kept


def played(chain: Chain) -> Chain:
    chain.set_next_block(excess_blob_gas=DEAR)
    send(chain, 6)
    send(chain, 6)
    return chain


def test_fork_is_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "blobs.chain"
    with Chain.open(path, fork="bpo1", tx_gas_cap=True) as chain:
        last = played(chain).block_hash()
    with Chain.open(path) as chain:
        rules = chain.head.rules
        assert (rules.fork, rules.tx_gas_cap, rules.gas_limit) == (BPO1, True, 60_000_000)
        assert (chain.block_hash(), chain.pending.excess_blob_gas) == (last, DEAR + 4 * BLOB)
        assert [block.excess_blob_gas for block in chain.blocks] == [0, DEAR, DEAR + 2 * BLOB]
    with pytest.raises(ValueError, match="was made with fork='bpo1' and keeps it"):
        Chain.open(path, fork="osaka")


def test_fork_is_kept_in_forks_and_transcripts() -> None:
    chain = played(Chain(fork="prague", tx_gas_cap=True))
    again = replay(record(chain))
    assert str(again.difference) == "None"
    for other in (chain.fork(), again.chain):
        assert (other.head.rules, other.block_hash()) == (chain.head.rules, chain.block_hash())
        assert other.pending.excess_blob_gas == chain.pending.excess_blob_gas


def test_fork_is_known_from_afar() -> None:
    chain = Chain(fork="bpo2", tx_gas_cap=True)
    far = Chain.connect(chain.node)
    far.set_next_block(excess_blob_gas=DEAR)
    send(chain, 1)
    assert (far.head.rules, far.head.excess_blob_gas) == (chain.head.rules, DEAR)


def test_config_names_the_fork() -> None:
    told = {name: Chain(fork=name).node.request("eth_config") for name in FORKS}
    assert all(config["next"] is config["last"] is None for config in told.values())
    current = {name: config["current"] for name, config in told.items()}
    assert [each["blobSchedule"] for each in current.values()] == [
        {"baseFeeUpdateFraction": 5_007_716, "max": 9, "target": 6},
        {"baseFeeUpdateFraction": 5_007_716, "max": 9, "target": 6},
        {"baseFeeUpdateFraction": 8_346_193, "max": 15, "target": 10},
        {"baseFeeUpdateFraction": 11_684_671, "max": 21, "target": 14},
    ]
    added = current["osaka"]["precompiles"].items() - current["prague"]["precompiles"].items()
    assert dict(added) == {"P256VERIFY": f"0x{0x100:040x}"}
    assert current["osaka"]["precompiles"]["BLS12_MAP_FP2_TO_G2"] == f"0x{0x11:040x}"
    assert (current["osaka"]["chainId"], current["osaka"]["activationTime"]) == ("0x7a69", 0)
    assert len(bytes.fromhex(current["osaka"]["forkId"][2:])) == 4
