"""What goes wrong, as a sentence on stderr and an exit code: 1 where the chain said no, 2 where the command was wrong.

Commands let errors pass; only here are they told. `BOARDCHAIN_DEBUG=1` shows the traceback as well.
"""

from __future__ import annotations

import os
import traceback

import click

from chain.errors import DeclarationError, InvalidTransaction, Reverted, Undeclared
from chain.where import Source, raised_at

NO, WRONG = 1, 2
_IN_PLAIN_WORDS = (
    *(ValueError, LookupError, TypeError, OSError),
    *(Reverted, InvalidTransaction, DeclarationError, Undeclared),
)


def told(wrong: BaseException) -> int:
    """Say on stderr what went wrong; the exit code for it."""
    if os.environ.get("BOARDCHAIN_DEBUG"):
        traceback.print_exception(wrong)
    if isinstance(wrong, click.exceptions.Abort):
        click.echo("stopped", err=True)
        return NO
    hint = ""
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        hint = f"\n(see '{wrong.ctx.command_path} --help')"
    click.echo(f"{click.style('boardchain', fg='red')}: {sentence(wrong)}{hint}", err=True)
    return wrong.exit_code if isinstance(wrong, click.ClickException) else NO


def sentence(wrong: BaseException) -> str:
    """What went wrong, without a traceback."""
    if isinstance(wrong, click.ClickException):
        text = wrong.format_message()
    elif isinstance(wrong, KeyError) and wrong.args:  # whose str() is a repr
        text = str(wrong.args[0])
    elif isinstance(wrong, OSError) and wrong.strerror and wrong.filename:
        text = f"{wrong.filename}: {wrong.strerror}"
    else:
        text = str(wrong)
    if isinstance(wrong, (click.ClickException, *_IN_PLAIN_WORDS)) and text:
        return text.rstrip(".")
    at = raised_at(wrong.__traceback__)
    is_theirs = at is not None and "site-packages" not in at[0]  # it is in a script or contract
    place = f", at {Source(*at)}" if at and is_theirs else ""
    return f"{type(wrong).__name__}: {text}{place} (BOARDCHAIN_DEBUG=1 shows more)"
