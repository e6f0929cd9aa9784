"""One transaction: why it failed, the request, the outcome, and on demand its trace and a test that reproduces it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from starlette.requests import Request

from chain.abi import abi_name
from chain.explorer import page
from chain.explorer.board_pictures import BoardStep
from chain.explorer.distant_past import approach
from chain.explorer.page import Page, PageProblem
from chain.explorer.receipt_survey import BoardRecord
from chain.explorer.site import Site
from chain.explorer.source_excerpt import excerpt
from chain.explorer.test_export import written_test
from chain.foundation.dataclass import dataclass
from chain.ledger.decoded.writes import Write
from chain.ledger.logs import text_of
from chain.ledger.receipts import Receipt
from chain.machine.state import LogRow
from chain.pictures.markup import Markup

_MOST_BOARDS: Final = 2


@dataclass(frozen=True, slots=True)
class Emitted:
    """A log as it is shown: an event with its fields, a text, or bytes."""

    emitter: Markup | None  # if the transaction called another contract
    name: str | None
    fields: list[tuple[str, object]]
    text: str | None
    query: str | None = None  # the query name of its event type


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board before and after a transaction."""

    record: BoardRecord
    contract: str
    ply: int | None  # None if older transactions are still being read
    step: BoardStep


class TraceLine(NamedTuple):
    """A line of a trace: its depth, its type and its text."""

    depth: int
    kind: str
    text: str


async def transaction(site: Site, request: Request) -> Page:
    receipt = await find(site, request.path_params["which"])
    await site.survey.catch_up()
    failure = receipt.error
    data = {
        "receipt": receipt,
        "line": site.lines.line(receipt),
        "hash": f"0x{receipt.tx_hash.hex()}",
        "source": [] if failure is None else excerpt(failure, site.chain.machine.programs.values()),
        "declared": _declared_error(site, receipt),
        "arguments": _arguments(receipt),
        "result": receipt.return_value,
        "boards": await _boards(site, receipt),
        "emitted": _logs(site, receipt, receipt.log_rows),
        "undone_emitted": _logs(site, receipt, receipt.undone_log_rows),
        "writes": _writes(site, receipt.writes),
        "undone_writes": _writes(site, receipt.undone_writes),
        "trace": await _trace(site, receipt) if "trace" in request.query_params else None,
        "test": written_test(site.chain, receipt) if "test" in request.query_params else None,
        "last": len(site.ledger.receipts) - 1,
    }
    return Page("transaction.html", f"#{receipt.position} {data['line'].entry}", data, "/")


async def find(site: Site, which: str) -> Receipt:
    """Return the receipt with that position or hash."""
    receipts = site.chain.receipts
    if which.startswith("0x") and len(which) == 66:
        try:
            found = site.ledger.find(bytes.fromhex(which[2:]))
        except ValueError:
            found = None
        if found is None:
            raise PageProblem(f"There is no transaction {which} on this chain.")
        return found
    position = page.whole(which, "the number of a transaction")
    if position >= len(receipts):
        raise PageProblem(f"There is no transaction {position}: there are {len(receipts)}.")
    return receipts[position]


def _declared_error(site: Site, receipt: Receipt) -> object:
    return None if receipt.error is None else site.ledger.decode_error(receipt.error.data)


def _arguments(receipt: Receipt) -> list[tuple[str, str, object]]:
    entry, args = receipt.entry_spec, receipt.args
    kinds = {} if entry is None else {param.name: param.kind.name for param in entry.params}
    return [(abi_name(name), kinds.get(name, ""), value) for name, value in args.items()]


def _logs(site: Site, receipt: Receipt, rows: Sequence[LogRow]) -> list[Emitted]:
    return [emitted(site, row, receipt.address) for row in rows]


def emitted(site: Site, row: LogRow, called: bytes | None = None) -> Emitted:
    """Return a log as it is shown. `called` is the contract that need not be named."""
    emitter = None if row[0] == called else site.names.link(row[0])
    text, event = text_of(row), site.ledger.decode(row)
    if text is not None:
        return Emitted(emitter, None, [], text)
    if event is None:
        topics = [(f"topic {i}", f"{topic:#066x}") for i, topic in enumerate(row[1])]
        return Emitted(emitter, None, [*topics, ("data", row[2])], None)
    meaning = site.ledger.event_types.meaning(row)
    assert meaning is not None
    members = [member.name for member in meaning.spec.members]
    fields = [(abi_name(name), getattr(event, name, None)) for name in members]
    query = site.event_names.get(meaning.type.key)
    return Emitted(emitter, meaning.spec.name, fields, None, query)


def _writes(site: Site, writes: Iterable[Write]) -> list[tuple[str, Write]]:
    show = site.words.show
    return [(write.format_path(show), write) for write in writes]


async def _boards(site: Site, receipt: Receipt) -> list[BoardView]:
    """The boards that the transaction is about, before it and after it."""
    views = []
    for record in site.survey.boards_in(receipt)[:_MOST_BOARDS]:
        known = receipt.position < site.survey.done
        ply = bisect_left(record.positions, receipt.position) + 1 if known else None
        await approach(site.ledger)
        step = site.pictures.step(record, receipt)
        views.append(BoardView(record, site.names.display(record.address), ply, step))
    return views


async def _trace(site: Site, receipt: Receipt) -> list[TraceLine]:
    """The messages of the transaction with their steps, which is run again for it."""
    await approach(site.ledger)
    tree = await site.ask("chain_trace", [receipt.position])
    return [trace_line(line) for line in tree["text"].split("\n")]


def trace_line(line: str) -> TraceLine:
    words = line.lstrip(" ")
    first = words.partition(" ")[0]
    kind = first if first in ("reads", "writes", "emits") else "text" if first == "|" else "call"
    is_failed = kind == "call" and " failed: " in words
    return TraceLine(min((len(line) - len(words)) // 4, 12), "no" if is_failed else kind, words)
