"""Search the events of contracts by name and by field.

$ boardchain events --chain duel.chain --last 20
$ boardchain events PiecePlaced game_id=0 --contract Blokus --chain games.chain
$ boardchain events Contested 'points>=12' --since 2026-01-31 --chain duel.chain
$ boardchain events --account first.testnet --chain duel.chain
$ boardchain events --follow --chain http://127.0.0.1:8545
"""

from __future__ import annotations

import json as coding
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import click

from chain.abi import field_name
from chain.abi.json_abi import JsonObject
from chain.cli import completion, lookup, options, output
from chain.cli.log_filter import LogFilter, log_filter_options
from chain.ledger.comparisons import at_least, at_most, containing
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.decoded.json_objects import JsonObjects
from chain.ledger.event_source import AllEvents, EventSource
from chain.ledger.queries import Query
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY, Chain
from chain.values import ValueType
from chain.values.mismatch import ParseError

_ADDRESS: Final = re.compile("0x[0-9a-fA-F]{40}")
_CONDITION: Final = re.compile(r"(\w*)(>=|<=|=|~|)(.*)", re.DOTALL)
_SIGNS: Final = {">=": at_least, "<=": at_most}
_PAUSE: Final = 0.3  # seconds between two polls of a chain that is followed


@click.command()
@click.argument("name", required=False, shell_complete=completion.events)
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@log_filter_options
@click.option("--last", type=click.IntRange(min=1), help="Only the last N.")
@click.option("--hashes", is_flag=True, help="Show the hash of each transaction.")
@click.option("--follow", is_flag=True, help="Keep printing new ones, until Ctrl-C.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    name: str | None, fields: tuple[str, ...], filter: LogFilter, last: int | None, hashes: bool, follow: bool, where: str,
    offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List all events in order, or those called NAME with these values in their fields.

    'FIELD>=VALUE' and 'FIELD<=VALUE' compare numbers, FIELD~TEXT finds a part of a text. For other questions, such as sums,
    there is 'boardchain sql'.

    Each has the position of its transaction, for 'boardchain trace'. With --follow and --json each is a line of JSON.
    """
    if follow and where == MEMORY:
        raise click.UsageError(
            "--follow: a chain in memory ends with the command: name one with --chain"
        )
    with options.open_chain(where, offered) as chain:

        def found(since: int) -> list[JsonObject]:
            named = _named(chain, name, fields, by=filter.contract is not None)
            shape, receipts = JsonObjects(chain.ledger), chain.ledger.receipts
            return [
                shape.event(receipts[n], place, index, hashed=hashes)
                for (place, n, index), _ in filter.narrowed(chain, named).found()
                if n >= since
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
            fields = {name: _shown(who, value) for name, value in line["fields"].items()}
            contract, shown = _shown(who, line["address"]), output.inline_pairs(fields)
            hashes = [self._hash(line)] if self._hashes else []
            return line["receipt"], line["block"], line["event"], contract, shown, *hashes

        return row

    def _with_hash(self, line: JsonObject) -> JsonObject:
        return line | {"hash": self._hash(line)} if self._hashes else line

    def _hash(self, line: JsonObject) -> str:
        return f"0x{self._chain.ledger.receipts[line['receipt']].tx_hash.hex()}"


def _shown(who: AddressBook, value: object) -> object:
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return who.name(bytes.fromhex(value[2:])) or value
    return value


def _named(chain: Chain, name: str | None, fields: tuple[str, ...], by: bool) -> Query[object]:
    """Return the query for the events of this name, or for all; with `by`, a contract decides between those of one name."""
    if name is None:
        return Query(AllEvents(chain.ledger.logs))
    try:
        events = EventSource(chain.ledger.logs, name, by=by)
        query: Query[object] = Query(events)
        for field in fields:
            query = query.where(**_condition(chain, events.fields, name, field))
    except (TypeError, ParseError) as error:
        raise click.UsageError(str(error)) from None
    return query


def _condition(
    chain: Chain, members: Mapping[str, ValueType], name: str, field: str
) -> dict[str, object]:
    """Return a condition as `where` takes it."""
    key, sign, word = _CONDITION.findall(field)[0]
    key = field_name(key, members)
    if not sign or key not in members:
        known = ", ".join(members)
        raise click.UsageError(f"write the fields of {name} as FIELD=VALUE; they are {known}")
    if sign == "~":
        return {key: containing(word)}
    value = members[key].from_word(word, key, lambda text: lookup.address(chain, text))
    return {key: value if sign == "=" else _SIGNS[sign](value)}
