"""Receipts as the command line shows them: a row, a short story, or everything."""

from __future__ import annotations

from collections.abc import Sequence

import click

from chain.cli import output
from chain.cli.error_report import NO
from chain.errors import Reverted
from chain.ledger.decoded.activity import Transcript
from chain.ledger.receipts import Receipt
from chain.ledger.sql.export import receipt_objects
from chain.simulator.chain import Chain

_COLUMNS = ("place", "block", "sender", "what", "how", "gas")


def show(chain: Chain, receipts: Sequence[Receipt], *, json: bool) -> None:
    """A table of receipts."""
    if json:
        output.as_json(list(receipt_objects(chain.ledger, receipts)))
        return
    telling = Transcript(chain.ledger)
    rows = [
        (r.position, r.block_number, telling.show(r.sender), telling.format_call(r), telling.format_outcome(r), r.gas_used)
        for r in receipts
    ]  # fmt: skip
    output.table(_COLUMNS, rows, json=False)


def tell(receipt: Receipt, *, json: bool) -> None:
    """What came of a transaction that was just sent. One that failed is a no, in the exit code too."""
    if json:
        output.as_json(_line(receipt))
    else:
        for line in Transcript(receipt.ledger).format_receipt(receipt):
            click.echo(line)
        output.remark(f"transaction 0x{receipt.tx_hash.hex()}")
    if receipt.error is not None:
        if json:
            click.get_current_context().exit(NO)
        raise Reverted(receipt)


def details(chain: Chain, receipt: Receipt, *, json: bool) -> None:
    """All of a receipt: its story, and the tree of its messages with what each read, wrote and said."""
    tree = str(receipt.trace).split("\n")
    if json:
        writes = {"writes": receipt.writes, "undone_writes": receipt.undone_writes}
        told = {name: [str(write) for write in found] for name, found in writes.items()}
        output.as_json({**_line(receipt), **told, "trace": tree})
        return
    click.echo(next(Transcript(chain.ledger).format_receipt(receipt)))
    click.echo("\n".join(["", *tree, "", f"transaction 0x{receipt.tx_hash.hex()}"]))


def _line(receipt: Receipt) -> dict[str, object]:
    return next(receipt_objects(receipt.ledger, [receipt]))
