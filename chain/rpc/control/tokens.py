"""Methods that set an account's figures in a token (ERC-20), in whatever word of its storage they are.

The word is found by calling the token: it is one of the words that the call reads, and the answer changes with it.
So it works for bytecode and for Python contracts, as long as the figure has a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from chain.crypto.hashing import keccak
from chain.ledger.reexecution import recording_machine
from chain.machine.frame import Frame
from chain.machine.recording import CallStep, WordRead, steps_of
from chain.rpc.block_tags import PENDING
from chain.rpc.debug.debug_traces import run_aside
from chain.rpc.errors import RpcError, refused
from chain.rpc.eth.calls import call
from chain.rpc.hex_values import data, to_address, to_int, word
from chain.rpc.node import Node
from chain.types import Address

_BALANCE: Final = keccak(b"balanceOf(address)")[:4]
_ALLOWANCE: Final = keccak(b"allowance(address,address)")[:4]


def deal(node: Node, account: object, token: object, amount: object) -> None:
    """Set the balance of an account in a token. The token's total supply does not change."""
    _set(node, to_address(token), _BALANCE, [to_address(account)], to_int(amount, "the amount"))


def allow(node: Node, owner: object, spender: object, token: object, amount: object) -> None:
    """Set the allowance of one account to spend another's tokens."""
    accounts = [to_address(owner), to_address(spender)]
    _set(node, to_address(token), _ALLOWANCE, accounts, to_int(amount, "the amount"))


def _set(node: Node, token: bytes, selector: bytes, accounts: list[bytes], amount: int) -> None:
    asked = {
        "to": data(token),
        "data": data(selector + b"".join(account.rjust(32, b"\0") for account in accounts)),
    }
    if call(node, asked, PENDING) == word(amount):
        return
    for address, slot in dict.fromkeys(_words_read(node, asked)):
        imagined = {data(address): {"stateDiff": {word(slot): word(amount)}}}
        with suppress(RpcError):
            if call(node, asked, PENDING, imagined) == word(amount):
                node.chain.set_storage(Address(address), slot, amount)
                return
    raise refused(
        f"no word that {data(token)} reads holds only this figure: it is not an ERC-20 token, or computes or packs figures"
    )


def _words_read(node: Node, asked: object) -> Iterator[tuple[bytes, int]]:
    """Yield the words that a call reads, by address and slot."""
    machine = recording_machine(node.chain.ledger)
    _, run = run_aside(node, asked, PENDING, machine)
    pending: list[Frame] = [run.outcome.frame]
    while pending:
        for step in steps_of(pending.pop()):
            match step:
                case WordRead(address, slot):
                    yield address, slot
                case CallStep(child):
                    pending.append(child)
