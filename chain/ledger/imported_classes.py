"""The classes of authors that are imported now: they stand for those of a deployed version that have the same description.

So a value of the deployed version is a member of the Enum that a test has imported, whatever was edited beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from chain.metering.as_data import KEPT, original_name
from chain.source.own_modules import own_modules


def class_at(full_name: str) -> type | None:
    """Return the class `module:Class` if its module is imported; nothing is imported."""
    module, _, path = full_name.partition(":")
    thing: object = sys.modules.get(module)
    for name in path.split("."):
        thing = vars(thing).get(name) if hasattr(thing, "__dict__") else None
    return thing if isinstance(thing, type) else None


def classes_named(name: str, home: str) -> Iterator[type]:
    """Yield the classes of that name: those in module `home` first, then those of its package; those of kept programs last."""
    top = home.partition(".")[0]

    def distance(path: str) -> tuple[bool, bool, bool]:
        original = original_name(path)
        return path.startswith(KEPT), original != home, original.partition(".")[0] != top

    modules = {each.__name__: each for each in own_modules()}
    for path in sorted(modules, key=distance):
        inside = [thing for thing in vars(modules[path]).values() if isinstance(thing, type)]
        for holder in (modules[path], *inside):
            found = vars(holder).get(name)
            if isinstance(found, type) and found.__name__ == name:
                yield found
