"""Boardchain: a local chain for games. These are the names that contracts, scripts and tests use.

Each is imported on first use, so that a tool such as the pytest plugin can import the package without the engine.
"""

from __future__ import annotations

import atexit
import gc
from typing import TYPE_CHECKING, Final

from chain.foundation.late_imports import late_names

if TYPE_CHECKING:
    from chain.crypto.accounts import Account
    from chain.crypto.hashing import keccak
    from chain.errors import (
        DeclarationError,
        InvalidTransaction,
        LimitExceeded,
        Revert,
        Reverted,
        require,
    )
    from chain.ledger.bytecode_classes import compiled
    from chain.ledger.comparisons import at_least, at_most, containing, one_of
    from chain.runtime.contract import Contract
    from chain.runtime.system import System
    from chain.runtime.world import World
    from chain.simulator.chain import Chain
    from chain.simulator.handle import Handle
    from chain.spec.decorators import call, error, event, init, model, view
    from chain.storage.collections import IterableMap, Map, Set, Vector
    from chain.testing import assert_events, reverts
    from chain.types import Address, Key

_HOMES: Final = {
    "runtime.contract": ("Contract",),
    "spec.decorators": ("call", "error", "event", "init", "model", "view"),
    "errors": (
        "DeclarationError",
        "InvalidTransaction",
        "LimitExceeded",
        "Revert",
        "Reverted",
        "require",
    ),
    "storage.collections": ("IterableMap", "Map", "Set", "Vector"),
    "crypto.accounts": ("Account",),
    "crypto.hashing": ("keccak",),
    "simulator.chain": ("Chain",),
    "simulator.handle": ("Handle",),
    "ledger.bytecode_classes": ("compiled",),
    "ledger.comparisons": ("at_least", "at_most", "containing", "one_of"),
    "runtime.system": ("System",),
    "testing": ("assert_events", "reverts"),
    "types": ("Address", "Key"),
    "runtime.world": ("World",),
}

__getattr__ = late_names(__name__, _HOMES)

__all__ = [
    "Account",
    "Address",
    "Chain",
    "Contract",
    "DeclarationError",
    "Handle",
    "InvalidTransaction",
    "IterableMap",
    "Key",
    "LimitExceeded",
    "Map",
    "Revert",
    "Reverted",
    "Set",
    "System",
    "Vector",
    "World",
    "assert_events",
    "at_least",
    "at_most",
    "call",
    "compiled",
    "containing",
    "error",
    "event",
    "init",
    "keccak",
    "model",
    "one_of",
    "require",
    "reverts",
    "view",
]

atexit.register(gc.freeze)  # or else the end of the process takes apart each of 200 000 objects


def __dir__() -> list[str]:
    return [*globals(), *__all__]
