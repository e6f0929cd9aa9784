"""Recording of a transcript from a chain's ledger, which holds every request made to the chain.

A request whose bytes cannot be restored from a decoded form is written as bytes: calldata that matches no entry, a signed
envelope. A step mentions only what differs from a plain call, such as a gas limit or a fee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from chain.ledger.artifacts import full_name
from chain.ledger.blocks import Block
from chain.ledger.calls import walk
from chain.ledger.creations import creations_in
from chain.ledger.decoded.activity import ActivityFormatter
from chain.ledger.ledger import Ledger
from chain.ledger.receipts import Receipt
from chain.machine.state import ACCOUNT, NO_ACCOUNT, STORAGE, Changes, iter_changes
from chain.metering.program import Program, sentence_on_changes
from chain.replays.known_names import NameRegistry
from chain.replays.notation import BadValue, ExactFormatter, read_args
from chain.replays.outcomes import reason
from chain.replays.transcript import FIRST, INDENT, Bytecode
from chain.runtime import account_names
from chain.simulator.chain import Chain
from chain.simulator.driver import FUNDS
from chain.simulator.predeployed import HISTORY, WINDOW
from chain.spec.contracts import UPGRADE
from chain.types import Address

Through: TypeAlias = Callable[[Sequence[Block]], Iterable[Block]]


def record(chain: Chain, *, through: Through = iter) -> str:
    """Return every request made to a chain, and its outcome, as a text that can be replayed.

    `through` is given the blocks and yields them, as for a progress bar.

    >>> print(record(chain).splitlines()[0])
    boardchain transcript 1
    """
    if not isinstance(chain, Chain):
        raise TypeError(f"{chain!r} is not a chain: only whole chains can be recorded")
    for program in chain.machine.programs.values():
        if told := sentence_on_changes(program):
            raise ValueError(f"{told}; undo that, or deploy it again")
    return transcript_of(chain, through)


def transcript_of(chain: Chain, through: Through = iter) -> str:
    """Return the transcript of a chain, even if what its contracts reach has changed."""
    bytecode = list(_known_bytecode(chain.ledger))
    writer = Recorder(chain.ledger, contract_names(chain.ledger), bytecode)
    lines = [FIRST, *_settings(chain)]
    lines += [f"contract {named}" for named in writer.contracts.values()]
    lines += map(str, bytecode)
    lines += ["", *_body(writer, through), f"end {chain.head.number} 0x{chain.block_hash().hex()}"]
    return "".join(f"{line}\n" for line in lines)


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


def _settings(chain: Chain) -> Iterator[str]:
    """Yield a line with the settings that differ from `Chain()`. The seed is stored only as a hash."""
    default, own = settings_of(Chain()), settings_of(chain)
    differences = [f"{name}={own[name]}" for name in own if own[name] != default[name]]
    if differences:
        yield f"chain {' '.join(differences)}"


def settings_of(chain: Chain) -> dict[str, Any]:
    """Return the settings of a chain that a transcript can set."""
    rules, first = chain.blocks.rules, chain.blocks[0]
    return {
        "chain_id": rules.chain_id, "seed": f"0x{rules.seed.hex()}", "gas_limit": rules.gas_limit,
        "elastic_fees": rules.elastic_fees, "fork": rules.fork.name, "tx_gas_cap": rules.tx_gas_cap,
        "genesis_time": first.timestamp, "base_fee": first.base_fee,
        "guard": chain.machine.guards,
    }  # fmt: skip


class Named(NamedTuple):
    """A contract class in a transcript: its name there, and the full name by which it is imported.

    The digest identifies the version of the class if there was more than one, or if it is not the present one.
    """

    name: str
    full: str
    digest: bytes | None = None

    def __str__(self) -> str:
        version = "" if self.digest is None else f" 0x{self.digest.hex()}"
        return f"{self.name} = {self.full}{version}"


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


def _body(writer: Recorder, through: Through) -> Iterator[str]:
    """Yield the lines of all steps."""
    ledger = writer.ledger
    open_ = [ledger.open] if ledger.open is not None else []
    end = 0
    for block in through([*ledger.blocks[1:], *open_]):
        end = len(ledger.timeline) if block is ledger.open else block.end_timeline_index
        yield from writer.block(block, end)
    for index in range(end, len(ledger.timeline)):
        yield from writer.note(ledger.timeline[index])


class Recorder(ActivityFormatter):
    """Writes steps, with the names that are known at each of them."""

    def __init__(
        self, ledger: Ledger, contracts: dict[bytes, Named], bytecode: Iterable[Bytecode]
    ) -> None:
        self.ledger, self.contracts, self.known = ledger, contracts, NameRegistry()
        for name, address, _ in bytecode:
            self.known.add(name, address)
        super().__init__(ledger, ExactFormatter(self.known))

    # Blocks

    def block(self, block: Block, end: int) -> Iterator[str]:
        """Yield the lines of the steps of a block.

        If something is set after the last transaction, a last line marks it as part of this block.
        """
        head = f"{block.number} +{block.timestamp - self._start}s"
        apart = [f"{INDENT}with {name} {value}" for name, value in self._apart(block)]
        timeline = self.ledger.timeline
        indices = [
            index
            for index in range(block.first_timeline_index, end)
            if not self._is_parent_hash(timeline[index])
        ]
        if apart or not indices:
            yield from (f"{head} block", *apart)
        is_last_note = False
        used = 0
        for index in indices:
            receipt = self.ledger.receipt_at_index(index)
            is_last_note = receipt is None
            if receipt is None:
                yield from self.note(timeline[index])
            else:
                yield from (f"{head} {line}" for line in self._head(receipt))
                yield from self._asked(
                    receipt, block, min(block.gas_limit - used, block.max_transaction_gas)
                )
                yield from self.outcome(receipt)
                used += receipt.gas_used
        if is_last_note:
            yield f"{head} block"

    def _apart(self, block: Block) -> Iterator[tuple[str, str]]:
        """Yield the properties of a block that do not follow from its parent."""
        parent = self.ledger.blocks[block.number - 1]
        if block.coinbase != parent.coinbase:
            yield "coinbase", f"0x{block.coinbase.hex()}"
        if block.base_fee != parent.next_base_fee:
            yield "base_fee", str(block.base_fee)
        if block.excess_blob_gas != parent.next_excess_blob_gas:
            yield "excess_blob_gas", str(block.excess_blob_gas)
        if block.forced_prevrandao is not None:
            yield "prevrandao", str(block.forced_prevrandao)

    # Changes from outside of transactions

    def note(self, changes: Changes) -> Iterator[str]:
        """Yield the lines of a change that was made between transactions."""
        name = self._name_given(changes)
        if name is not None:
            self.known.add(name, bytes(account_names.account_named(name)))
            yield f"account {name}"
            return
        for address, slot, before, after in iter_changes(changes):
            account = self.known.display(address)
            if slot is STORAGE:
                yield from (f"set storage {account} {key:#x} 0" for key, _ in before)
            elif slot is not ACCOUNT:
                yield f"set storage {account} {slot:#x} {after or 0:#x}"
            else:
                yield from self._set_account(account, before or NO_ACCOUNT, after or NO_ACCOUNT)

    def _is_parent_hash(self, changes: Changes) -> bool:
        """Return True if the change is only what the block does first."""
        if len(changes) != 4 or changes[0] != HISTORY or not isinstance(changes[1], int):
            return False
        number = self.ledger.number_of((changes[3] or 0).to_bytes(32))
        return number is not None and number % WINDOW == changes[1]

    def _set_account(self, who: str, before: Any, after: Any) -> Iterator[str]:
        """Yield a line for each changed property of an account."""
        if before[0] != after[0]:
            yield f"set nonce {who} {after[0]}"
        if before[1] != after[1]:
            yield f"set balance {who} {after[1]}"
        if before[2] != after[2]:
            yield f"set code {who} 0x{self.ledger.state.codes.get(after[2], b'').hex()}"

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

    def _head(self, receipt: Receipt) -> Iterator[str]:
        """Yield the first line of a transaction."""
        value = f" with {receipt.value} wei" if receipt.value else ""
        yield f"{self.known.display(receipt.sender)}: {self._asks(receipt)}{value}"

    def _asks(self, receipt: Receipt) -> str:
        """Return the decoded call if reading it restores the same bytes; otherwise the bytes."""
        if receipt.entry_spec is UPGRADE:
            return self._asks_upgrade(receipt)
        words, data = self._in_words(receipt), receipt.data.hex()
        if words is not None:
            return words
        if receipt.to is None:
            return f"deploy 0x{data}"
        return f"to {self.known.display(receipt.address)} send 0x{data}"

    def _in_words(self, receipt: Receipt) -> str | None:
        program, entry, args, prefix = receipt.program, receipt.entry_spec, receipt.args, b""
        if receipt.to is not None:
            if entry is None or not entry.name.isidentifier():  # one of several with its name
                return None
            asked = f"{self.known.display(receipt.address)}.{entry.name}"
        elif program is not None:
            asked, prefix = f"deploy {self.contracts[program.digest].name}", program.initcode
        else:
            return None
        if entry is not None and len(args) != len(entry.params):
            return None
        written = ", ".join(map(self.show, args.values()))
        try:
            if program is None and entry is not None:  # an ABI may have what words have not
                read_args(written, entry.params, self.known)
            encoded = entry.encode_args((), args) if entry else b""
        except (BadValue, TypeError):
            return None
        return f"{asked}({written})" if receipt.data == prefix + encoded else None

    def _asks_upgrade(self, receipt: Receipt) -> str:
        """Return a decoded upgrade if its new class has a name; otherwise the bytes."""
        target, data = self.known.display(receipt.address), receipt.data
        named = self.contracts.get(data[4:])
        return (
            f"to {target} send 0x{data.hex()}"
            if named is None
            else f"upgrade {target} to {named.name}"
        )

    def _asked(self, receipt: Receipt, block: Block, gas: int) -> Iterator[str]:
        """Yield the properties of a transaction that a plain call would not have."""
        usual = {"gas": gas, "fee": block.base_fee, "tip": 0, "type": 2, "access": (), "loaded": ()}
        actual = {
            "gas": receipt.gas, "fee": receipt.max_fee, "tip": receipt.tip, "type": receipt.type,
            "access": receipt.access_list, "loaded": receipt.forced_random,
        }  # fmt: skip
        if receipt.raw is not None:
            yield f"{INDENT}with signed 0x{receipt.raw.hex()}"
            usual |= {name: value for name, value in actual.items() if name != "loaded"}
        for name, value in actual.items():
            if value != usual[name]:
                yield f"{INDENT}with {name} {list(value) if isinstance(value, tuple) else value!r}"

    # Outcomes

    def outcome(self, receipt: Receipt) -> Iterator[str]:
        """Yield the lines of the outcome of a transaction, and register the contracts that it created."""
        self.known.register_contracts(receipt)
        is_upgrade = receipt.entry_spec is UPGRADE and receipt.data[4:] in self.contracts
        # The request of an upgrade has the same content as its event.
        for row in () if is_upgrade else receipt.log_rows:
            yield from self._log(receipt, row, INDENT)
        for row in receipt.undone_log_rows:
            yield from self._log(receipt, row, f"{INDENT}undone ")
        yield f"{INDENT}= {self._result(receipt)} [{receipt.gas_used} gas]"

    def _result(self, receipt: Receipt) -> str:
        if receipt.error is not None:
            return "failed: " + "\\n".join(reason(receipt.error).split("\n"))
        if receipt.to is None:
            return f"@{self.known.display(receipt.address)}"
        result = receipt.return_value
        return "ok" if result is None or result == b"" else self.show(result)
