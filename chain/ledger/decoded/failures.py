"""Failures in the words of their chain: a declared error with the names of its fields, and accounts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chain.abi.formatting import NamedStyle
from chain.abi.texts import has_reason
from chain.errors import Revert
from chain.ledger.decoded.address_book import AddressBook
from chain.ledger.logs import Decoding
from chain.machine.failure import Failure


def named_failure(ledger: Decoding, failure: Failure) -> Failure:
    """Return the failure with its error as people read it: `NotYourTurn(expected=alice)`."""
    error = declared_error(ledger, failure)
    if error is None:
        return failure
    return replace(failure, kind="error", text=NamedStyle(AddressBook(ledger).name).show(error))


def failure_text(ledger: Decoding, failure: Failure, show: Callable[[object], str]) -> str:
    """Return the reason in words; `show` is for a declared error."""
    error = declared_error(ledger, failure)
    return failure.text if error is None else show(error)


def declared_error(ledger: Decoding, failure: Failure) -> object:
    """Return the declared error behind a failure, also if bytecode or another contract raised it; None if there is none."""
    if failure.kind == "error" and isinstance(failure.cause, Revert):
        return failure.cause
    may_be = failure.kind in ("error", "revert") and not has_reason(failure.data)
    return ledger.decode_error(failure.data) if may_be else None
