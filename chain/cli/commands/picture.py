"""Draw a board of a game as a picture.

$ boardchain picture Deblockle 0 --chain duel.chain --since 2 -o board.svg
"""

from __future__ import annotations

from pathlib import Path

import click

from chain.cli import completion, lookup, options, output
from chain.pictures import Boards, Picture, boards_of
from chain.simulator.catalogue import ContractCatalogue
from chain.simulator.chain import Chain
from chain.simulator.handle import Handle
from chain.values.mismatch import ParseError


@click.command()
@click.argument("game", shell_complete=completion.contracts)
@click.argument("board_id", metavar="[ID]", required=False)
@click.option("--block", type=int, help="The board at the end of this block.")
@click.option("--since", type=int, metavar="BLOCK", help="Outline what has changed since the end of this block.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to a file.")  # fmt: skip
@options.chain_option
@options.contracts_option
def command(
    game: str,
    board_id: str | None,
    block: int | None,
    since: int | None,
    out: Path | None,
    where: str,
    offered: ContractCatalogue,
) -> None:
    """Draw the board ID of the contract GAME as SVG, light or dark as the page that shows it.

    A contract with a single board needs no ID.
    """
    with options.open_chain(where, offered) as chain:
        handle = lookup.contract(chain, game)
        boards = boards_of(handle.contract)
        if boards is None:
            raise click.UsageError(
                f"{game} has no boards to show: a game has them in its picture.py"
            )
        number = _read_id(chain, handle, boards, board_id)
        drawn = _drawn(chain, handle, boards, number, block)
        if since is not None:
            drawn = drawn.since(_drawn(chain, handle, boards, number, since))
    svg = drawn.svg(dark=True)
    if out is None:
        click.echo(svg)
    else:
        out.write_text(svg, "utf-8")
        output.remark(f"{out}: {drawn.title}")


def _drawn(
    chain: Chain, handle: Handle, boards: Boards, board_id: object, block: int | None
) -> Picture:
    """Return the picture of a board now, or at the end of a block."""
    moment = handle if block is None else options.past(chain, block).handle(handle)
    try:
        return boards.picture(moment, board_id)
    except LookupError as error:
        raise click.UsageError(str(error)) from None


def _read_id(chain: Chain, handle: Handle, boards: Boards, word: str | None) -> object:
    """Read the id of a board, which has the type that the contract's entries declare."""
    contract = handle.contract.__name__
    if boards.key is None:
        if word is not None:
            raise click.UsageError(f"{contract} has a single board: leave out {word}")
        return None
    if word is None:
        raise click.UsageError(f"{contract} has many boards: name one by its {boards.key}")
    params = [
        param for entry in handle.contract.__spec__.entries.values() for param in entry.params
    ]
    param = next((param for param in params if param.name == boards.key), None)
    if param is None:
        raise click.UsageError(f"{contract} has no boards: no entry takes '{boards.key}'")  # fmt: skip
    try:
        return param.kind.from_word(word, param.name, lambda name: lookup.address(chain, name))
    except ParseError as error:
        raise click.UsageError(str(error)) from None
