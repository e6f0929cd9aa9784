"""The journal of a deployment on one chain: a JSON file with a record for each step and each run.

Before a transaction is sent, its step is recorded as `sending`, with everything that is known about it; afterwards as `done`.
If the process is killed between the two, the next run finds out from the chain whether the transaction was made.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from chain.crypto.hashing import keccak
from chain.foundation.whole_file import write_whole
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import address_text, portable, to_hex
from chain.simulator.chain import Chain
from chain.types import Address

Record = dict[str, Any]

DONE: Final = "done"
SENDING: Final = "sending"
REMOVED: Final = "removed"  # done, but the script does not send it any more
REPLACED: Final = "replaced"  # a contract next to which a new version was deployed
RESUME: Final = "resume"  # its transaction or upgrade was made, but its record was not completed
_LONGEST: Final = 512  # bytes of data that are kept in full
_SENT: Final = ("address", "transaction", "block", "gas", "cost")
_BEFORE: Final = {"status", "what", "sender", "to", "data", "value"}
_AFTER: Final = _BEFORE | {*_SENT, "receipt"}


class BadJournal(ValueError):
    """A file of the journal cannot be read; the message says which."""


class Journal:
    """The records of a deployment on one chain, by step. Without a path they are kept in memory.

    `claimed` are the transactions of other scripts.
    """

    def __init__(
        self,
        path: Path | None = None,
        parameters: Mapping[str, str] | None = None,
        claimed: frozenset[str] = frozenset(),
    ) -> None:
        whole = {} if path is None else _load(path)
        self.path, self.claimed = path, claimed
        self.records: dict[str, Record] = whole.get("steps", {})
        self.sending: Record | None = whole.get("sending")  # the step that is being sent
        self.runs: list[Record] = whole.get("runs", [])
        self._run: Record = {
            "run": len(self.runs) + 1,
            "parameters": {**(parameters or {})},
            "did": [],
        }

    def draft(self) -> Journal:
        """Return a copy in memory."""
        draft = Journal(claimed=self.claimed)
        draft.records, draft.sending = self.records, self.sending
        return draft

    @property
    def known(self) -> frozenset[str]:
        """The transactions that belong to a step, of this script or another one."""
        return self.claimed | {record["transaction"] for record in self.records.values()}

    def keep(self, records: Mapping[str, Record], actions: Mapping[str, str] | None = None) -> None:
        """Write these records in place of all others. The actions that sent transactions, by step, become a part of the run."""
        if records == self.records and not actions:
            return
        for step, action in (actions or {}).items():
            transaction = latest(records[step])
            if not self._run["did"]:
                self.runs.append(self._run)
            self._run["did"].append(
                {"step": step, "action": action} | {key: transaction[key] for key in _SENT}
            )
        self._write({**records}, self.sending)

    def rename(self, names: Mapping[str, str]) -> None:
        """Give steps, by their former names, the present ones."""
        records = {names.get(name, name): record for name, record in self.records.items()}
        sending = self.sending and {
            **self.sending,
            "step": names.get(self.sending["step"], self.sending["step"]),
        }
        if (records, sending) != (self.records, self.sending):
            self._write(records, sending)

    def announce(self, step: str, record: Record) -> None:
        """Record that a step is about to be sent."""
        self._write(self.records, {"step": step, **record, "status": SENDING})

    def withdraw(self) -> None:
        """Remove the announcement of a step, which was refused."""
        self._write(self.records, None)

    def finish(self, receipt: Receipt, action: str) -> Record:
        """Complete the record of the step that was announced, and return it.

        If a contract was deployed next to an older one, the record of the older one is kept as `Bank@1`.
        """
        assert self.sending is not None
        record, after = done(self.sending, receipt), {**self.records}
        step = record.pop("step")
        if receipt.to is None and step in after:
            version = 1 + sum(name.startswith(f"{step}@") for name in after)
            after[f"{step}@{version}"] = {**after[step], "status": REPLACED}
        self.sending = None
        self.keep({**after, step: record}, {step: action})
        return record

    def recover(self, chain: Chain) -> str | None:
        """Drop the records whose transactions the chain has lost, and complete that of a step that a killed run sent.

        Return the name of that step.
        """
        records, sending = self.records, self.sending
        self.records = {
            name: record
            for name, record in records.items()
            if record["status"] == REPLACED or is_on_chain(chain, record)
        }
        receipt = None if sending is None else find(sending, chain, self.known)
        if sending is not None and receipt is not None:
            self.finish(receipt, RESUME)
            return str(sending["step"])
        if sending is not None or self.records != records:
            self.withdraw()
        return None

    def _write(self, records: dict[str, Record], sending: Record | None) -> None:
        self.records, self.sending = records, sending
        if self.path is not None:
            whole = {"steps": records, "sending": sending, "runs": self.runs}
            write_json(self.path, whole)


def unknown(chain: Chain, sender: Address, known: Collection[str]) -> Iterator[Receipt]:
    """Yield the receipts of a sender that belong to no step."""
    for receipt in chain.receipts.where(sender=sender, ok=True):
        if to_hex(receipt.tx_hash) not in known:
            yield receipt


def find(record: Record, chain: Chain, known: Collection[str] = ()) -> Receipt | None:
    """Return the first transaction that matches the announcement in a record, unless it is already known."""
    for receipt in unknown(chain, Address(record["sender"]), known):
        to = None if receipt.to is None else to_hex(receipt.to)
        made = to, data_text(receipt.data), receipt.value
        is_announced = made == (record["to"], record["data"], int(record["value"]))
        if is_announced and receipt.nonce >= record["nonce"]:
            return receipt
    return None


def sent(receipt: Receipt) -> Record:
    """Return the part of a record that describes a transaction."""
    return {
        "transaction": to_hex(receipt.tx_hash),
        "block": receipt.block_number,
        "receipt": receipt.position,
        "gas": receipt.gas_used,
        "cost": portable(receipt.gas_used * receipt.gas_price),
    }


def latest(record: Record) -> Record:
    """Return a record with the last transaction of its step, which may be an upgrade."""
    return {**record, **record.get("upgrade", {})}


def done(record: Record, receipt: Receipt) -> Record:
    """Return the record of a step after the transaction that it announces."""
    address = address_text(receipt.address)
    return {**record, "status": DONE, "address": address, "nonce": receipt.nonce, **sent(receipt)}


def is_on_chain(chain: Chain, record: Record) -> bool:
    """Return True if the chain has the transaction of a record, as it is recorded."""
    receipts, position = chain.receipts, record["receipt"]
    if not 0 <= position < len(receipts):
        return False
    receipt = receipts[position]
    return receipt.ok and to_hex(receipt.tx_hash) == record["transaction"]


def data_text(data: bytes) -> str:
    """Return data in the form of a record: in full, or as a hash if it is long."""
    return to_hex(data) if len(data) <= _LONGEST else f"keccak {to_hex(keccak(data))}"


def write_json(path: Path, value: object) -> None:
    """Write a JSON file completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{json.dumps(value, indent=2, ensure_ascii=False)}\n")


def read_json(path: Path) -> Any:
    """Return the value of a JSON file; None if there is no such file."""
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise BadJournal(
            f"{path} is not JSON: it was changed by hand; correct or remove it"
        ) from None


def _load(path: Path) -> dict[str, Any]:
    whole: dict[str, Any] | None = read_json(path)
    if whole is None:
        return {}
    steps = whole.get("steps") if isinstance(whole, dict) else None
    if not isinstance(steps, dict) or not isinstance(whole.get("runs"), list):
        raise BadJournal(f"{path} is not the journal of a deployment: correct or remove it")
    sending = {SENDING: whole["sending"]} if whole.get("sending") is not None else {}
    for step, record in {**steps, **sending}.items():
        needed = _BEFORE | {"step", "nonce"} if step in sending else _AFTER
        if not isinstance(record, dict) or not needed <= {*record}:
            raise BadJournal(
                f"{path}: the record of the step '{step}' is incomplete: correct or remove it"
            )
    return whole
