"""Errors, as one sentence on stderr and an exit code: 1 if the chain refused, 2 if the command was wrong, 130 after Ctrl-C.

With `--json` the sentence is in a JSON object, `{"error": "…", "exit_code": 2}`.

Commands let errors pass; they are reported only here. `BOARDCHAIN_DEBUG=1` shows the traceback as well.
"""

from __future__ import annotations

import json as coding
import os
import traceback

import click

from chain.errors import DeclarationError, InvalidTransaction, Reverted, UndeclaredContract
from chain.source.failure_line import innermost_author_line
from chain.source.location import Source

NO = 1
_STOPPED = 128 + 2  # SIGINT
_IN_PLAIN_WORDS = (
    *(ValueError, LookupError, TypeError, OSError),
    *(Reverted, InvalidTransaction, DeclarationError, UndeclaredContract),
)


def report_error(wrong: BaseException, *, json: bool = False) -> int:
    """Report an error on stderr and return the exit code for it."""
    if os.environ.get("BOARDCHAIN_DEBUG"):
        traceback.print_exception(wrong)
    if isinstance(wrong, click.exceptions.Abort):
        is_stopped = isinstance(wrong.__cause__, KeyboardInterrupt)
        return _tell("stopped", _STOPPED if is_stopped else NO, json=json)
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):  # its message is the help
        click.echo(wrong.format_message(), err=True)
        return wrong.exit_code
    hint = ""
    if isinstance(wrong, click.UsageError) and wrong.ctx is not None:
        hint = f"\n(see '{wrong.ctx.command_path} --help')"
    code = wrong.exit_code if isinstance(wrong, click.ClickException) else NO
    sentence = error_sentence(wrong)
    if json:
        return _tell(sentence, code, json=True)
    return _tell(f"{click.style('boardchain', fg='red')}: {sentence}{hint}", code)


def _tell(text: str, code: int, *, json: bool = False) -> int:
    """Print an error and return its exit code."""
    error = {"error": text, "exit_code": code}
    click.echo(coding.dumps(error, ensure_ascii=False) if json else text, err=True)
    return code


def error_sentence(wrong: BaseException) -> str:
    """Return one sentence about an error, without a traceback but with the line of the script it comes from, if any."""
    location = _location_of(wrong)
    if isinstance(wrong, click.ClickException):
        return wrong.format_message().rstrip(".")
    if isinstance(wrong, DeclarationError):
        return str(wrong)  # each finding in it has its line
    if isinstance(wrong, _IN_PLAIN_WORDS) and str(wrong) and not _is_raised_there(wrong, location):
        at = f", at {location}" if location else ""
        return f"{_message(wrong).rstrip('.')}{at}"
    if location is not None:
        return f"{type(wrong).__name__}: {wrong}, at {location}"
    return f"{type(wrong).__name__}: {wrong} (BOARDCHAIN_DEBUG=1 shows more)"


def _message(wrong: BaseException) -> str:
    if isinstance(wrong, KeyError) and wrong.args:  # whose str() is a repr
        return str(wrong.args[0])
    if isinstance(wrong, OSError) and wrong.strerror and wrong.filename:
        return f"{wrong.filename}: {wrong.strerror}"
    return str(wrong)


def _location_of(wrong: BaseException) -> Source | None:
    """Return the innermost line of a script or contract in the traceback."""
    line = innermost_author_line(wrong.__traceback__)
    if line is None or "site-packages" in line[0]:
        return None
    return Source(*line)


def _is_raised_there(wrong: BaseException, place: Source | None) -> bool:
    """Return True if Python itself raised the error at that line. Its message then needs the type of the error."""
    frames = [*traceback.walk_tb(wrong.__traceback__)]
    return place is not None and frames[-1][0].f_code.co_filename == place.file
