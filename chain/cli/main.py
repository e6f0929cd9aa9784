"""The command `boardchain`: finds the requested command, runs it, and reports an error in one sentence.

A command is a file in `chain.cli.commands`. To list the commands only their first lines are read, so `--help` imports none.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from chain.cli.error_report import report_error
from chain.errors import UndeclaredContract

_COMMANDS = Path(__file__).parent / "commands"


class Boardchain(click.Group):
    """A group whose commands are the files of a folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        files = sorted(_COMMANDS.glob("[a-z]*.py"))
        return [file.stem.replace("_", "-") for file in files]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"chain.cli.commands.{_file(cmd_name).stem}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (known := self.list_commands(ctx)):
            ctx.fail(f"there is no command '{args[0]}'; there are {', '.join(known)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(_file(name))) for name in self.list_commands(ctx)])

    def main(self, *args: Any, **named: Any) -> Any:
        try:
            code = super().main(*args, **{**named, "standalone_mode": False})
        except (Exception, UndeclaredContract) as error:
            code = report_error(error)
        sys.exit(code if isinstance(code, int) else 0)


def _file(name: str) -> Path:
    """Return the path of the module of a command."""
    return _COMMANDS / f"{name.replace('-', '_')}.py"


def _summary(file: Path) -> str:
    """Return the first line of the docstring of a command module, without its period."""
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        metadata = import_module("importlib.metadata")
        try:
            click.echo(f"boardchain {metadata.version('boardchain')}")
        except metadata.PackageNotFoundError:
            click.echo("boardchain, from a folder where it is not installed")
        ctx.exit()


@click.command(cls=Boardchain, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
def cli() -> None:
    """A local chain for games: Python contracts on a real Ethereum chain."""


def main() -> None:
    """Run the command line."""
    cli.main(prog_name="boardchain")
