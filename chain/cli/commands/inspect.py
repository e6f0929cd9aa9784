"""How a contract lies in storage, and its models, entries, events."""

from __future__ import annotations

from collections.abc import Sequence

import click

from chain.cli import (
    options,
    output,
)
from chain.cli.arguments import usage
from chain.metering.program import program_of
from chain.simulator.catalogue import ContractCatalogue
from chain.spec.contracts import EntrySpec
from chain.spec.models import ModelSpec
from chain.spec.storage_report import (
    contract_layout_report,
    model_shape,
)


@click.command()
@click.argument("contract")
@options.contracts_option
@output.json_option
def command(contract: str, offered: ContractCatalogue, json: bool) -> None:
    """What CONTRACT consists of: storage layout, models, entries, events, errors."""
    cls = options.contract_named(offered, contract)
    spec = cls.__spec__
    entries = [*map(_entry, spec.entries.values())]
    found = {
        "contract": spec.name,
        "digest": program_of(cls).digest,
        "storage": [place._asdict() for place in contract_layout_report(spec)],
        "models": {name: _model(model) for name, model in spec.models.items()},
        "entries": [dict(zip(_ENTRY, entry, strict=True)) for entry in entries],
        "events": [each.signature for each in spec.events.values()],
        "errors": [each.signature for each in spec.errors.values()],
    }
    if json:
        output.as_json(found)
        return
    click.echo(f"{spec.name}, digest 0x{found['digest'].hex()}")
    _section("storage", _PLACE, _rows(contract_layout_report(spec)))
    for name, model in spec.models.items():
        keys = ", ".join(model.record.keys)
        _section(f"model {name}, by {keys}", _PLACE, _rows(model_shape(model)))
    _section("entries", _ENTRY, entries)
    _section("events", ("signature",), [(each,) for each in found["events"]])
    _section("errors", ("signature",), [(each,) for each in found["errors"]])


_PLACE = ("name", "type", "word", "offset", "bytes")
_ENTRY = ("kind", "name", "takes", "returns", "signature", "selector")


def _rows(places: Sequence[tuple[object, ...]]) -> list[list[object]]:
    """Places for people: what has no size of its own, as a Map, has none shown."""
    return [["" if each is None else each for each in place] for place in places]


def _model(model: ModelSpec) -> dict[str, object]:
    return {
        "keys": list(model.record.keys),
        "members": [place._asdict() for place in model_shape(model)],
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
