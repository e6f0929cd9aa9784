"""The interface of a running contract: `self`, its World, its randomness, and calls to other contracts.

May import `machine` and what is below it. Begin with `contract`. What a chain without Worlds never needs is imported when it
is first used: `runtime.World`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeGuard

if TYPE_CHECKING:
    from chain.runtime.system import HOME_FIELDS, SYSTEM_SLOT, System
    from chain.runtime.world import World, world_at

__all__ = ["HOME_FIELDS", "SYSTEM_SLOT", "System", "World", "is_system", "is_world", "world_at"]

_WORLD: Final = "chain.runtime.world"
_SYSTEM: Final = "chain.runtime.system"
_HOMES: Final = {
    "World": _WORLD, "world_at": _WORLD, "System": _SYSTEM, "HOME_FIELDS": _SYSTEM, "SYSTEM_SLOT": _SYSTEM,
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def is_world(cls: type) -> TypeGuard[type[World]]:
    """True for `World` and what derives from it. Nothing does before it is imported."""
    return _WORLD in sys.modules and issubclass(cls, __getattr__("World"))


def is_system(cls: type) -> TypeGuard[type[System]]:
    """True for `System` and what derives from it."""
    return _SYSTEM in sys.modules and issubclass(cls, __getattr__("System"))
