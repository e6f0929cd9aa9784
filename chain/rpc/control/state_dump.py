"""Methods that carry a state from chain to chain: all accounts with their words as one text, in anvil's format.

The text is gzipped JSON in hex: `{"accounts": {address: {"nonce", "balance", "code", "storage"}}}`. In addition, `slots` lists
the preimages of hashed slots, so that words keep their names on the other chain.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from chain.foundation.atomic_steps import in_one_step
from chain.machine.state import Account, State
from chain.rpc.block_tags import LATEST, state_at
from chain.rpc.control.account_state import parse_bounded
from chain.rpc.errors import bad_params
from chain.rpc.hex_values import data, quantity, to_address, to_bytes, to_int, to_object, word
from chain.rpc.node import Node
from chain.simulator.chain import Chain
from chain.values.inputs import NONCE
from chain.values.nesting import shallow

_LONGEST: Final = 256 * 2**20  # bytes of a dump that can be loaded
_GZIP: Final = 31  # window bits of zlib for the gzip format


def dump_state(node: Node) -> str:
    """Return all accounts at the end of the last block."""
    reader, head = state_at(node.chain, LATEST)
    state = reader.state
    dump = {
        "best_block_number": head.number,
        "accounts": {data(address): _described(state, address, state.accounts[address]) for address in sorted(state.accounts)},
        "slots": [
            [word(parent), None if key is None else data(key)]
            for parent, key in state.slots.preimages.values()
        ],
    }  # fmt: skip
    return data(gzip.compress(json.dumps(dump).encode(), mtime=0))


def _described(state: State, address: bytes, account: Account) -> dict[str, object]:
    nonce, balance, code_hash = account
    storage = {word(slot): word(value) for slot, value in sorted(state.storages[address].items())}
    return {
        "nonce": nonce,
        "balance": quantity(balance),
        "code": data(state.codes[code_hash]),
        "storage": storage,
    }


def load_state(node: Node, dumped: object) -> bool:
    """Set all accounts of a dump, ours or anvil's, in addition to those of the chain."""
    dump = to_object(_read(to_bytes(dumped, "the dump")), "the dump")
    accounts = to_object(dump.get("accounts"), "'accounts'")
    state = node.chain.state
    parsed = [
        (to_address(address), to_object(fields, "an account"))
        for address, fields in accounts.items()
    ]
    for item in dump.get("slots") or ():
        _remember(state, item)
    in_one_step(node.chain, _set_all, node.chain, parsed)
    return True


def _set_all(chain: Chain, accounts: Sequence[tuple[bytes, Mapping[str, object]]]) -> None:
    for address, fields in accounts:
        _set(chain.state, address, fields)
    chain.record_changes()


def _read(raw: bytes) -> object:
    """Return the JSON of a dump, which may be gzipped and is limited in length."""
    try:
        if raw[:2] == b"\x1f\x8b":
            reader = zlib.decompressobj(_GZIP)
            raw = reader.decompress(raw, _LONGEST)
            if reader.unconsumed_tail:
                raise bad_params(f"the dump is too long: at most {_LONGEST} bytes")
        return json.loads(shallow(raw.decode("utf-8")))
    except (ValueError, zlib.error, RecursionError):
        raise bad_params("this is not a dump of a state") from None


def _set(state: State, address: bytes, told: Mapping[str, object]) -> None:
    code = to_bytes(told.get("code") or "0x", "the code")
    nonce = parse_bounded(told.get("nonce", 0), NONCE + 1, "the nonce")
    balance = to_int(told.get("balance", 0), "the balance")
    state.delete_storage(address)
    state.set_account(address, (nonce, balance, state.intern_code(code)))
    for slot, value in to_object(told.get("storage") or {}, "'storage'").items():
        state.set_word(address, to_int(slot, "a slot"), to_int(value, "a word"))


def _remember(state: State, item: object) -> None:
    if not isinstance(item, list) or len(item) != 2:
        raise bad_params("'slots' are pairs of a slot and a key")
    parent, key = to_int(item[0], "a slot"), item[1]
    if key is None:
        state.slots.content_slot(parent)
    else:
        state.slots.map_slot(parent, to_bytes(key, "a key"))
