"""Who is told of every chain that is made: nobody, unless a tool asks for it, as the pytest plugin does.

It stands in a module of its own because such a tool must be able to ask before the engine is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

creation_listeners: Final[list[Callable[[Any], None]]] = []


def notify_created(chain: Any) -> None:
    for tell in creation_listeners:
        tell(chain)
