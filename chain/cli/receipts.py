"""Receipts as the command line shows them: a row, a short story, or everything."""

from __future__ import annotations

from collections.abc import Sequence

import click

from chain.cli import say
from chain.cli.wrong import NO
from chain.errors import Reverted
from chain.ledger.export import receipt_lines
from chain.ledger.receipts import Receipt
from chain.simulator import Chain
from chain.transcript import Transcript

_COLUMNS = ("place", "block", "sender", "what", "how", "gas")


def show(chain: Chain, receipts: Sequence[Receipt], *, json: bool) -> None:
    """A table of receipts."""
    if json:
        say.as_json(list(receipt_lines(chain.ledger, receipts)))
        return
    telling = Transcript(chain.ledger)
    rows = [
        (r.position, r.block_number, telling.show(r.sender), telling.what(r), telling.how(r), r.gas_used)
        for r in receipts
    ]  # fmt: skip
    say.table(_COLUMNS, rows, json=False)


def tell(receipt: Receipt, *, json: bool) -> None:
    """What came of a transaction that was just sent. One that failed is a no, in the exit code too."""
    if json:
        say.as_json(_line(receipt))
    else:
        for line in Transcript(receipt.ledger).lines(receipt):
            click.echo(line)
        say.note(f"transaction 0x{receipt.tx_hash.hex()}")
    if receipt.error is not None:
        if json:
            click.get_current_context().exit(NO)
        raise Reverted(receipt)


def details(chain: Chain, receipt: Receipt, *, json: bool) -> None:
    """All of a receipt: its story, its calls, what it wrote and what it wrote in vain."""
    writes = [str(write) for write in receipt.writes]
    undone = [str(write) for write in receipt.undone_writes]
    if json:
        say.as_json({**_line(receipt), "writes": writes, "undone_writes": undone})
        return
    for line in Transcript(chain.ledger).lines(receipt):
        click.echo(line)
    for title, lines in (("wrote", writes), ("wrote, and took back", undone)):
        if lines:
            click.echo(f"\n{click.style(title, bold=True)}")
            click.echo("\n".join(f"    {line}" for line in lines))
    click.echo(f"\ntransaction 0x{receipt.tx_hash.hex()}")


def _line(receipt: Receipt) -> dict[str, object]:
    return next(receipt_lines(receipt.ledger, [receipt]))
