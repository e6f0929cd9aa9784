"""The identity of a contract in 32 bytes: a hash of the syntax it reaches in its own sources, and of the data files these read.

Positions, comments, docstrings, and statements for debugging are left out of the syntax. An imported name counts by its
origin, not by the spelling of the import. So a formatter does not change the digest, but a changed rule results in another
contract.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from chain.crypto.hashing import keccak
from chain.metering.debug_statements import without
from chain.metering.program_sources import ProgramSources
from chain.source import disk_cache
from chain.source.modules import Module

_UNSAID = ("is_lazy",)  # fields that say the same for all contracts, on some versions only
_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def digest_of(name: str, sources: ProgramSources, values: Iterable[str] = ()) -> bytes:
    """Return the digest of the contract called `name`. `values` describe the parts that its sources do not show."""
    parts = [name, *values]
    if len(parts) > 1:  # one of many, as in the functions of a test
        return _digest_of(parts, sources)
    key = "digest", name, sources.content
    saved = disk_cache.load(*key)
    if isinstance(saved, bytes):
        return saved
    digest = _digest_of(parts, sources)
    disk_cache.save(digest, *key)
    return digest


def _digest_of(parts: list[str], sources: ProgramSources) -> bytes:
    for module in sorted(sources.modules, key=module_label):
        parts.append(module_label(module))
        parts += sorted(f"{alias} is {path}" for alias, path in sources.imports_of(module))
        parts += [canonical_syntax(node, module) for node in sources.nodes_of(module)]
        if (files := sources.data_files(module)) is not None:
            parts += files.digests()
    return keccak("\n".join(parts).encode())


def module_label(module: Module) -> str:
    """Return the name of a module. A script has the same name whether it is run or imported."""
    return Path(module.file).stem if module.name == "__main__" else module.name


def canonical_syntax(node: object, module: Module | None = None) -> str:
    """Return a syntax tree as text, without positions and docstrings, the same on every Python version.

    With its module, the debug statements of the author are left out, too.
    """
    if isinstance(node, list):
        parts = node if module is None else without(node, module)
        return "[" + ",".join(canonical_syntax(part, module) for part in parts) + "]"
    if not isinstance(node, ast.AST):
        return ascii(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _UNSAID:
            continue
        if (
            name == "body"
            and isinstance(node, _DOCUMENTED)
            and ast.get_docstring(node, clean=False) is not None
        ):
            value = value[1:]
        fields.append(f"{name}={canonical_syntax(value, module)}")
    return f"{type(node).__name__}({','.join(fields)})"
