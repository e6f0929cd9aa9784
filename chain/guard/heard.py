"""The findings that count among those in some files, by the names there. A deployment follows the objects, and knows better."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final, NamedTuple

from chain.guard.finding import AT_IMPORT, Finding
from chain.source.import_paths import names_bound, path_of
from chain.source.word_sets import word_set

_CONTRACTS: Final = word_set(
    "chain.Contract chain.System chain.runtime.contract.Contract chain.runtime.system.System"
)


class File(NamedTuple):
    """A file that has been parsed."""

    module: str
    tree: ast.Module
    imports: Mapping[str, str]
    findings: Mapping[tuple[str, int], Iterable[Finding]]  # by the definition that holds them


def findings_heard(files: Iterable[File]) -> Iterator[Finding]:
    """Yield the findings in what the contracts of some files name; without a contract, those in all but tests.

    What only values and decorators at the top name runs at import: there it may read files, and fill tables.
    """
    uses, calls, bases = (defaultdict[str, set[str]](set) for _ in range(3))
    made = set[str]()  # at import
    for file in files:
        for node in file.tree.body:
            used = _paths_in([node], file)
            used_at_import = _paths_in(getattr(node, "decorator_list", [node]), file)
            made |= used_at_import
            for name in names_bound(node) | _names_imported(node) or {""}:
                path, origin = f"{file.module}.{name}", file.imports.get(name, "")
                uses[path] |= {*used, origin}
                calls[path] |= {*used - used_at_import, origin}
                if isinstance(node, ast.ClassDef):
                    bases[path] |= {path_of(base, file.imports, ()) or "" for base in node.bases}
    contracts = {path for path in bases if not _CONTRACTS.isdisjoint(_closure({path}, bases))}
    tests = {path for path in uses if path.rpartition(".")[2].lower().startswith("test")}
    starts = contracts or uses.keys() - tests
    called = _closure(contracts or starts - _closure(made, uses), calls)
    reached = _closure(starts, uses)
    for file in files:
        for (name, _), findings in file.findings.items():
            path = f"{file.module}.{name.partition('.')[0]}"
            is_call = path in called or "<locals>" in name
            if path in reached:
                yield from (each for each in findings if is_call or each.rule not in AT_IMPORT)


def _paths_in(nodes: Iterable[ast.AST], file: File) -> set[str]:
    parts = [part for node in nodes for part in ast.walk(node)]
    own = {f"{file.module}.{part.id}" for part in parts if isinstance(part, ast.Name)}
    attributes = [part for part in parts if isinstance(part, ast.Attribute)]
    return own | {path_of(part, file.imports, ()) or "" for part in attributes}


def _names_imported(node: ast.stmt) -> set[str]:
    aliases = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _closure(starts: Set[str], uses: Mapping[str, Set[str]]) -> set[str]:
    """Return these paths and all that they use, directly or not."""
    reached, waiting = set[str](), [*starts]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += uses.get(path, ())
    return reached
