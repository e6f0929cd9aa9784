"""Check that the tables and numbers of an instrumented copy equal those of the imported module, if they are plain values.

A top-level statement may change a table in a way that the analysis does not follow: through an imported helper, a method under
another name, or a decorator. The contract would then run with a table other than the one its author sees, so it is refused.
Values that a test sets on a module at run time do not matter: they never reach the copy.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from chain.errors import DeclarationError
from chain.schema.validation import short_repr
from chain.source.global_names import uses_of
from chain.source.local_names import DEFINITIONS
from chain.source.location import relative_path as short_path
from chain.source.modules import Definition, Module, is_main
from chain.source.reachability import Reachability
from chain.source.top_level import top_of

_PLAIN: Final = frozenset({int, str, bytes, bool, type(None)})
_DEEPEST: Final = 20


def check_agreement(reach: Reachability, spaces: Mapping[Module, Mapping[str, object]]) -> None:
    """Refuse values that differ from those of the imported module, if a statement may have caused the difference."""
    for module, space in spaces.items():
        imported = vars(sys.modules.get(module.name, object))
        for name in reach.names.get(module, ()):
            setters = _setting(module, name)  # empty for `__file__` and the like
            is_whole = setters and all(node in reach.modules[module] for node in setters)
            if (
                is_whole
                and name in space
                and name in imported
                and is_other(space[name], imported[name])
            ):
                _refuse(reach, module, name, space[name], imported[name])


def _setting(module: Module, name: str) -> list[ast.AST]:
    """Return the top-level statements that set a name. If it is set twice, the contract may see only the first value."""
    meanings = top_of(module).meanings.get(name, ())
    return [meaning.node if isinstance(meaning, Definition) else meaning for meaning in meanings]


def is_other(made: Any, there: Any, depth: int = 0) -> bool:
    """True if the plain parts of two values differ: `made` from the copy, `there` from the imported module."""
    if type(made) in _PLAIN and type(there) in _PLAIN:
        return bool(made != there)
    for container in (list, tuple, dict):
        if isinstance(made, container) and isinstance(there, container) and depth < _DEEPEST:
            pairs = zip(_parts(made), _parts(there), strict=False)
            return len(made) != len(there) or any(is_other(a, b, depth + 1) for a, b in pairs)
    is_set = isinstance(made, set | frozenset) and isinstance(there, set | frozenset)
    return is_set and len(made) != len(there)


def _parts(value: Any) -> Iterator[object]:
    return chain.from_iterable(value.items()) if isinstance(value, dict) else iter(value)


def _refuse(reach: Reachability, module: Module, name: str, made: object, there: object) -> None:
    cause = next(_unfollowed(reach, module, name), None)
    if cause is None:
        return
    line = min((getattr(node, "lineno", 1) for node in _setting(module, name)), default=1)
    raise DeclarationError(
        f"{short_path(module.file)}:{line}: '{name}' is {short_repr(there)} here, and "
        f"{short_repr(made)} in the copy that would run on chain: the analysis does not follow what "
        f"{cause} does to it; put its whole content into the statement that sets it"
    )


def _unfollowed(reach: Reachability, module: Module, name: str) -> Iterator[str]:
    """Yield the locations of unreached statements that act on the name, or on functions and imports of the author's."""
    for other, reached in reach.modules.items():
        for node in other.tree.body:
            if node in reached or is_main(node) or not _does_something(node):
                continue
            names = uses_of(node).names_now
            uses_name = other is module and name in names
            if uses_name or any(_is_own(reach, other, used) for used in names):
                yield f"{short_path(other.file)}:{node.lineno}"


def _does_something(node: ast.stmt) -> bool:
    if isinstance(node, DEFINITIONS):
        return bool(node.decorator_list)
    return any(isinstance(part, ast.Call | ast.Attribute) for part in ast.walk(node))


def _is_own(reach: Reachability, module: Module, name: str) -> bool:
    definition = module.names.get(name)
    if definition is None:
        return False
    if isinstance(definition.node, ast.alias):
        return reach.tree.split(str(definition.import_path)) is not None
    return isinstance(definition.node, ast.FunctionDef)
