"""The findings that count in a file that is not imported, by the names there. A deployment knows better: it follows objects."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from chain.guard.finding import AT_IMPORT, Finding
from chain.source.import_paths import names_bound

_BASES: Final = frozenset({"Contract", "System"})


def counted(
    tree: ast.Module, found: Mapping[tuple[str, int], Iterable[Finding]]
) -> Iterator[Finding]:
    """Yield the findings in what the contracts of a file name; without a contract, those in all but its tests.

    What only the values at the top name runs at import: there it may read files, and fill tables.
    """
    uses: dict[str, set[str]] = {}
    calls: dict[str, set[str]] = {}
    contracts, made = set[str](), set[str]()
    for node in tree.body:
        used, at_import = _names_in([node]), _names_in(getattr(node, "decorator_list", [node]))
        made |= at_import
        for name in _names_of(node):
            uses.setdefault(name, set()).update(used)
            calls.setdefault(name, set()).update(used - at_import)
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
            contracts |= set() if bases.isdisjoint(_BASES | contracts) else {node.name}
    starts = contracts or {name for name in uses if not name.lower().startswith("test")}
    reached = _closure(starts, uses)
    called = _closure(contracts or starts - _closure(made, uses), calls)
    for (path, _), findings in found.items():
        name = path.partition(".")[0]
        if name in reached:
            yield from (each for each in findings if name in called or each.rule not in AT_IMPORT)


def _names_in(nodes: Iterable[ast.AST]) -> set[str]:
    parts = (part for node in nodes for part in ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _names_of(node: ast.stmt) -> set[str]:
    aliases = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
    imported = {alias.asname or alias.name.partition(".")[0] for alias in aliases}
    return names_bound(node) | imported or {""}


def _closure(starts: Iterable[str], uses: Mapping[str, Iterable[str]]) -> set[str]:
    """Return these names and all that they use, directly or not."""
    reached, waiting = set[str](), [*starts]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += uses.get(name, ())
    return reached
