"""Statements that act: what runs while a module is imported and does more than give its names a meaning.

What a contract reads at the top of a module is run once more, for its image. To fill a table a second time is no harm, for
the image has a table of its own; to print, to deploy or to send again is. So a contract may not read what comes of that.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final

from chain.errors import DeclarationError
from chain.guard.allowlist import MODULES
from chain.source.global_names import (
    Read,
    uses_of,
)
from chain.source.local_names import DEFINITIONS
from chain.source.location import relative_path
from chain.source.modules import (
    Definition,
    Module,
    is_main,
)
from chain.source.reachability import Reachability
from chain.source.top_level import top_of
from chain.source.word_sets import word_set

_BUILTINS: Final = word_set("print input breakpoint help exit quit")
_METHODS: Final = word_set("write writelines write_text write_bytes unlink rmdir mkdir touch")
_MODULES: Final = word_set(
    """
    atexit concurrent.futures eth_tester ftplib http.client http.server httpx multiprocessing requests shutil signal smtplib
    socket sqlite3 subprocess urllib.request web3 webbrowser
    """
)
_MACHINE: Final = word_set("Chain assert_events reverts")
_MACHINE_MODULES: Final = word_set(
    "anchors cli deployment deploys double_run far fuzz handle looking pytest_plugin replays rpc simulator testing"
)
_MAKERS: Final = word_set("__init__ __new__ __post_init__")


def refuse_acts(cls: type, reach: Reachability) -> None:
    """Say which statement a contract reads that acts."""
    acts = _Acts(reach)
    for module in reach.modules:
        for node in reach.nodes_of(module):
            if (name := reach.because_of[node]) and not isinstance(node, DEFINITIONS):
                _refuse_act(cls.__qualname__, name, module, node, acts)


def _refuse_act(cls: str, name: str, module: Module, node: ast.AST, acts: _Acts) -> None:
    where = f"{relative_path(module.file)}:{getattr(node, 'lineno', 1)}"
    if is_main(node):
        raise DeclarationError(
            f"{where}: '{name}', which {cls} reads, is set below 'if __name__ == \"__main__\"', and that is no part of a"
            f" contract; set it above, or give what stands here another name"
        )
    act = acts.in_statement(module, node)
    if act is not None:
        raise DeclarationError(
            f"{where}: '{name}', which {cls} reads, is set by a statement that also acts: {act}. What a contract reads"
            f" is run once more for it; give {cls} a constant of its own, and put what acts into a function or below"
            f" 'if __name__ == \"__main__\"'"
        )


def acts(module: Module, node: ast.stmt) -> bool:
    """Whether a statement that holds the definition of a contract acts."""
    return (
        not isinstance(node, DEFINITIONS)
        and _Acts(Reachability(module)).in_statement(module, node) is not None
    )


class _Acts:
    """Looks for what acts, in a statement and in the functions that it calls."""

    def __init__(self, reach: Reachability) -> None:
        self.reach = reach
        self.seen: set[ast.AST] = set()

    def in_statement(self, module: Module, node: ast.AST) -> str | None:
        if node in self.seen:
            return None
        self.seen.add(node)
        found = _method_that_acts(node) if _may_write(module) else None
        for read in uses_of(node).reads:
            if found is None and not (read.is_called and not isinstance(node, DEFINITIONS)):
                found = self._by_name(module, read)
        return found

    def _by_name(self, module: Module, read: Read) -> str | None:
        name, *attributes = read.path
        meanings = top_of(module).meanings.get(name)
        if meanings is None:
            return f"it calls '{name}'" if name in _BUILTINS else None
        for meaning in meanings:
            found = None
            if isinstance(meaning, Definition):
                found = self._by_path(".".join([str(meaning.import_path), *attributes]))
            elif isinstance(meaning, ast.FunctionDef):
                found = self.in_statement(module, meaning)
            elif isinstance(meaning, ast.ClassDef):
                found = self._by_making(module, meaning)
            if found is not None:
                return found
        return None

    def _by_path(self, path: str) -> str | None:
        place = self.reach.split(path)
        if place is not None:
            inner, rest = place
            return self._by_name(inner, Read(tuple(rest.split(".")), True, False)) if rest else None
        first, second = [*path.split("."), ""][:2]
        is_machine = (
            first == "chain" and path not in MODULES and second in _MACHINE | _MACHINE_MODULES
        )
        is_effect = first in _MODULES or f"{first}.{second}" in _MODULES
        return f"it uses '{path}'" if is_machine or is_effect else None

    def _by_making(self, module: Module, cls: ast.ClassDef) -> str | None:
        """What happens when an instance is made."""
        for each in cls.body:
            if isinstance(each, ast.FunctionDef) and each.name in _MAKERS:
                found = self.in_statement(module, each)
                if found is not None:
                    return found
        return None


@lru_cache(maxsize=2048)
def _may_write(module: Module) -> bool:
    """Whether any of those words is in the text at all: in nearly every module none is."""
    return any(f".{name}" in module.text for name in _METHODS) or "open" in module.text


def _method_that_acts(node: ast.AST) -> str | None:
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            if each.func.attr in _METHODS:
                return f"it calls '{ast.unparse(each.func)}'"
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and _writes(each):
            return f"it calls '{ast.unparse(each)}'"
    return None


def _writes(call: ast.Call) -> bool:
    """`open(name, "w")`"""
    modes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    is_open = isinstance(call.func, ast.Name) and call.func.id == "open"
    return is_open and any(set(ast.unparse(mode)) & set("wax+") for mode in modes)
