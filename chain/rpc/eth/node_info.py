"""Methods that identify the node."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from zlib import crc32

from chain.crypto.hashing import keccak
from chain.rpc.hex_values import data, quantity, to_bytes
from chain.rpc.node import Node


def client_version(node: Node) -> str:
    """Return the name and version of the node."""
    return node.client_version or f"boardchain/{version_number()}"


def version_number() -> str:
    """Return the version of this package."""
    try:
        return version("boardchain")
    except PackageNotFoundError:  # it runs from its source
        return "source"


def node_info(node: Node) -> dict[str, object]:
    """Return the node's state in anvil's format."""
    head, chain = node.chain.head, node.chain
    return {
        "currentBlockNumber": quantity(head.number),
        "currentBlockTimestamp": head.timestamp,
        "currentBlockHash": data(chain.block_hash()),
        "hardFork": head.fork.name,
        "transactionOrder": "fifo",
        "environment": {
            "baseFee": quantity(chain.pending.base_fee),
            "chainId": chain.chain_id,
            "gasLimit": quantity(head.gas_limit),
            "gasPrice": quantity(chain.pending.base_fee),
        },
        "forkConfig": {"forkUrl": None, "forkBlockNumber": None, "forkRetryBackoff": None},
    }


def metadata(node: Node) -> dict[str, object]:
    """Return the node's identity in hardhat's format."""
    chain = node.chain
    return {
        "clientVersion": client_version(node),
        "chainId": chain.chain_id,
        "instanceId": data(chain.block_hash(0)),
        "latestBlockNumber": chain.head.number,
        "latestBlockHash": data(chain.block_hash()),
        "forkedNetwork": None,
    }


def chain_id(node: Node) -> str:
    """Return the chain id."""
    return quantity(node.chain.chain_id)


def network(node: Node) -> str:
    """Return the chain id as decimal digits."""
    return str(node.chain.chain_id)


def always_true(node: Node) -> bool:
    """Return true, whatever the state of the node."""
    return True


def always_false(node: Node) -> bool:
    """Return false: this node never lags behind."""
    return False


def always_zero(node: Node) -> str:
    """Return zero: this node has no peers and computes no hashes for proof of work."""
    return "0x0"


def protocol_version(node: Node) -> str:
    """Return the newest peer protocol of the fork. This node has no peers."""
    return quantity(node.chain.head.fork.peer_protocol)


def fork_config(node: Node) -> dict[str, object]:
    """Return the rules of the chain's fork (EIP-7910). It is in force from the first block on, and no other follows it.

    Its system contracts are not on this chain: nothing runs at the beginning or end of a block.
    """
    chain, fork = node.chain, node.chain.head.fork
    blobs = fork.blobs
    current = {
        "activationTime": 0,
        "blobSchedule": {
            "baseFeeUpdateFraction": blobs.update_fraction,
            "max": blobs.max,
            "target": blobs.target,
        },
        "chainId": quantity(chain.chain_id),
        # By EIP-6122: the checksum of the first block's hash, and of the forks after it, of which there are none.
        "forkId": data(crc32(chain.block_hash(0)).to_bytes(4)),
        "precompiles": {name: data(address) for address, name in fork.precompiles.items()},
        "systemContracts": {},
    }
    return {"current": current, "next": None, "last": None}


def capabilities(node: Node) -> dict[str, object]:
    """Return how far back the node's history goes: to the first block."""
    chain, everything = node.chain, {"disabled": False, "oldestBlock": quantity(0)}
    head = {"number": quantity(chain.head.number), "hash": data(chain.block_hash())}
    names = ("state", "tx", "logs", "receipts", "blocks", "stateproofs")
    return {"head": head, **dict.fromkeys(names, everything)}


def is_mining(node: Node) -> bool:
    """Return True if blocks are mined automatically: for each transaction, or at an interval."""
    return node.chain.automine or node.interval > 0


def coinbase(node: Node) -> str:
    """Return the address that receives the tips of the next block."""
    return data(node.chain.pending.coinbase)


def sha3(node: Node, raw: object) -> str:
    """Return the Keccak-256 hash of bytes."""
    return data(keccak(to_bytes(raw, "the bytes to hash")))
