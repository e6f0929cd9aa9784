"""Completes a journal from the chain: finds the transactions that a killed run sent, and drops those that the chain has
lost."""

from __future__ import annotations

from collections.abc import Mapping

from chain.deployment.journal import (
    REPLACED,
    SENDING,
    Record,
    data_text,
    done,
    is_on_chain,
    without,
)
from chain.ledger.artifacts import artifact_of
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import to_hex
from chain.metering.program import Program, parse_initcode
from chain.simulator.chain import Chain
from chain.types import Address


def recover(
    records: Mapping[str, Record], chain: Chain, claimed: frozenset[str]
) -> tuple[dict[str, Record], frozenset[str]]:
    """Return the records whose transactions are on the chain, and the transactions that had no complete record.

    `claimed` are the transactions of other plans.
    """
    known = claimed | {each["transaction"] for each in records.values() if "transaction" in each}
    resumed: frozenset[str] = frozenset()
    whole = dict(records)
    for name, record in records.items():
        if record["status"] != SENDING:
            continue
        receipt = find(record, chain, known | resumed)
        if receipt is None:
            whole = without(whole, name)
        else:
            whole = done(whole, name, receipt)
            resumed |= {to_hex(receipt.tx_hash)}
    on_chain = {
        name: record
        for name, record in whole.items()
        if record["status"] == REPLACED or is_on_chain(chain, record)
    }
    return on_chain, resumed


def find(record: Record, chain: Chain, known: frozenset[str]) -> Receipt | None:
    """Return the first transaction that matches the announcement in a record, unless it is already known."""

    def is_announced(receipt: Receipt) -> bool:
        to = None if receipt.to is None else to_hex(receipt.to)
        return (
            receipt.nonce >= record["nonce"]
            and (to, data_text(receipt.data)) == (record["to"], record["data"])
            and receipt.value == int(record["value"])
            and to_hex(receipt.tx_hash) not in known
        )

    made = chain.receipts.where(is_announced, sender=Address(record["sender"]), ok=True)
    return made.first()


def find_version(
    record: Record, program: Program, args: bytes, chain: Chain, known: frozenset[str]
) -> tuple[Receipt, bytes] | None:
    """Return the first deployment of another version of a contract, with the digest of that.

    It has the same class name, arguments, sender and value, and was upgraded since, or is to be.
    """
    name = artifact_of(program).name
    made = chain.receipts.where(sender=Address(record["sender"]), ok=True)
    for receipt in made:
        parsed = None if receipt.to is not None else parse_initcode(receipt.data)
        if parsed is None or parsed[1] != args or receipt.value != int(record["value"]):
            continue
        artifact = chain.ledger.artifacts.get(parsed[0])
        is_known = to_hex(receipt.tx_hash) in known
        if artifact and artifact.name == name and not is_known:
            return receipt, parsed[0]
    return None
