"""Complete commands, contracts, entries, events and accounts in a shell.

$ eval "$(boardchain completion bash)"    # in ~/.bashrc; zsh likewise
$ boardchain completion fish > ~/.config/fish/completions/boardchain.fish
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete the command line.

    The deployed contracts are read from the chain that --chain or BOARDCHAIN_CHAIN names.
    """
    completion = get_completion_class(shell)
    root = ctx.find_root()
    assert completion is not None and root.info_name is not None
    click.echo(completion(root.command, {}, root.info_name, "_BOARDCHAIN_COMPLETE").source())
