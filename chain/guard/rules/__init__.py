"""The rules of the guard: a module for each topic, with its `RULES`, and its `CHECKS` by the type of AST node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from chain.guard.finding import Rule
from chain.guard.rules import (
    builtins,
    data_files,
    exceptions,
    floats,
    imports,
    metaprogramming,
    no_effect,
    not_implemented,
    set_order,
    shared_state,
    stored_lists,
    syntax,
)
from chain.guard.scope import Scopes

Check: TypeAlias = Callable[[object, Scopes], None]

TOPICS: Final = (
    syntax,
    imports,
    builtins,
    floats,
    set_order,
    shared_state,
    stored_lists,
    metaprogramming,
    exceptions,
    no_effect,
    not_implemented,
    data_files,
)
RULES: Final[tuple[Rule, ...]] = tuple(rule for topic in TOPICS for rule in topic.RULES)


def _checks() -> dict[type[ast.AST], tuple[Check, ...]]:
    checks_by_type: dict[type[ast.AST], tuple[Check, ...]] = {}
    for topic in TOPICS:
        checks_of: Mapping[Any, tuple[Check, ...]] = topic.CHECKS
        for node_type, checks in checks_of.items():
            checks_by_type[node_type] = checks_by_type.get(node_type, ()) + checks
    return checks_by_type


CHECKS: Final[Mapping[type[ast.AST], tuple[Check, ...]]] = MappingProxyType(_checks())
