"""Calls by entry name with JSON arguments: sending, read-only calls, and control of time and chance."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from chain.ledger.logs import text_of
from chain.machine.forced_random import LoadedOutcomes
from chain.metering.program import Program
from chain.rpc.block_tags import LATEST, state_at
from chain.rpc.chain.values import (
    address_resolver,
    client_errors,
    contract_at,
    find_account,
    json_of,
    plain,
    require_known_fields,
)
from chain.rpc.control import mining
from chain.rpc.errors import RpcError, bad_params
from chain.rpc.eth.calls import call_gas_limit
from chain.rpc.hex_values import data, to_bytes, to_int
from chain.rpc.json_format import Json
from chain.rpc.node import Node
from chain.spec.contracts import ContractSpec, EntrySpec
from chain.spec.overloads import signatures
from chain.types import Address
from chain.values.records import by_field

_MESSAGE: Final = ("from", "to", "value", "gas", "data", "input", "entry", "contract", "args")

Message = tuple["Address | None", bytes, "EntrySpec | None"]


# Sending


def send(node: Node, fields: object) -> Json:
    """Send a message from any account, signed or not, by default with all the gas of a block. Return its receipt."""
    chain, fields = node.chain, require_known_fields(fields, _MESSAGE, "the message")
    to, raw, _ = _message(node, fields)
    receipt = chain.send(to, raw, **_options(node, fields))
    return json_of(chain.ledger).receipt(receipt)


def look(node: Node, fields: object, block: object = LATEST) -> Json:
    """Run a message at the end of a block, undo it, and return its result, logs and gas."""
    chain, fields = node.chain, require_known_fields(fields, _MESSAGE, "the message")
    if fields.get("contract") is not None:
        raise bad_params(
            "'contract' is for deployments: a read-only call names its contract in 'to'"
        )
    to, raw, entry = _message(node, fields)
    if to is None:
        raise bad_params("'to' is missing: it names the contract to call")
    reader, target_block = state_at(chain, block)
    view_block = chain.view_block if target_block is chain.head else target_block
    options = _options(node, fields)
    options["gas"] = call_gas_limit(reader, to, options["gas"], target_block)
    frame, rows = reader.call(to, raw, block=view_block, **options)
    texts = frame.view_logs or [text for text in map(text_of, rows) if text is not None]
    failure, entry = frame.failure, frame.entry or entry
    result = None if failure or entry is None else entry.decode_result(frame.output)
    shape = json_of(chain.ledger)
    return {
        "ok": failure is None,
        "output": data(frame.output),
        "result": plain(result),
        "error": None if failure is None else shape.error(failure),
        "texts": texts,
        "logs": shape.logs(rows),
        "gas_used": frame.gas_limit - frame.gas,
    }


def _options(node: Node, fields: Mapping[str, object]) -> dict[str, Any]:
    sender, gas = fields.get("from"), fields.get("gas")
    return {
        "sender": None if sender is None else find_account(node.chain, sender, "'from'"),
        "value": to_int(fields.get("value", 0), "'value'"),
        "gas": None if gas is None else to_int(gas, "'gas'"),
    }


def _message(node: Node, fields: Mapping[str, object]) -> Message:
    """Return the recipient, the calldata, and the named entry."""
    if fields.get("contract") is not None:
        program = _program(node, fields["contract"])
        init = program.spec.init
        return None, program.initcode + _encoded(node, program.spec.name, init, fields), None
    if fields.get("entry") is None:
        raw = to_bytes(fields.get("data", fields.get("input", "0x")), "'data'")
        to = fields.get("to")
        return None if to is None else find_account(node.chain, to, "'to'"), raw, None
    address, program = contract_at(node, fields.get("to"), "'to'")
    return address, *_called(node, program.spec, fields)


def _called(
    node: Node, spec: ContractSpec, fields: Mapping[str, object]
) -> tuple[bytes, EntrySpec]:
    """Return the calldata and the entry of this name; if it is overloaded, the one that takes these arguments."""
    name = fields["entry"]
    entries = spec.named(name) if isinstance(name, str) else ()
    if not entries:
        raise bad_params(spec.no_entry(str(name)))
    if len(entries) == 1:
        return _encoded(node, entries[0].name, entries[0], fields), entries[0]
    candidates = []
    for entry in entries:
        with suppress(RpcError):
            candidates.append((_encoded(node, entry.name, entry, fields), entry))
    if len(candidates) != 1:
        count_text = f"{len(candidates)} of them take" if candidates else "none of them takes"
        raise bad_params(
            f"{spec.name} has {len(entries)} entries '{name}', and {count_text} these arguments:"
            f" choose one, {signatures(entries)}"
        )
    return candidates[0]


def _program(node: Node, name: object) -> Program:
    programs = node.chain.machine.programs.values()
    for program in reversed(programs):  # the last of several versions
        if program.spec.name == name:
            return program
    names = ", ".join(program.spec.name for program in programs) or "none"
    raise bad_params(f"no contract {name!r} can be deployed here; there are {names}")


def _encoded(node: Node, name: str, entry: EntrySpec | None, fields: Mapping[str, object]) -> bytes:
    """Return the encoded arguments, a list or an object, after the entry's selector."""
    args = fields.get("args") or []
    if entry is None:
        if args:
            raise bad_params(f"{name} has no @init, so it takes no arguments")
        return b""
    if not isinstance(args, list | tuple | dict):
        raise bad_params(f"'args' is {args!r}; it must be a list or an object")
    value_types, resolve = (
        {member.name: member.kind for member in entry.params},
        address_resolver(node.chain),
    )
    if not isinstance(args, dict) and len(args) > len(value_types):
        raise bad_params(f"{name} takes {len(value_types)} arguments; {len(args)} were given")
    named = (
        by_field(args, value_types)
        if isinstance(args, dict)
        else dict(zip(value_types, args, strict=False))
    )
    with client_errors():
        values = {
            key: value_types[key].from_json(value, f"{name}.{key}", resolve)
            if key in value_types
            else value
            for key, value in named.items()
        }
        return entry.encode_args((), values)


# Time and randomness


def now(node: Node) -> int:
    """Return the chain's clock."""
    return node.chain.now


def advance(node: Node, seconds: object) -> int:
    """Set the next block this many seconds after the last one, and return the clock."""
    mining.increase_time(node, seconds)
    return node.chain.now


def set_time(node: Node, timestamp: object) -> int:
    """Set the time of the next block, and return the clock."""
    mining.set_next_timestamp(node, timestamp)
    return node.chain.now


def mine(node: Node, blocks: object = 1) -> int:
    """Close the open block, add empty ones, and return the number of the last block."""
    count = to_int(blocks, "the number of blocks")
    node.limits.check("mined", count, "blocks")
    return node.chain.mine(count).number


def force_random(node: Node, outcomes: object) -> bool:
    """Force the next draws of `self.random`, by tag: `{"dice": [6, 6, 1]}`."""
    if not isinstance(outcomes, Mapping) or not all(
        isinstance(items, list) for items in outcomes.values()
    ):
        raise bad_params('outcomes are lists by tag, as in {"dice": [6, 6, 1]}')
    node.chain.machine.loaded = LoadedOutcomes(dict(outcomes))
    return True


def release_random(node: Node) -> object:
    """End the forcing, and return the unused outcomes."""
    loaded, node.chain.machine.loaded = node.chain.machine.loaded, None
    return {} if loaded is None else plain(loaded.unused)
