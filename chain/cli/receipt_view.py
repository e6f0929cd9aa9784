"""Receipts as the command line shows them: as a row, as a few lines, or in full."""

from __future__ import annotations

from collections.abc import Sequence

import click

from chain.cli import output
from chain.cli.error_report import NO
from chain.errors import Reverted
from chain.ledger.decoded.activity import ActivityFormatter
from chain.ledger.decoded.json_objects import JsonObjects
from chain.ledger.receipts import Receipt
from chain.simulator.chain import Chain

_COLUMNS = ("position", "block", "sender", "call", "outcome", "gas")


def show(chain: Chain, receipts: Sequence[Receipt], *, json: bool, hashes: bool = False) -> None:
    """Print a table of receipts."""
    if json:
        shape = JsonObjects(chain.ledger)
        output.as_json([shape.receipt(receipt, hashed=hashes) for receipt in receipts])
        return
    formatter = ActivityFormatter(chain.ledger)
    rows = [
        (receipt.position, receipt.block_number, formatter.show(receipt.sender),
         formatter.format_call(receipt), formatter.format_outcome(receipt), receipt.gas_used,
         *([f"0x{receipt.tx_hash.hex()}"] if hashes else []))
        for receipt in receipts
    ]  # fmt: skip
    output.table((*_COLUMNS, "hash") if hashes else _COLUMNS, rows, json=False)


def report(receipt: Receipt, *, json: bool) -> None:
    """Print the receipt of a transaction that was just sent. A failed transaction sets the exit code too."""
    if json:
        output.as_json(receipt.as_dict())
    else:
        for line in ActivityFormatter(receipt.ledger).format_receipt(receipt):
            click.echo(line)
        output.remark(f"transaction 0x{receipt.tx_hash.hex()}")
    if receipt.error is not None:
        if json:
            click.get_current_context().exit(NO)
        raise Reverted(receipt)


def details(chain: Chain, receipt: Receipt, *, json: bool) -> None:
    """Print a receipt in full: its first line, and the tree of its messages with their reads, writes and logs."""
    tree = str(receipt.trace).split("\n")
    if json:
        output.as_json(receipt.as_dict() | {"trace": tree})
        return
    click.echo(next(ActivityFormatter(chain.ledger).format_receipt(receipt)))
    click.echo("\n".join(["", *tree, "", f"transaction 0x{receipt.tx_hash.hex()}"]))
