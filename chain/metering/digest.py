"""The identity of a contract in 32 bytes: a hash of the syntax of all definitions that it reaches, and of the constants.

Positions, comments, docstrings, and statements for debugging are left out of the syntax. So a formatter does not change the
digest, but a changed rule results in another contract, and so does a changed data file: its content is in the constants.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Mapping

from chain.crypto.hashing import keccak
from chain.metering.as_data import label_of
from chain.metering.ticks import is_debug

_UNSAID = ("is_lazy",)  # fields that say the same for all contracts, on some versions only
_DOCUMENTED = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def digest_of(
    label: str,
    definitions: Iterable[tuple[str, str, str]],
    constants: Mapping[str, str],
) -> bytes:
    """Return the digest of a contract: from module, name and syntax of its definitions, and from texts of its constants."""
    parts = {f"{label_of(module)}:{name} {syntax}" for module, name, syntax in definitions}
    parts |= {f"{names} = {text}" for text, names in constants.items()}
    return keccak("\n".join([label, *sorted(parts)]).encode())


def canonical_syntax(node: object, own: Container[str] = ()) -> str:
    """Return a syntax tree as text, without positions, docstrings and debug statements, the same on every Python version.

    `own` has the names that the file binds.
    """
    if isinstance(node, list):
        kept = [part for part in node if not is_debug(part, own)]
        if node and not kept:
            kept = [ast.Pass()]
        return f"[{','.join(canonical_syntax(part, own) for part in kept)}]"
    if not isinstance(node, ast.AST):
        return ascii(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _UNSAID:
            continue
        if name == "body" and isinstance(node, _DOCUMENTED):
            value = value[ast.get_docstring(node, clean=False) is not None :]
        fields.append(f"{name}={canonical_syntax(value, own)}")
    return f"{type(node).__name__}({','.join(fields)})"
