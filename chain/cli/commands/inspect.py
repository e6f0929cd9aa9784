"""A contract's storage layout, models, entries and events.

$ boardchain inspect Deblockle
$ boardchain inspect contracts.deblockle:Deblockle --json
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from chain.cli import completion, options, output
from chain.cli.arguments import usage
from chain.metering.program import program_of
from chain.simulator.catalogue import ContractCatalogue
from chain.spec.contracts import EntrySpec
from chain.spec.models import ModelSpec
from chain.spec.storage_report import contract_layout_report, model_shape


@click.command()
@click.argument("contract", shell_complete=completion.classes)
@options.contracts_option
@output.json_option
def command(contract: str, offered: ContractCatalogue, json: bool) -> None:
    """Show the parts of CONTRACT: storage layout, models, entries, events, errors."""
    cls = options.contract_named(offered, contract)
    spec = cls.__spec__
    entries = [*map(_entry, spec.entries.values())]
    facts = {
        "contract": spec.name,
        "digest": program_of(cls).digest,
        "storage": [slot._asdict() for slot in contract_layout_report(spec)],
        "models": {name: _model(model) for name, model in spec.models.items()},
        "entries": [dict(zip(_ENTRY, entry, strict=True)) for entry in entries],
        "events": [item.signature for item in spec.events.values()],
        "errors": [item.signature for item in spec.errors.values()],
    }
    if json:
        output.as_json(facts)
        return
    click.echo(f"{spec.name}, digest 0x{facts['digest'].hex()}")
    _section("storage", _LOCATION_COLUMNS, _rows(contract_layout_report(spec)))
    for name, model in spec.models.items():
        keys = ", ".join(model.record.keys)
        _section(f"model {name}, by {keys}", _LOCATION_COLUMNS, _rows(model_shape(model)))
    _section("entries", _ENTRY, entries)
    _section("events", ("signature",), [(item,) for item in facts["events"]])
    _section("errors", ("signature",), [(item,) for item in facts["errors"]])


_LOCATION_COLUMNS = ("name", "type", "word", "offset", "bytes")
_ENTRY = ("kind", "name", "arguments", "returns", "signature", "selector")


def _rows(places: Sequence[tuple[object, ...]]) -> list[list[object]]:
    """Return the rows of a table of storage. The size of a Map is left empty, because it has none."""
    return [["" if cell is None else cell for cell in slot] for slot in places]


def _model(model: ModelSpec) -> dict[str, object]:
    return {
        "keys": list(model.record.keys),
        "members": [slot._asdict() for slot in model_shape(model)],
    }


def _entry(entry: EntrySpec) -> tuple[str, ...]:
    returns = entry.returns.name if entry.returns else ""
    return (
        entry.kind, entry.name, usage(entry), returns, entry.signature, f"0x{entry.selector.hex()}"
    )  # fmt: skip


def _section(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if rows:
        click.echo(f"\n{click.style(title, bold=True)}")
        output.table(columns, rows, json=False)
