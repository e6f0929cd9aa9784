"""Search the events of contracts by name and by field.

$ boardchain events --chain duel.chain --last 20
$ boardchain events PiecePlaced game_id=0 --contract Blokus --chain games.chain
$ boardchain events --follow --chain http://127.0.0.1:8545
"""

from __future__ import annotations

import json as coding
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import click

from chain.abi import field_name
from chain.abi.json_abi import JsonObject
from chain.cli import completion, lookup, options, output
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.event_source import AllEvents, EventSource
from chain.ledger.queries import Query
from chain.ledger.sql.export import event_objects
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY, Chain
from chain.types import Address
from chain.values.mismatch import ParseError

_ADDRESS: Final = re.compile("0x[0-9a-fA-F]{40}")
_PAUSE: Final = 0.3  # seconds between two polls of a chain that is followed


@click.command()
@click.argument("name", required=False, shell_complete=completion.events)
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option(
    "--contract", shell_complete=completion.contracts,
    help="Only those of this contract: a name or an address.",
)  # fmt: skip
@click.option("--from-block", type=click.IntRange(min=0), help="Leave out earlier blocks.")
@click.option("--to-block", type=click.IntRange(min=0), help="Leave out later blocks.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last N.")
@click.option("--hashes", is_flag=True, help="Show the hash of each transaction.")
@click.option("--follow", is_flag=True, help="Keep printing new ones, until Ctrl-C.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    name: str | None, fields: tuple[str, ...], contract: str | None, from_block: int | None, to_block: int | None,
    last: int | None, hashes: bool, follow: bool, where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List all events in order, or those called NAME with these values in their fields.

    Each has the position of its transaction, for 'boardchain trace'. With --follow and --json each is a line of JSON.
    """
    if follow and where == MEMORY:
        raise click.UsageError(
            "--follow: a chain in memory ends with the command: name one with --chain"
        )
    with options.open_chain(where, offered) as chain:
        by = None if contract is None else lookup.contract_address(chain, contract)

        def found(since: int) -> list[JsonObject]:
            lines = event_objects(chain.ledger, _positions(chain, name, fields, by))
            low, high = from_block or 0, math.inf if to_block is None else to_block
            return [
                line for line in lines if low <= line["block"] <= high and line["receipt"] >= since
            ]

        lines, printer = found(0), _Printer(chain, hashes=hashes, json=json)
        lines = lines[-(last or 0) :]
        if not follow:
            printer.table(lines)
            return
        printer.lines(lines)
        for since in _growth(chain):
            printer.lines(found(since))


def _growth(chain: Chain) -> Iterator[int]:
    """Yield, again and again, the number of receipts that were seen. It decreases if the chain is rolled back."""
    seen = len(chain.receipts)

    def cut(blocks: int, receipts: int) -> None:
        nonlocal seen
        if receipts < seen:
            output.remark("the chain was rolled back")
            seen = receipts

    chain.ledger.on_truncated.append(cut)
    for _ in pauses():
        count = len(chain.receipts)
        yield seen
        seen = count


def pauses() -> Iterator[None]:
    """Wait between two polls of the chain."""
    while True:
        time.sleep(_PAUSE)
        yield


class _Printer:
    """Prints events, with the names of accounts and contracts in place of addresses."""

    def __init__(self, chain: Chain, *, hashes: bool, json: bool) -> None:
        self._chain, self._hashes, self._json = chain, hashes, json

    def table(self, lines: list[JsonObject]) -> None:
        """Print all events at once."""
        if self._json:
            output.as_json([self._with_hash(line) for line in lines])
            return
        columns = (
            "position",
            "block",
            "event",
            "contract",
            "fields",
            *(["hash"] if self._hashes else []),
        )
        output.table(columns, map(self._row(), lines), json=False)

    def lines(self, lines: list[JsonObject]) -> None:
        """Print each event in a line."""
        row = self._row()
        for line in lines:
            if self._json:
                click.echo(coding.dumps(self._with_hash(line), ensure_ascii=False))
            else:
                click.echo("  ".join(map(str, row(line))))

    def _row(self) -> Callable[[JsonObject], tuple[object, ...]]:
        """Return a function that makes a row of an event."""
        who = AddressBook(self._chain.ledger)

        def row(line: JsonObject) -> tuple[object, ...]:
            fields = {name: _named(who, value) for name, value in line["fields"].items()}
            contract, shown = _named(who, line["address"]), output.inline_pairs(fields)
            hashes = [self._hash(line)] if self._hashes else []
            return line["receipt"], line["block"], line["event"], contract, shown, *hashes

        return row

    def _with_hash(self, line: JsonObject) -> JsonObject:
        return line | {"hash": self._hash(line)} if self._hashes else line

    def _hash(self, line: JsonObject) -> str:
        return f"0x{self._chain.ledger.receipts[line['receipt']].tx_hash.hex()}"


def _named(who: AddressBook, value: object) -> object:
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return who.name(bytes.fromhex(value[2:])) or value
    return value


def _positions(
    chain: Chain, name: str | None, fields: tuple[str, ...], by: Address | None
) -> Iterable[Sequence[int]]:
    """Return the places of these events."""
    if name is None:
        every: Query[object] = Query(AllEvents(chain.ledger.logs))
        return [row for row, _ in (every if by is None else every.by_contract(by)).found()]
    try:
        events = EventSource(chain.ledger.logs, name, by=by is not None)
    except TypeError as error:
        raise click.UsageError(str(error)) from None
    values, members = {}, events.fields
    for field in fields:
        key, equals, word = field.partition("=")
        key = field_name(key, members)
        if not equals or key not in members:
            raise click.UsageError(f"write the fields of {name} as FIELD=VALUE; they are {', '.join(members)}")  # fmt: skip
        try:
            values[key] = members[key].from_word(
                word, key, lambda text: lookup.address(chain, text)
            )
        except ParseError as error:
            raise click.UsageError(str(error)) from None
    query = Query(events).where(**values)
    return [row for row, _ in (query if by is None else query.by_contract(by)).found()]
