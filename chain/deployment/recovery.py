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
from chain.ledger.receipts import Receipt
from chain.ledger.sql.json_values import to_hex
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
