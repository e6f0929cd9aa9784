"""Contracts that exist on every Ethereum network, and that a node therefore has from its first block on.

CREATE2_FACTORY deploys to the same address on every network. HISTORY holds the hashes of the last 8191 blocks (EIP-2935): where
it exists, every block begins by writing the hash of its parent there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from chain.crypto.hashing import keccak
from chain.machine.state import NO_ACCOUNT, State

CREATE2_FACTORY: Final = bytes.fromhex("4e59b44847b379578588920ca78fbf26c0b4956c")
HISTORY: Final = bytes.fromhex("0000f90827f1c53a10cb7a02335b175320002935")
CODES: Final[Mapping[bytes, bytes]] = {
    CREATE2_FACTORY: bytes.fromhex(
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f5801515603957"
        "8182fd5b8082525050506014600cf3"
    ),
    HISTORY: bytes.fromhex(
        "3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257"
        "611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"
    ),
}
WINDOW: Final = 8191  # blocks
_HISTORY_CODE_HASH: Final = keccak(CODES[HISTORY])


def has_history(state: State) -> bool:
    return state.accounts.get(HISTORY, NO_ACCOUNT)[2] == _HISTORY_CODE_HASH


def write_parent_hash(state: State, number: int, block_hash: Callable[[int], bytes]) -> None:
    """Do what a block does first, where the contract for it exists."""
    parent = number - 1
    state.set_word(HISTORY, parent % WINDOW, int.from_bytes(block_hash(parent)))
