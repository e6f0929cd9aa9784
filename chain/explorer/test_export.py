"""A transaction as a test: everything up to it as a transcript, which is checked on a new chain before it is offered."""

from __future__ import annotations

import re
from typing import Final

from chain.foundation.dataclass import dataclass
from chain.ledger.receipts import Receipt
from chain.replays import record, replay
from chain.runtime.contract import Contract
from chain.simulator.chain import Chain

LONGEST: Final = 300  # transactions that a test plays


@dataclass(frozen=True, slots=True)
class WrittenTest:
    """The text of a test file that passes, or the reason why there is none."""

    text: str | None
    why: str = ""


def written_test(chain: Chain, receipt: Receipt) -> WrittenTest:
    """Write the test that plays a chain up to the end of a receipt's block, and run it."""
    count = receipt.position + 1
    if count > LONGEST:
        return WrittenTest(
            None, f"It depends on {count} transactions: a test plays at most {LONGEST}."
        )
    if chain.ledger.open is not None and chain.ledger.open.number == receipt.block_number:
        return WrittenTest(None, "Its block is not closed yet.")
    try:
        then = chain.fork(at=receipt.block_number)
        transcript, classes = record(then), _classes(then)
        difference = replay(transcript, contracts=classes).difference
    except Exception as error:  # of the contracts' own code, too
        return WrittenTest(None, f"It runs differently the second time: {error}")
    if difference is not None:
        return WrittenTest(None, f"It runs differently the second time: {difference}")
    hidden = next((cls for cls in classes if "." in cls.__qualname__), None)
    if hidden is not None:
        return WrittenTest(
            None, f"{hidden.__qualname__} cannot be imported: it is not at the top of a module."
        )
    return WrittenTest(_file(receipt, transcript, classes))


def _classes(chain: Chain) -> list[type[Contract]]:
    """Return the classes of the contracts that take part."""
    programs = chain.machine.programs
    digests = dict.fromkeys(creation.digest for creation in chain.ledger.creations.rows)
    return [programs[digest].spec.cls for digest in digests if digest in programs]


def _file(receipt: Receipt, transcript: str, classes: list[type[Contract]]) -> str:
    name = re.sub(r"\W+", "_", "_".join(filter(None, (receipt.contract, receipt.entry)))).lower()
    imports = sorted(f"from {cls.__module__} import {cls.__name__}\n" for cls in classes)
    names = ", ".join(cls.__name__ for cls in classes)
    return (
        f'"""Transaction {receipt.position} of a chain, with all that led to it."""\n\n'
        f"from chain.replays import replay\n{''.join(imports)}\n"
        f'TRANSCRIPT = r"""{transcript}"""\n\n\n'  # no three quotes follow each other in JSON
        f"def test_{name or 'transaction'}_{receipt.position}() -> None:\n"
        f"    played = replay(TRANSCRIPT, contracts=[{names}])\n"
        "    assert played.difference is None, played.difference\n"
    )
