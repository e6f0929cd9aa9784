"""The ABI of a contract, as JSON or TypeScript.

$ boardchain abi Deblockle
$ boardchain abi Deblockle --typescript --out deblockle.ts
"""

from __future__ import annotations

import json as coding
from pathlib import Path

import click

from chain.cli import completion
from chain.cli.options import contract_named, contracts_option
from chain.simulator.catalogue import ContractCatalogue


@click.command()
@click.argument("contract", shell_complete=completion.classes)
@click.option("--typescript", "--ts", is_flag=True, help="A TypeScript module, with 'as const'.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to a file.")
@click.option("--json", "_json", is_flag=True, help="Print JSON, which is the default.")
@contracts_option
def command(
    contract: str, typescript: bool, out: Path | None, _json: bool, offered: ContractCatalogue
) -> None:
    """Print the ABI of CONTRACT: the name of a class, or package:Class."""
    if typescript and _json:
        raise click.UsageError("use either --json or --typescript")
    cls = contract_named(offered, contract)
    text = coding.dumps(cls.__spec__.abi, indent=2, ensure_ascii=False)
    if typescript:
        name = f"{cls.__name__[0].lower()}{cls.__name__[1:]}Abi"
        text = f"export const {name} = {text} as const;"
    if out is None:
        click.echo(text)
    else:
        out.write_text(f"{text}\n", "utf-8")
