"""Listeners for the creation of chains. There are none unless a tool adds one, as the pytest plugin does.

This is a module of its own because such a tool must be able to add its listener before the engine is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

creation_listeners: Final[list[Callable[[Any], None]]] = []


def notify_created(chain: object) -> None:
    """Call every listener with a chain that was just created."""
    for listener in creation_listeners:
        listener(chain)
