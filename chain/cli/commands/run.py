"""Run a script on a chain.

$ boardchain run scripts/play_deblockle.py --chain duel.chain
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from chain.cli import options
from chain.cli.script_loader import loaded, takes_chain
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import MEMORY


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@options.chain_option
@options.contracts_option
def command(script: Path, args: tuple[str, ...], where: str, offered: ContractCatalogue) -> None:
    """Run main(chain) of SCRIPT on the chain. ARGS are passed in sys.argv. Options of the script go after --."""
    main = getattr(loaded(script), "main", None)
    if not callable(main):
        raise click.UsageError(
            f"{script} has no main(chain), which is the function to run: write one"
        )
    is_given = takes_chain(main)
    if not is_given and where != MEMORY:
        raise click.UsageError(f"main() of {script} creates its own chain: write main(chain)")
    sys.argv = [str(script), *args]
    if not is_given:
        main()
        return
    with options.open_chain(where, offered, make=True) as chain:
        main(chain)
