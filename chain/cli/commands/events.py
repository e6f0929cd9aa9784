"""Search the events of contracts by name and by field."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from chain.abi import field_name
from chain.cli import lookup, options, output
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.queries import Query
from chain.ledger.sql.export import JsonObject, event_objects
from chain.ledger.sql.parse_values import ParseError, parse_word
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain
from chain.types import Address

_ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


@click.command()
@click.argument("name", required=False)
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option("--contract", help="Only those of that contract: a name or an address.")
@click.option("--from-block", type=click.IntRange(min=0), help="Not those of earlier blocks.")
@click.option("--to-block", type=click.IntRange(min=0), help="Not those of later blocks.")
@click.option("--last", type=click.IntRange(min=1), help="Only the last so many.")
@options.chain_option
@options.contracts_option
@output.json_option
def command(
    name: str | None, fields: tuple[str, ...], contract: str | None, from_block: int | None,
    to_block: int | None, last: int | None, where: str, offered: ContractCatalogue, json: bool,
) -> None:  # fmt: skip
    """List all events, or those called NAME with these values in their fields."""
    with options.open_chain(where, offered) as chain:
        ledger = chain.ledger
        by = None if contract is None else lookup.contract_address(chain, contract)
        positions: Iterable[int] = range(len(ledger.events.rows))
        if name is not None:
            positions = _position_columns(chain, name, fields, by)
        elif by is not None:
            positions = ledger.events.contract_finder(by)()
        lines = list(event_objects(ledger, positions))
        low, high = from_block or 0, ledger.blocks.head.number + 1 if to_block is None else to_block
        lines = [line for line in lines if low <= line["block"] <= high][-(last or 0) :]
        book = AddressBook(ledger)
        rows = [_row(book, line) for line in lines] if not json else []
    if json:
        output.as_json(lines)
    else:
        output.table(("block", "event", "contract", "fields"), rows, json=False)


def _row(who: AddressBook, line: JsonObject) -> tuple[object, ...]:
    """Return an event as a row of the table, with the names of accounts and contracts in place of addresses."""
    fields = {name: _named(who, value) for name, value in line["fields"].items()}
    return line["block"], line["event"], _named(who, line["address"]), output.inline_pairs(fields)


def _named(who: AddressBook, value: object) -> object:
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return who.name(bytes.fromhex(value[2:])) or value
    return value


def _position_columns(
    chain: Chain, name: str, fields: tuple[str, ...], by: Address | None
) -> Iterable[int]:
    """Return the positions of these events in the list of logs."""
    try:
        events = chain.ledger.events.of(name, by=by is not None)
    except TypeError as error:
        raise click.UsageError(str(error)) from None
    values, members = {}, events.fields
    for field in fields:
        key, equals, word = field.partition("=")
        key = field_name(key, members)
        if not equals or key not in members:
            raise click.UsageError(f"{name} is asked by FIELD=VALUE; its fields are {', '.join(members)}")  # fmt: skip
        try:
            values[key] = parse_word(
                members[key], word, key, lambda text: lookup.address(chain, text)
            )
        except ParseError as error:
            raise click.UsageError(str(error)) from None
    query = Query(events).where(**values)
    return [position for position, _ in (query if by is None else query.by_contract(by)).matches()]
