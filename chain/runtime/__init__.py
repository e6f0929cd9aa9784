"""The interface of a running contract: `self`, its World, its randomness, and calls to other contracts.

May import `machine` and what is below it. Begin with `contract`. What a chain without Worlds does not need is imported when it
is first used, as `runtime.World`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TypeGuard

from chain.foundation.late_imports import late_names

if TYPE_CHECKING:
    from chain.runtime.system import HOME_FIELDS, SYSTEM_SLOT, System
    from chain.runtime.world import World, world_at

_HOMES: Final = {"system": ("HOME_FIELDS", "SYSTEM_SLOT", "System"), "world": ("World", "world_at")}

__getattr__ = late_names(__name__, _HOMES)

__all__ = ["HOME_FIELDS", "SYSTEM_SLOT", "System", "World", "is_system", "is_world", "world_at"]


def is_world(cls: type) -> TypeGuard[type[World]]:
    """True for `World` and what derives from it. Nothing does before it is imported."""
    module = sys.modules.get(f"{__name__}.world")
    return module is not None and issubclass(cls, module.World)


def is_system(cls: type) -> TypeGuard[type[System]]:
    """True for `System` and what derives from it."""
    module = sys.modules.get(f"{__name__}.system")
    return module is not None and issubclass(cls, module.System)
