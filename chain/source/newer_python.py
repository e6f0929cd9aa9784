"""The features of Python since 3.11, the oldest supported version.

A contract does without, so that it is the same on every version. Python's own new functions, classes and built-in names are on
no allowlist; here are the parts of what is allowed that some versions lack.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from chain.source.word_sets import word_set

_PADDED: Final = word_set("padded wrapcol")
_DECODED: Final = word_set("padded ignorechars canonical")
# By import path: the keywords that some versions do not take.
KEYWORDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "builtins.map": word_set("strict"),
        "functools.reduce": word_set("initial function iterable"),
        "json.loads": word_set("array_hook"),
        "dataclasses.field": word_set("doc"),
        **{f"base64.{name}encode": _PADDED for name in ("b16", "b32", "b64", "urlsafe_b64")},
        **{f"base64.{name}decode": _DECODED for name in ("b16", "b32", "b64", "urlsafe_b64")},
        **{f"hashlib.{name}": word_set("data string") for name in ("blake2b", "blake2s")},
        **{
            f"hashlib.{name}": word_set("data")
            for name in word_set(
                "md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512"
            )
        },
    }
)
# The methods of built-in classes that some versions lack.
METHODS: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        "is_integer": (int,),
        "resize": (bytearray,),
        "take_bytes": (bytearray,),
        "index": (memoryview,),
        "count": (memoryview,),
        "prefixmatch": (re.Pattern,),
    }
)


def check_keywords(path: str, names: Iterable[str]) -> None:
    """Check that every version takes these keywords of a function; raise what those raise that do not."""
    for name in KEYWORDS.get(path, frozenset()).intersection(names):
        function = path.rpartition(".")[2]
        raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def check_method(thing: object, name: str) -> None:
    """Check that every version has the method `name` of a value; raise what those raise that do not."""
    if isinstance(thing, METHODS.get(name, ())):
        raise AttributeError(f"'{type(thing).__name__}' object has no attribute '{name}'")


def newer_syntax(node: ast.AST) -> str | None:
    """Return the name of a piece of syntax that some versions lack; None if all have it."""
    if type(node).__name__ == "TemplateStr":
        return "a template string"
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "a lazy import" if getattr(node, "is_lazy", 0) else None
    is_unpacked = (
        node.value is None
        if isinstance(node, ast.DictComp)
        else isinstance(getattr(node, "elt", None), ast.Starred)
    )
    return "unpacking in a comprehension" if is_unpacked else None
