"""What is said of a name that a contract uses and nobody declared: `self.sender`, `msg.sender`, a field that was forgotten.

Python's own words are read where a message has failed: whatever would catch such a name sooner makes every other one slower.
"""

from __future__ import annotations

import re
from typing import Final

_MESSAGE: Final = "the sender is self.caller, the wei sent along are self.value"
_BLOCK: Final = "the block is self.block, with number, timestamp and prevrandao"
_MEANT: Final = {
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


def _no_field(contract: str, name: str) -> str:
    """What to write in the place of `self.name`."""
    meant = _MEANT.get(name)
    return f"{contract} has no field '{name}': " + (
        f"declare '{name}: u64', or of another type, in the class" if meant is None else meant
    )


def explain(bug: BaseException, contract: str) -> str | None:
    """The sentence for an error that Python tells in its own words; None for any other error."""
    if isinstance(bug, AttributeError):
        # Not by __getattr__: a class that has one reads all its attributes more slowly.
        missing = getattr(type(bug.obj), "_missing", None)
        if missing is not None:
            said: str = missing(bug.obj, bug.name)
            return said
        found = _WRITTEN.match(str(bug))
        return _no_field(contract, found["name"]) if found and found["cls"] == contract else None
    if isinstance(bug, NameError) and bug.name in _MEANT:
        return f"there is no '{bug.name}' in a contract: {_MEANT[bug.name]}"
    return None
