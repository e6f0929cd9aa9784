"""What goes wrong, as a sentence on stderr and an exit code: 1 where the chain said no, 2 where the command was wrong.

Commands let errors pass; only here are they told. `BOARDCHAIN_DEBUG=1` shows the traceback as well.
"""

from __future__ import annotations

import os
import traceback

import click

from chain.errors import DeclarationError, InvalidTransaction, Reverted, UndeclaredContract
from chain.source.location import (
    Source,
    innermost_author_line,
)

NO = 1
_IN_PLAIN_WORDS = (
    *(ValueError, LookupError, TypeError, OSError),
    *(Reverted, InvalidTransaction, DeclarationError, UndeclaredContract),
)


def report_error(wrong: BaseException) -> int:
    """Say on stderr what went wrong; the exit code for it."""
    if os.environ.get("BOARDCHAIN_DEBUG"):
        traceback.print_exception(wrong)
    if isinstance(wrong, click.exceptions.Abort):
        click.echo("stopped", err=True)
        return NO
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):  # its message is the help
        click.echo(wrong.format_message(), err=True)
        return wrong.exit_code
    hint = ""
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        hint = f"\n(see '{wrong.ctx.command_path} --help')"
    click.echo(f"{click.style('boardchain', fg='red')}: {error_sentence(wrong)}{hint}", err=True)
    return wrong.exit_code if isinstance(wrong, click.ClickException) else NO


def error_sentence(wrong: BaseException) -> str:
    """What went wrong, without a traceback; where in a script, if it was one."""
    place = _place_of(wrong)
    if isinstance(wrong, click.ClickException):
        return wrong.format_message().rstrip(".")
    if isinstance(wrong, _IN_PLAIN_WORDS) and str(wrong) and not _is_raised_there(wrong, place):
        at = f", at {place}" if place else ""
        return f"{_words(wrong).rstrip('.')}{at}"
    if place is not None:
        return f"{type(wrong).__name__}: {wrong}, at {place}"
    return f"{type(wrong).__name__}: {wrong} (BOARDCHAIN_DEBUG=1 shows more)"


def _words(wrong: BaseException) -> str:
    if isinstance(wrong, KeyError) and wrong.args:  # whose str() is a repr
        return str(wrong.args[0])
    if isinstance(wrong, OSError) and wrong.strerror and wrong.filename:
        return f"{wrong.filename}: {wrong.strerror}"
    return str(wrong)


def _place_of(wrong: BaseException) -> Source | None:
    """The innermost line of a script or contract on the way to where it went wrong."""
    at = innermost_author_line(wrong.__traceback__)
    if at is None or "site-packages" in at[0]:
        return None
    return Source(*at)


def _is_raised_there(wrong: BaseException, place: Source | None) -> bool:
    """Whether Python itself complains of a line of theirs: its words need the kind of error beside them."""
    steps = [*traceback.walk_tb(wrong.__traceback__)]
    return place is not None and steps[-1][0].f_code.co_filename == place.file
