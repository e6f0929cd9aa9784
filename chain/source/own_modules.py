"""Which modules are an author's own: those in files that are neither part of the chain, nor of Python, nor installed."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Final

from chain.source.import_paths import origin_of
from chain.source.syntax_trees import text_tree

SHARED_FOLDERS: Final = frozenset({"site-packages", "dist-packages"})
FOREIGN: Final = sys.stdlib_module_names - {"__main__"} | {"chain", "builtins"}
_LEFT_OUT: Final = frozenset({"__pycache__", "node_modules"})


def is_own(name: object) -> bool:
    """True if a module is an author's. An installed package counts if it defines contracts."""
    if not isinstance(name, str) or name.partition(".")[0] in FOREIGN:
        return False
    return name not in sys.modules or _is_own(name)


@lru_cache(maxsize=4096)
def _is_own(name: str) -> bool:
    module = sys.modules[name]
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    if all(place is None or SHARED_FOLDERS.isdisjoint(Path(place).parts) for place in places):
        return True
    top = name.partition(".")[0]
    modules = [module for key, module in sys.modules.items() if f"{key}.".startswith(f"{top}.")]
    return any("__spec__" in vars(thing) for module in modules for thing in vars(module).values()
               if isinstance(thing, type) and thing.__module__.startswith(top))  # fmt: skip


def own_modules() -> list[ModuleType]:
    """Return the modules of authors that have been imported."""
    return [module for name, module in list(sys.modules.items()) if is_own(name) and module]


def modules_imported_by(name: str) -> list[str]:
    """Return this module and all modules of its author that it imports, with their packages."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        parts = waiting.pop().split(".")
        for module in (".".join(parts[:count]) for count in range(1, len(parts) + 1)):
            if module not in found and is_own(module) and module in sys.modules:
                found[module] = None
                waiting += _imports(module)
    return list(found)


def _imports(name: str) -> Iterator[str]:
    """Yield the paths that a module imports, as far as its file tells."""
    module = sys.modules[name]
    for node in ast.walk(text_tree(getattr(module, "__file__", None) or "")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = origin_of(node, name, hasattr(module, "__path__"))
            yield from (f"{home}.{alias.name}" for alias in node.names)


def files_below(folder: Path) -> Iterator[Path]:
    """All files of a package, except in folders that no contract reads: hidden ones, caches, installed packages of npm."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and name[0] != "."]
        yield from (Path(place, name) for name in files)
