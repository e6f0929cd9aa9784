"""Recording of a transcript from a chain's ledger, which holds every request made to the chain.

A call that its decoded form would not restore to the byte is written as bytes, as are signed transactions. A step mentions
only what differs from a plain call, such as a gas limit or a fee.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

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
from chain.replays.transcript import VERSION, Bytecode, Named
from chain.runtime import account_names
from chain.simulator.chain import Chain
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


def contract_names(ledger: Ledger) -> dict[bytes, Named]:
    """Return the contracts that take part in a play, by digest.

    Two classes with the same name go by their full names. The second version of a class is called `Game@2`.
    """
    versions: dict[str, dict[bytes, Program]] = {}
    for receipt in ledger.receipts:
        stored = (ledger.program(creation.digest) for creation in creations_in(receipt))
        sent = (call.program for call in walk(receipt.calls, failed=True))
        for program in filter(None, (receipt.program, *sent, *stored)):
            versions.setdefault(full_name(program.spec.cls), {})[program.digest] = program
    shared = Counter(full.rpartition(":")[2].rpartition(".")[2] for full in versions)
    named = {}
    for full, programs in versions.items():
        for number, (digest, program) in enumerate(programs.items(), 1):
            short = program.spec.name
            name = short if shared[short] == 1 else full.replace(":", ".")
            version = name if number == 1 else f"{name}@{number}"
            is_certain = len(programs) == 1 and digest in ledger.programs
            named[digest] = Named(version, full, None if is_certain else digest)
    return named


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
            "forced_prevrandao": None,
        }
        return _unusual(block, usual)

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
        values = {"nonce": after[0], "balance": after[1], "code": code}
        for (what, value), old, new in zip(values.items(), before, after, strict=True):
            if old != new:
                yield {"set": what, "account": who, "to": portable(value)}

    def _name_given(self, changes: Changes) -> str | None:
        """Return the name that the change gives to an account, as `chain.account(name)` does; else None."""
        for address, slot, _, word in iter_changes(changes):
            if address == account_names.REGISTRY and isinstance(slot, int) and word:
                with suppress(ValueError, OverflowError):  # a test has set this word itself
                    name = account_names.text_of(word)
                    if account_names.account_named(name) == slot.to_bytes(20):
                        return name
        return None

    # Requests

    def _request(self, receipt: Receipt, block: Block, gas: int) -> JsonObject:
        """Return the request of a transaction, without what a plain call would have."""
        told = {"sender": self.known.address(receipt.sender)}
        if receipt.to is not None:
            told["to"] = self.known.address(receipt.to)
        told |= self._message(receipt)
        usual: JsonObject = {"raw": None, "forced_random": ()}
        if receipt.raw is None:
            fee = block.base_fee
            usual |= {
                "value": 0,
                "gas": gas,
                "max_fee": fee,
                "tip": 0,
                "type": 2,
                "access_list": (),
            }
        return told | _unusual(receipt, usual)

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
        logs = () if is_upgrade else receipt.log_rows
        for name, rows in (("logs", logs), ("undone_logs", receipt.undone_log_rows)):
            if rows:
                told[name] = [self._log(receipt, row) for row in rows]
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


def _unusual(item: object, usual: JsonObject) -> JsonObject:
    """Return the attributes that do not have their usual values."""
    actual = {name: getattr(item, name) for name in usual}
    return {name: portable(value) for name, value in actual.items() if value != usual[name]}


def _storage(account: str, slot: int, word: int) -> JsonObject:
    return {"set": "storage", "account": account, "slot": hex(slot), "to": hex(word)}
