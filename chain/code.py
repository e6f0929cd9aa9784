"""The code of a Python contract: what its account holds, and how the chain finds the class again.

The first byte is `0xFE`, INVALID to any other EVM; a marker and a digest of the contract follow. Init code is the same with
one byte more and the constructor's arguments behind it, so any Ethereum tool can deploy it as `bytecode + encoded args`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Final

from chain.hashing import keccak
from chain.spec import ContractSpec

MARK: Final = b"\xfeboardchain"
_INIT: Final = b"\x00"
_CODE: Final = b"\x01"


@dataclass(frozen=True, eq=False)
class Program:
    """A contract class as the chain holds it."""

    spec: ContractSpec
    digest: bytes

    @cached_property
    def code(self) -> bytes:
        return MARK + _CODE + self.digest

    @cached_property
    def initcode(self) -> bytes:
        return MARK + _INIT + self.digest

    @property
    def abi(self) -> list[dict[str, Any]]:
        return self.spec.abi

    @property
    def bytecode(self) -> str:
        return "0x" + self.initcode.hex()


@cache
def program_of(cls: type) -> Program:
    """The program of a contract class: the same class text gives the same digest everywhere."""
    spec: ContractSpec = cls.__spec__  # type: ignore[attr-defined]
    content = "\n".join([cls.__qualname__, *map(str, spec.abi), *_sources(cls)])
    return Program(spec, keccak(content.encode()))


def split_code(code: bytes) -> bytes | None:
    """The digest in code of ours; None for any other bytes."""
    return code[len(MARK) + 1 :] if code.startswith(MARK + _CODE) else None


def split_initcode(data: bytes) -> tuple[bytes, bytes] | None:
    """The digest and the constructor arguments in init code of ours; None for any other bytes."""
    if not data.startswith(MARK + _INIT):
        return None
    start = len(MARK) + 1
    return data[start : start + 32], data[start + 32 :]


def _sources(cls: type) -> Iterator[str]:
    """What the class and its contract parents say, whatever their layout and comments."""
    for parent in cls.__mro__:
        if "__spec__" not in vars(parent):
            continue
        try:
            yield _normal(ast.parse(textwrap.dedent(inspect.getsource(parent))))
        except (OSError, TypeError, SyntaxError):  # typed into a prompt: the compiled code must do
            methods = [value for value in vars(parent).values() if isinstance(value, FunctionType)]
            yield "".join(
                f"{f.__qualname__}{f.__code__.co_code.hex()}{f.__code__.co_consts}" for f in methods
            )


def _normal(node: Any) -> str:
    """A syntax tree as text without positions and docstrings, the same on every Python version."""
    if isinstance(node, list):
        return "[" + ",".join(_normal(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
        fields = [(name, value[1:] if name == "body" else value) for name, value in fields]
    return (
        f"{type(node).__name__}({','.join(f'{name}={_normal(value)}' for name, value in fields)})"
    )
