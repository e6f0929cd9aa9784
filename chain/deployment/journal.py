"""The journal of a plan on one chain: a JSON file with a record for each step and each run.

Before a transaction is sent, its step is recorded as `sending`, with everything that is known about it; afterwards as `done`.
If the process is killed between the two, the next run finds out from the chain whether the transaction was made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from chain.crypto.hashing import keccak
from chain.foundation.whole_file import write_whole
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import address_text, portable, to_hex
from chain.simulator.chain import Chain

Record = dict[str, Any]

DONE: Final = "done"
SENDING: Final = "sending"
REMOVED: Final = "removed"  # done, but its step is no longer in the plan
REPLACED: Final = "replaced"  # a contract next to which a new version was deployed
_LONGEST: Final = 512  # bytes of data that are kept in full


class BadJournal(ValueError):
    """A file of the journal cannot be read; the message says which."""


class Journal:
    """The records of a plan on one chain, by step. Without a path they are kept in memory."""

    def __init__(
        self, path: Path | None = None, parameters: Mapping[str, str] | None = None
    ) -> None:
        self.path = path
        whole = {} if path is None else _load(path)
        self.records: dict[str, Record] = whole.get("steps", {})
        self.runs: list[Record] = whole.get("runs", [])
        self._run: Record = {
            "run": len(self.runs) + 1,
            "parameters": {**(parameters or {})},
            "did": [],
        }

    def draft(self, more: Mapping[str, Record] | None = None) -> Journal:
        """Return a copy in memory, with more records."""
        draft = Journal()
        draft.records = deepcopy({**self.records, **(more or {})})
        return draft

    def read(self, step: str) -> Record | None:
        """Return the record of a step; None if there is none."""
        return self.records.get(step)

    def write(self, step: str, record: Record) -> None:
        """Write the record of a step."""
        self.keep({**self.records, step: record})

    def keep(self, records: dict[str, Record], actions: Mapping[str, str] | None = None) -> None:
        """Write these records in place of all others. The actions that sent transactions, by step, become a part of the run."""
        if records == self.records and not actions:
            return
        for step, action in (actions or {}).items():
            transaction = {**records[step], **records[step].get("upgrade", {})}
            if not self._run["did"]:
                self.runs.append(self._run)
            self._run["did"].append(
                {"step": step, "action": action} | {key: transaction[key] for key in _SENT}
            )
        self.records = records
        if self.path is not None:
            write_json(self.path, {"steps": self.records, "runs": self.runs})


_SENT: Final = ("address", "transaction", "block", "gas", "cost")


def sent(receipt: Receipt) -> Record:
    """Return the part of a record that describes a transaction."""
    return {
        "transaction": to_hex(receipt.tx_hash),
        "block": receipt.block_number,
        "receipt": receipt.position,
        "gas": receipt.gas_used,
        "cost": portable(receipt.gas_used * receipt.gas_price),
    }


def done(records: Mapping[str, Record], step: str, receipt: Receipt) -> dict[str, Record]:
    """Return the records after the transaction that one of them announces.

    If a contract was deployed next to an older one, the record of the older one is kept as `Bank@1`.
    """
    known = {name: value for name, value in records[step].items() if name != "was"}
    outcome = {
        "address": address_text(receipt.address),
        "nonce": receipt.nonce,
        **sent(receipt),
    }
    after = {**records, step: {**known, "status": DONE, **outcome}}
    was = records[step].get("was")
    if was is not None and receipt.to is None:
        after[f"{step}@{was.get('version', 1)}"] = {**was, "status": REPLACED}
    return after


def without(records: Mapping[str, Record], step: str) -> dict[str, Record]:
    """Return the records without the transaction that one of them announces."""
    was = records[step].get("was")
    others = {name: record for name, record in records.items() if name != step}
    return others if was is None else {**records, step: was}


def is_on_chain(chain: Chain, record: Record) -> bool:
    """True if the chain has the transaction of a record, as it is recorded."""
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
    whole: dict[str, object] | None = read_json(path)
    if whole is None:
        return {}
    steps = whole.get("steps") if isinstance(whole, dict) else None
    if not isinstance(steps, dict) or not isinstance(whole.get("runs"), list):
        raise BadJournal(f"{path} is not the journal of a plan: correct or remove it")
    for step, record in steps.items():
        needed = _NEEDED.get(str(record.get("status"))) if isinstance(record, dict) else None
        if needed is None or not needed <= {*record}:
            raise BadJournal(
                f"{path}: the record of the step '{step}' is incomplete: correct or remove it"
            )
    return whole


_BEFORE = {"what", "target", "sender", "to", "data", "value"}
_AFTER = _BEFORE | {"address", "transaction", "block", "receipt", "gas", "cost"}
_NEEDED: Final = {SENDING: _BEFORE | {"nonce"}, DONE: _AFTER, REMOVED: _AFTER, REPLACED: _AFTER}
