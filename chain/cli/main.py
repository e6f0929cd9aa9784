"""The command `boardchain`: finds the requested command, runs it, and reports an error in one sentence.

A command is a file in `chain.cli.commands`. To list the commands only their first lines are read, so `--help` imports none. The
lines of a file's docstring that begin with `$` are the examples in the help of its command.
"""

from __future__ import annotations

import ast
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from chain.cli.error_report import report_error
from chain.errors import UndeclaredContract

# New objects between two runs of Python's collector: to import and to open takes many, of which hardly any is garbage.
_BETWEEN_COLLECTIONS = 200_000
_COMMANDS = Path(__file__).parent / "commands"


class Boardchain(click.Group):
    """A group whose commands are the files of a folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        files = sorted(_COMMANDS.glob("[a-z]*.py"))
        return [file.stem.replace("_", "-") for file in files]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"chain.cli.commands.{_file(cmd_name).stem}")
        command: click.Command = module.command
        command.epilog = _examples(module.__doc__ or "")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin so, without importing any."""
        return [
            CompletionItem(name, help=_summary(_file(name)))
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in (known := self.list_commands(ctx)):
            near = get_close_matches(args[0], known)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
            ctx.fail(f"there is no command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(_file(name))) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # which click would report as an error of the command
            raise _PipeClosed from error

    def main(self, args: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        for stream in (sys.stdout, sys.stderr):  # a terminal may lack a character of a text
            with suppress(AttributeError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        try:
            code = super().main(words, *more, **{**named, "standalone_mode": False})
            sys.stdout.flush()
        except (_PipeClosed, BrokenPipeError):
            code = _end_of_pipe()
        except (Exception, UndeclaredContract) as error:
            code = report_error(error, json="--json" in words)
        sys.exit(code if isinstance(code, int) else 0)


class _PipeClosed(Exception):
    """The reader of the output has closed the pipe."""


def _end_of_pipe() -> int:
    """End quietly, as programs do when the reader closes the pipe, and return the usual exit code."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + 13  # SIGPIPE


def _file(name: str) -> Path:
    """Return the path of the module of a command."""
    return _COMMANDS / f"{name.replace('-', '_')}.py"


def _summary(file: Path) -> str:
    """Return the first line of the docstring of a command module, without its period."""
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def _examples(docstring: str) -> str | None:
    """Return the lines of a docstring that begin with `$` under a title, for the end of a help."""
    lines = [f"  {line[2:]}" for line in docstring.split("\n") if line.startswith("$ ")]
    return "\n".join(["\b", "Examples:", *lines]) if lines else None


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        metadata = import_module("importlib.metadata")
        try:
            version = f" {metadata.version('boardchain')}"
        except metadata.PackageNotFoundError:
            version = ", run from a source folder"
        click.echo(f"boardchain{version}")
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
    gc.set_threshold(_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    cli.main(prog_name="boardchain")
