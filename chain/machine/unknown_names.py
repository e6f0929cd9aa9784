"""Error texts for undeclared names in a contract: `self.sender`, `msg.sender`, a forgotten field.

The name is read from Python's own message after a failure. Catching it earlier would slow down every other attribute access.
"""

from __future__ import annotations

import re
from typing import Final

_MESSAGE: Final = "the sender is self.caller, the wei sent along are self.value"
_BLOCK: Final = "the block is self.block, with number, timestamp and prevrandao"
_SUGGESTIONS: Final = {
    "sender": "the sender is self.caller",
    "msg": _MESSAGE,
    "tx": "who sent the transaction is self.origin",
    "now": "the time is self.block.timestamp",
    "timestamp": "the time is self.block.timestamp",
    "block": _BLOCK,
    "number": "the block's number is self.block.number",
    "storage": "an annotated name in the class is storage: 'count: u64' is self.count",
}
_WRITTEN: Final = re.compile(r"'(?P<cls>\w+)' object has no attribute '(?P<name>\w+)'")
_UNTYPED: Final = re.compile(r"'(?P<cls>\w+)' object attribute '(?P<name>\w+)' is read-only")
_FROZEN: Final = re.compile(r"cannot assign to field '(?P<name>\w+)'")


def _no_field(contract: str, name: str) -> str:
    """Return the error text for the unknown field `self.name`: what to write instead."""
    advice = _SUGGESTIONS.get(name)
    return f"{contract} has no field '{name}': " + (
        f"declare '{name}: u64', or of another type, in the class" if advice is None else advice
    )


def _no_attribute(text: str, contract: str) -> str | None:
    """Return our own text for Python's text about an attribute of the contract, an address or a struct."""
    if match := _WRITTEN.match(text):
        name = match["name"]
        if match["cls"] == "Address":
            return f"an Address has no '{name}': self.at(Contract, address).{name} is that of the contract there"
        return _no_field(contract, name) if match["cls"] == contract else None
    if (match := _UNTYPED.match(text)) and match["cls"] == contract:
        name = match["name"]
        return f"{contract}.{name} is not a field, because it has no type: declare '{name}: u64', or of another type"
    if match := _FROZEN.match(text):
        name = match["name"]
        return f"'{name}' of a value cannot be set: assign a changed copy, dataclasses.replace(value, {name}=…)"
    return None


def explain(bug: BaseException, contract: str) -> str | None:
    """Return our own text for an error about an unknown name; None for any other error."""
    if isinstance(bug, AttributeError):
        # Not done in __getattr__, because a class that has one reads all its attributes more slowly.
        missing = getattr(type(bug.obj), "_missing", None)
        if missing is not None:
            text: str = missing(bug.obj, bug.name)
            return text
        return _no_attribute(str(bug), contract)
    if isinstance(bug, NameError) and bug.name in _SUGGESTIONS:
        return f"there is no '{bug.name}' in a contract: {_SUGGESTIONS[bug.name]}"
    return None
