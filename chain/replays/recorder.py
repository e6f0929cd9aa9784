"""Recording of a transcript from a chain's ledger, which holds every request made to the chain.

A call that its decoded form would not restore to the byte is written as bytes, as are signed transactions. A step mentions
only what differs from a plain call, such as a gas limit or a fee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from chain.abi.json_abi import JsonObject
from chain.ledger.artifacts import full_name
from chain.ledger.blocks import Block
from chain.ledger.calls import walk
from chain.ledger.creations import creations_in
from chain.ledger.ledger import Ledger
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import json_line, portable, to_hex
from chain.machine.state import ACCOUNT, NO_ACCOUNT, STORAGE, Changes, LogRow, iter_changes
from chain.metering.program import Program, sentence_on_changes
from chain.replays.known_names import KnownNames
from chain.replays.outcomes import reason
from chain.replays.transcript import VERSION, Bytecode
from chain.runtime import account_names
from chain.simulator.chain import Chain
from chain.simulator.driver import FUNDS
from chain.simulator.predeployed import HISTORY, WINDOW
from chain.spec.contracts import UPGRADE
from chain.types import Address

Through: TypeAlias = Callable[[Sequence[Block]], Iterable[Block]]


def record(chain: Chain, *, through: Through = iter) -> str:
    """Return every request made to a chain, and its outcome, as lines of JSON that can be replayed.

    `through` is given the blocks and yields them, as for a progress bar.

    >>> print(record(chain).splitlines()[0])
    {"transcript":2}
    """
    if not isinstance(chain, Chain):
        raise TypeError(f"{chain!r} is not a chain: only whole chains can be recorded")
    for program in chain.machine.programs.values():
        if told := sentence_on_changes(program):
            raise ValueError(f"{told}; undo that, or deploy it again")
    return transcript_of(chain, through)


def transcript_of(chain: Chain, through: Through = iter) -> str:
    """Return the transcript of a chain, even if what its contracts reach has changed."""
    return "".join(map(json_line, _lines(chain, through)))


def _lines(chain: Chain, through: Through) -> Iterator[JsonObject]:
    """Yield all lines of the transcript of a chain. The seed is stored only as a hash."""
    ledger, default = chain.ledger, settings_of(Chain())
    settings = {name: value for name, value in settings_of(chain).items() if value != default[name]}
    bytecode = list(_known_bytecode(ledger))
    recorder = Recorder(ledger, contract_names(ledger), bytecode)
    yield {"transcript": VERSION, **settings}
    yield from (named.line for named in recorder.contracts.values())
    yield from (each.line for each in bytecode)
    end = 0
    for block in through([*ledger.blocks[1:], *([] if ledger.open is None else [ledger.open])]):
        end = len(ledger.timeline) if block is ledger.open else block.end_timeline_index
        yield from recorder.block(block, end)
    for index in range(end, len(ledger.timeline)):
        yield from recorder.note(ledger.timeline[index])
    yield {"end": chain.head.number, "hash": to_hex(chain.block_hash())}


def _known_bytecode(ledger: Ledger) -> Iterator[Bytecode]:
    """Yield the contracts in bytecode that took part in a play and are known by their ABI."""
    foreign = ledger.foreign
    called = set[bytes]()
    for receipt in ledger.receipts if foreign.names else ():
        called.add(receipt.address)
        called.update(call.address for call in walk(receipt.calls, failed=True))
    for address, name in foreign.names.items():
        program = foreign.get(address)
        if program is not None and address in called and ledger.program_at(address) is None:
            yield Bytecode(name, Address(address), program)


def settings_of(chain: Chain) -> dict[str, Any]:
    """Return the settings of a chain that a transcript can set."""
    rules, first = chain.blocks.rules, chain.blocks[0]
    return {
        "chain_id": rules.chain_id,
        "seed": to_hex(rules.seed),
        "gas_limit": rules.gas_limit,
        "elastic_fees": rules.elastic_fees,
        "fork": rules.fork.name,
        "tx_gas_cap": rules.tx_gas_cap,
        "genesis_time": first.timestamp,
        "base_fee": first.base_fee,
        "guard": chain.machine.guards,
    }


class Named(NamedTuple):
    """A contract class in a transcript: its name there, and the full name by which it is imported.

    The digest identifies the version of the class if there was more than one, or if it is not the present one.
    """

    name: str
    full: str
    digest: bytes | None = None

    @property
    def line(self) -> JsonObject:
        version = {} if self.digest is None else {"digest": to_hex(self.digest)}
        return {"contract": self.name, "class": self.full, **version}


def contract_names(ledger: Ledger) -> dict[bytes, Named]:
    """Return the contracts that take part in a play, by digest.

    Two classes with the same name go by their full names. The second version of a class is called `Game@2`.
    """
    programs: dict[bytes, Program] = {}
    for receipt in ledger.receipts:
        stored = (ledger.program(creation.digest) for creation in creations_in(receipt))
        sent = (call.program for call in walk(receipt.calls, failed=True))
        for program in (receipt.program, *sent, *stored):
            if program is not None:
                programs.setdefault(program.digest, program)
    versions: dict[str, list[bytes]] = {}
    for digest, program in programs.items():
        versions.setdefault(full_name(program.spec.cls), []).append(digest)
    called = [full.rpartition(":")[2].rpartition(".")[2] for full in versions]
    named = {}
    for full, digests in versions.items():
        name = _name_among(called, programs[digests[0]].spec.cls)
        for number, digest in enumerate(digests, 1):
            needs_digest = len(digests) > 1 or digest not in ledger.programs
            version = f"{name}@{number}" if number > 1 else name
            named[digest] = Named(version, full, digest if needs_digest else None)
    return named


def _name_among(called: list[str], cls: type) -> str:
    """Return the name of a class, or its full name if `called` has another class of that name."""
    return cls.__name__ if called.count(cls.__name__) == 1 else full_name(cls).replace(":", ".")


class Recorder:
    """Describes steps, with the names that are known at each of them."""

    def __init__(
        self, ledger: Ledger, contracts: dict[bytes, Named], bytecode: Iterable[Bytecode]
    ) -> None:
        self.ledger, self.contracts, self.known = ledger, contracts, KnownNames()
        for name, address, _ in bytecode:
            self.known.add(name, address)

    # Blocks

    def block(self, block: Block, end: int) -> Iterator[JsonObject]:
        """Yield the steps of a block. The first one also has what does not follow from the block before.

        If there is none, or something is set after the last one, a last line marks it as part of this block.
        """
        told = {"block": block.number, **self._opening(block)}
        timeline, used, is_told = self.ledger.timeline, 0, False
        for index in range(block.first_timeline_index, end):
            receipt = self.ledger.receipt_at_index(index)
            if receipt is not None:
                gas = min(block.gas_limit - used, block.max_transaction_gas)
                yield told | self._request(receipt, block, gas) | self.outcome(receipt)
                used += receipt.gas_used
                told, is_told = {"block": block.number}, True
            elif not self._is_parent_hash(timeline[index]):
                yield from self.note(timeline[index])
                is_told = False
        if not is_told:
            yield told

    def _opening(self, block: Block) -> JsonObject:
        """Return the properties of a block that do not follow from its parent."""
        parent = self.ledger.blocks[block.number - 1]
        usual = {
            "timestamp": parent.timestamp + 1,
            "coinbase": parent.coinbase,
            "base_fee": parent.next_base_fee,
            "excess_blob_gas": parent.next_excess_blob_gas,
            "prevrandao": None,
        }
        return _differing(
            usual,
            timestamp=block.timestamp,
            coinbase=block.coinbase,
            base_fee=block.base_fee,
            excess_blob_gas=block.excess_blob_gas,
            prevrandao=block.forced_prevrandao,
        )

    # Changes from outside of transactions

    def note(self, changes: Changes) -> Iterator[JsonObject]:
        """Yield the lines of a change that was made between transactions."""
        name = self._name_given(changes)
        if name is not None:
            self.known.add(name, bytes(account_names.account_named(name)))
            yield {"account": name}
            return
        for address, slot, before, after in iter_changes(changes):
            account = self.known.address(address)
            if slot is STORAGE:
                yield from (_storage(account, key, 0) for key, _ in before)
            elif slot is not ACCOUNT:
                yield _storage(account, slot, after or 0)
            else:
                yield from self._set_account(account, before or NO_ACCOUNT, after or NO_ACCOUNT)

    def _is_parent_hash(self, changes: Changes) -> bool:
        """Return True if the change is only what the block does first."""
        if len(changes) != 4 or changes[0] != HISTORY or not isinstance(changes[1], int):
            return False
        number = self.ledger.number_of((changes[3] or 0).to_bytes(32))
        return number is not None and number % WINDOW == changes[1]

    def _set_account(self, who: str, before: Any, after: Any) -> Iterator[JsonObject]:
        """Yield a line for each changed property of an account."""
        code = self.ledger.state.codes.get(after[2], b"")
        for i, (what, value) in enumerate(
            (("nonce", after[0]), ("balance", after[1]), ("code", code))
        ):
            if before[i] != after[i]:
                yield {"set": what, "account": who, "to": portable(value)}

    def _name_given(self, changes: Changes) -> str | None:
        """Return the name if the change is exactly that of `chain.account(name)`; else None."""
        changed = {
            address: (slot, before, after) for address, slot, before, after in iter_changes(changes)
        }
        if len(changed) != 2 or account_names.REGISTRY not in changed:
            return None
        slot, _, word = changed.pop(account_names.REGISTRY)
        [(address, (account_slot, before, after))] = changed.items()
        name = account_names.text_of(word or 0)
        if account_slot is not ACCOUNT or slot is ACCOUNT or slot is STORAGE or not name:
            return None
        (nonce, funds, code), result = before or NO_ACCOUNT, after or NO_ACCOUNT
        is_rule = result == (nonce, funds + FUNDS, code) and slot == int.from_bytes(address)
        return name if is_rule and account_names.account_named(name) == address else None

    # Requests

    def _request(self, receipt: Receipt, block: Block, gas: int) -> JsonObject:
        """Return the request of a transaction, without what a plain call would have."""
        told = {"sender": self.known.address(receipt.sender)}
        if receipt.to is not None:
            told["to"] = self.known.address(receipt.to)
        told |= self._message(receipt)
        usual: JsonObject = {
            "value": 0,
            "gas": gas,
            "max_fee": block.base_fee,
            "tip": 0,
            "type": 2,
            "access_list": (),
            "forced_random": (),
            "raw": None,
        }
        if receipt.raw is not None:
            return told | _differing(usual, raw=receipt.raw, forced_random=receipt.forced_random)
        return told | _differing(usual, **{name: getattr(receipt, name) for name in usual})

    def _message(self, receipt: Receipt) -> JsonObject:
        """Return the decoded call if reading it restores the same bytes; otherwise the bytes."""
        entry, program, data = receipt.entry_spec, receipt.program, receipt.data
        if entry is UPGRADE and data[4:] in self.contracts:
            return {"upgrade": self.contracts[data[4:]].name}
        words: JsonObject = {}
        if receipt.to is None and program is not None:
            words = {"create": self.contracts[program.digest].name}
        elif entry is not None:
            words = {"entry": entry.name}
        if words:
            words["args"] = self.known.members(receipt.args)
            code = program.initcode if program is not None and receipt.to is None else b""
            with suppress(ValueError, TypeError):
                args = self.known.read_args(entry, words["args"])
                if data == code + (entry.encode_args(args, {}) if entry else b""):
                    return words
        return {"data": to_hex(data)} if data else {}

    # Outcomes

    def outcome(self, receipt: Receipt) -> JsonObject:
        """Return the outcome of a transaction, and register the contracts that it created."""
        self.known.register_contracts(receipt)
        told: JsonObject = {}
        result = receipt.return_value
        if receipt.error is not None:
            told["error"] = reason(receipt.error)
        elif receipt.to is None:
            told["address"] = self.known.address(receipt.address)
        elif result is not None and result != b"":
            told["result"] = self.known.show(result)
        # The request of an upgrade has the same content as its event.
        is_upgrade = receipt.entry_spec is UPGRADE and receipt.data[4:] in self.contracts
        logs = [] if is_upgrade else [self._log(receipt, row) for row in receipt.log_rows]
        undone = [self._log(receipt, row) for row in receipt.undone_log_rows]
        told |= _differing({"logs": [], "undone_logs": []}, logs=logs, undone_logs=undone)
        return told | {"gas_used": receipt.gas_used}

    def _log(self, receipt: Receipt, row: LogRow) -> JsonObject:
        """Return a log, with the name of its contract if the transaction called another one."""
        told = {} if row[0] == receipt.address else {"address": self.known.address(row[0])}
        text, meaning = text_of(row), self.ledger.event_types.meaning(row)
        if text is not None:
            return told | {"text": text}
        if meaning is not None and (event := self.ledger.decode(row)) is not None:
            return told | {"event": meaning.spec.name, "fields": self.known.show(event)}
        return told | {"topics": [f"{topic:#066x}" for topic in row[1]], "data": to_hex(row[2])}


def _differing(usual: JsonObject, /, **actual: Any) -> JsonObject:
    """Return the values that are not the usual ones."""
    return {name: portable(value) for name, value in actual.items() if value != usual[name]}


def _storage(account: str, slot: int, word: int) -> JsonObject:
    return {"set": "storage", "account": account, "slot": hex(slot), "to": hex(word)}
