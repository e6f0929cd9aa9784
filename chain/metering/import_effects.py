"""Import-time side effects: statements at the top of a module that do more than define its names.

The top-level statements a contract reads are run again for its instrumented copy. Filling a table again is harmless, because
the copy has its own table. Printing, deploying or sending again is not. So a contract may not read a name that such a
statement binds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from chain.errors import DeclarationError
from chain.guard.allowlist import MODULES
from chain.source.global_names import GlobalRead, uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.location import relative_path
from chain.source.modules import Definition, Module, SourceTree, is_main
from chain.source.reachability import Reachability
from chain.source.top_level import imported_sources, top_of
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
_MACHINE_MODULES: Final = word_set("cli deployment fuzz plugins replays rpc simulator testing")
_MAKERS: Final = word_set("__init__ __new__ __post_init__")


def refuse_acts(cls: type, reach: Reachability) -> None:
    """Refuse a contract that reads a statement with side effects."""
    acts = _Acts(reach.tree, reach.reads_of)
    for module in reach.modules:
        for node in reach.nodes_of(module):
            if (name := reach.because_of[node]) and not isinstance(node, DEFINITIONS):
                _refuse_act(cls.__qualname__, name, module, node, acts)
    reach.save()


def _refuse_act(cls: str, name: str, module: Module, node: ast.AST, acts: _Acts) -> None:
    location = f"{relative_path(module.file)}:{getattr(node, 'lineno', 1)}"
    if is_main(node):
        raise DeclarationError(
            f"{location}: '{name}', which {cls} reads, is set below 'if __name__ == \"__main__\"', "
            "which is not part of a contract; set it above, or rename the one here"
        )
    act = acts.in_statement(module, node)
    if act is not None:
        raise DeclarationError(
            f"{location}: '{name}', which {cls} reads, is set by a statement that also acts: {act}. "
            f"The statements that a contract reads run again for it; give {cls} a constant of its "
            "own, and move the action into a function or below 'if __name__ == \"__main__\"'"
        )


def acts(module: Module, node: ast.stmt) -> bool:
    """True if a statement that contains the definition of a contract has side effects."""
    return (
        not isinstance(node, DEFINITIONS)
        and _Acts(imported_sources(module), _reads_of).in_statement(module, node) is not None
    )


def _reads_of(module: Module, node: ast.AST) -> Iterable[GlobalRead]:
    return uses_of(node).reads


class _Acts:
    """A search for side effects in a statement and in the functions it calls."""

    def __init__(
        self, tree: SourceTree, reads_of: Callable[[Module, ast.AST], Iterable[GlobalRead]]
    ) -> None:
        self.tree, self.reads_of = tree, reads_of
        self.seen: set[ast.AST] = set()

    def in_statement(self, module: Module, node: ast.AST) -> str | None:
        """Return a description of the first side effect of a statement or function, None if there is none."""
        if node in self.seen:
            return None
        self.seen.add(node)
        effect = _method_that_acts(node) if _may_write(module) else None
        for read in self.reads_of(module, node):
            if effect is None and not (read.is_called and not isinstance(node, DEFINITIONS)):
                effect = self._by_name(module, read)
        return effect

    def _by_name(self, module: Module, read: GlobalRead) -> str | None:
        """Return the side effect of using the name that is read."""
        name, *attributes = read.path
        meanings = top_of(module).meanings.get(name)
        if meanings is None:
            return f"it calls '{name}'" if name in _BUILTINS else None
        for meaning in meanings:
            effect = None
            if isinstance(meaning, Definition):
                effect = self._by_path(".".join([str(meaning.import_path), *attributes]))
            elif isinstance(meaning, ast.FunctionDef):
                effect = self.in_statement(module, meaning)
            elif isinstance(meaning, ast.ClassDef):
                effect = self._by_making(module, meaning)
            if effect is not None:
                return effect
        return None

    def _by_path(self, path: str) -> str | None:
        """Return the side effect of using the imported object at `path`."""
        location = self.tree.split(path)
        if location is not None:
            inner, rest = location
            return (
                self._by_name(inner, GlobalRead(tuple(rest.split(".")), True, False))
                if rest
                else None
            )
        first, second = [*path.split("."), ""][:2]
        is_machine = (
            first == "chain" and path not in MODULES and second in _MACHINE | _MACHINE_MODULES
        )
        is_effect = first in _MODULES or f"{first}.{second}" in _MODULES
        return f"it uses '{path}'" if is_machine or is_effect else None

    def _by_making(self, module: Module, cls: ast.ClassDef) -> str | None:
        """Return the side effect of creating an instance of a class."""
        for statement in cls.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in _MAKERS:
                effect = self.in_statement(module, statement)
                if effect is not None:
                    return effect
        return None


@lru_cache(maxsize=2048)
def _may_write(module: Module) -> bool:
    """True if the text of a module contains any of the writing calls. In nearly all modules it contains none."""
    return any(f".{name}" in module.text for name in _METHODS) or "open" in module.text


def _method_that_acts(node: ast.AST) -> str | None:
    """Return the first call in a node that writes to a file or stream."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            if inner.func.attr in _METHODS:
                return f"it calls '{ast.unparse(inner.func)}'"
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and _writes(inner):
            return f"it calls '{ast.unparse(inner)}'"
    return None


def _writes(call: ast.Call) -> bool:
    """True for a call such as `open(name, "w")`."""
    modes = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "mode")]
    is_open = isinstance(call.func, ast.Name) and call.func.id == "open"
    return is_open and any(set(ast.unparse(mode)) & set("wax+") for mode in modes)
