"""Requests of steps in the form that the chain takes: transactions, blocks, settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Final

from chain.ledger.blocks import Block
from chain.ledger.signing import TYPES, decode_signed, tx_type
from chain.machine.transaction import Transaction
from chain.replays.known_names import NameRegistry
from chain.replays.notation import BadValue, read_args
from chain.replays.transcript import BadTranscript, TranscriptStep, set_line
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain
from chain.spec.contracts import UPGRADE, EntrySpec
from chain.types import Address

_NUMBER: Final = re.compile(r"\d+|0x[0-9a-f]+")
_BYTES: Final = re.compile(r"0x(?:[0-9a-f]{2})*")
_VALUE: Final = re.compile(r"(?P<rest>.*) with (?P<value>\d+) wei", re.DOTALL)
_DEPLOY: Final = re.compile(r"deploy (?P<name>[\w.@]+)\((?P<args>.*)\)")
_BYTECODE: Final = re.compile(r"deploy 0x(?P<data>(?:[0-9a-f]{2})*)")
_UPGRADE: Final = re.compile(r"upgrade (?P<who>\S+) to (?P<name>[\w.@]+)")
_SEND: Final = re.compile(r"to (?P<who>\S+) send 0x(?P<data>(?:[0-9a-f]{2})*)")
_CALL: Final = re.compile(r"(?P<who>\S+?)\.(?P<entry>\w+)\((?P<args>.*)\)")


class UnknownTarget(LookupError):
    """The request is no longer possible: the contract, entry or argument does not exist."""


class StepRequests:
    """Reads the requests of steps for one chain."""

    def __init__(
        self, chain: Chain, known: NameRegistry, contracts: Mapping[str, type[Contract]]
    ) -> None:
        self._chain, self._known, self._contracts = chain, known, contracts

    def transaction(self, step: TranscriptStep) -> Transaction:
        """Return the transaction that a step sends."""
        block, state = self._chain.pending, self._chain.state
        signed = step.value("signed")
        if signed is not None:
            return self._signed(signed)
        match = _VALUE.fullmatch(step.what)
        request, value = (match["rest"], int(match["value"])) if match else (step.what, 0)
        to, data = self._message(step, request)
        sender = self._address(step.sender or "")
        options = {name: step.value(name) for name in ("gas", "fee", "tip", "type", "access")}
        usual = Transaction(
            sender, to, data, value, block.gas_left,
            state.account(sender)[0], block.base_fee,
        )  # fmt: skip
        overrides = {_FIELDS[name]: value for name, value in options.items() if value is not None}
        return replace(usual, is_free=options["fee"] == 0, **overrides)

    def _signed(self, raw: bytes) -> Transaction:
        if tx_type(raw) in TYPES:
            return decode_signed(raw, self._chain.chain_id)
        tx: Transaction = import_module("chain.rpc.typed_transactions").decode_raw(
            raw, self._chain.chain_id
        )
        return tx

    def _message(self, step: TranscriptStep, what: str) -> tuple[bytes | None, bytes]:
        """Return the recipient (None for a deployment) and the data."""
        if match := _BYTECODE.fullmatch(what):
            return None, bytes.fromhex(match["data"])
        if match := _DEPLOY.fullmatch(what):
            cls = self._class(step, match["name"])
            return None, self._chain.declare(cls).initcode + self._args(
                cls.__spec__.init, match["args"]
            )
        if match := _UPGRADE.fullmatch(what):
            program = self._chain.declare(self._class(step, match["name"]))
            return self._address(match["who"]), UPGRADE.encode_args((program.digest,), {})
        if match := _SEND.fullmatch(what):
            return self._address(match["who"]), bytes.fromhex(match["data"])
        if match := _CALL.fullmatch(what):
            to = self._address(match["who"])
            target = self._chain.machine.program_at(to) or self._chain.ledger.foreign.get(to)
            entry = target.spec.entries.get(match["entry"]) if target else None
            if entry is None:
                raise UnknownTarget(f"{match['who']} has no entry '{match['entry']}'")
            return to, self._args(entry, match["args"])
        raise BadTranscript(step.line, f"'{what[:60]}' cannot be read as a request")

    def _class(self, step: TranscriptStep, name: str) -> type[Contract]:
        if name not in self._contracts:
            raise BadTranscript(step.line, f"no line defines the contract {name}")
        return self._contracts[name]

    def _args(self, entry: EntrySpec | None, text: str) -> bytes:
        try:
            values = read_args(text, entry.params if entry else (), self._known)
            return entry.encode_args(values, {}) if entry else b""
        except (BadValue, TypeError) as error:
            raise UnknownTarget(str(error)) from None

    def _address(self, name: str) -> bytes:
        address = self._known.find(name)
        if address is None:
            raise UnknownTarget(f"there is no account or contract {name}")
        return address

    # Requests other than transactions

    def block(self, step: TranscriptStep, block: Block) -> Block:
        """Return the block of a step, with the properties that do not follow from its parent."""
        coinbase, fee, excess, chance = (
            step.value(name) for name in ("coinbase", "base_fee", "excess_blob_gas", "prevrandao")
        )
        return block.with_fields(
            coinbase=block.coinbase if coinbase is None else coinbase,
            base_fee=block.base_fee if fee is None else fee,
            excess_blob_gas=block.excess_blob_gas if excess is None else excess,
            forced_prevrandao=chance,
        )

    def set(self, step: TranscriptStep) -> None:
        """Create a named account, or set a property of an account."""
        chain, (what, name, to) = self._chain, set_line(step.what)
        if not what:
            chain.account(step.what.removeprefix("account "))
            return
        address = Address(self._address(name))
        is_code, words = what == "code", to.split()
        if not all(map((_BYTES if is_code else _NUMBER).fullmatch, words)):
            raise BadTranscript(step.line, f"'{step.request}' cannot be read")
        match what, [] if is_code else [int(word, 0) for word in words]:
            case "nonce", [number]:
                chain.set_nonce(address, number)
            case "balance", [number]:
                chain.set_balance(address, number)
            case "storage", [slot, word]:
                chain.set_storage(address, slot, word)
            case "code", []:
                chain.set_code(address, bytes.fromhex(to.removeprefix("0x")))
            case _:
                raise BadTranscript(step.line, f"'{step.request}' cannot be read")


_FIELDS: Final = {
    "gas": "gas",
    "fee": "max_fee",
    "tip": "tip",
    "type": "type",
    "access": "access_list",
}
