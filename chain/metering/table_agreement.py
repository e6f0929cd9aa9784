"""Whether what was made for an image is what stands in the module at hand: its tables and numbers, as far as they are plain.

A statement at the top may change a table by a way that is not followed: through a helper that was imported, a method under
another name, a decorator. The contract would then run with another table than its author sees, so that is refused. What a test
sets on a module at run time is another matter: it changes nothing that runs.
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
from chain.source.modules import (
    Definition,
    Module,
    is_main,
)
from chain.source.reachability import Reachability
from chain.source.top_level import top_of

_PLAIN: Final = frozenset({int, str, bytes, bool, type(None)})
_DEEPEST: Final = 20


def check_agreement(reach: Reachability, spaces: Mapping[Module, Mapping[str, Any]]) -> None:
    """Refuse what is another thing in the module at hand, where a statement may have made it that."""
    for module, space in spaces.items():
        there = vars(sys.modules.get(module.name, object))
        for name in reach.names.get(module, ()):
            setting = _setting(module, name)  # nothing sets `__file__`
            is_whole = setting and all(node in reach.modules[module] for node in setting)
            if is_whole and name in space and name in there and is_other(space[name], there[name]):
                _refuse(reach, module, name, space[name], there[name])


def _setting(module: Module, name: str) -> list[ast.AST]:
    """The statements at the top that set a name; of one set twice, the contract may see only the first."""
    meanings = top_of(module).meanings.get(name, ())
    return [each.node if isinstance(each, Definition) else each for each in meanings]


def is_other(made: Any, there: Any, depth: int = 0) -> bool:
    """Whether two values differ, in what of them is plain."""
    if type(made) in _PLAIN and type(there) in _PLAIN:
        return bool(made != there)
    for kind in (list, tuple, dict):
        if isinstance(made, kind) and isinstance(there, kind) and depth < _DEEPEST:
            pairs = zip(_parts(made), _parts(there), strict=False)
            return len(made) != len(there) or any(is_other(a, b, depth + 1) for a, b in pairs)
    is_set = isinstance(made, set | frozenset) and isinstance(there, set | frozenset)
    return is_set and len(made) != len(there)


def _parts(value: Any) -> Iterator[Any]:
    return chain.from_iterable(value.items()) if isinstance(value, dict) else iter(value)


def _refuse(reach: Reachability, module: Module, name: str, made: Any, there: Any) -> None:
    cause = next(_unfollowed(reach, module, name), None)
    if cause is None:
        return
    line = min((getattr(node, "lineno", 1) for node in _setting(module, name)), default=1)
    raise DeclarationError(
        f"{short_path(module.file)}:{line}: '{name}' is {short_repr(there)} here, and {short_repr(made)} in"
        f" what would run on chain: what {cause} does to it is not followed; put all that is in it where it is set"
    )


def _unfollowed(reach: Reachability, module: Module, name: str) -> Iterator[str]:
    """Where statements stand that were not reached, and do something with the name, or with what is the author's."""
    for other, taken in reach.modules.items():
        for node in other.tree.body:
            if node in taken or is_main(node) or not _does_something(node):
                continue
            names = uses_of(node).names_now
            is_near = other is module and name in names
            if is_near or any(_is_own(reach, other, each) for each in names):
                yield f"{short_path(other.file)}:{node.lineno}"


def _does_something(node: ast.stmt) -> bool:
    if isinstance(node, DEFINITIONS):
        return bool(node.decorator_list)
    return any(isinstance(each, ast.Call | ast.Attribute) for each in ast.walk(node))


def _is_own(reach: Reachability, module: Module, name: str) -> bool:
    definition = module.names.get(name)
    if definition is None:
        return False
    if isinstance(definition.node, ast.alias):
        return reach.split(str(definition.import_path)) is not None
    return isinstance(definition.node, ast.FunctionDef)
