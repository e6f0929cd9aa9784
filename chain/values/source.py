"""Functions generated from a type: straight-line Python source, written once per type and compiled.

Python's cache of source lines holds the source under its title, so tracebacks and debuggers show it, and profiles name it.
"""

from __future__ import annotations

import linecache
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from chain.crypto.address import Address

# One item of a `struct`: its format, and source of the value.
Item: TypeAlias = tuple[str, str]


def fail() -> NoReturn:
    """Refuse what does not fit; the error is explained where this is caught."""
    raise ValueError


class Generated:
    """A function of a type, which is made when it is first needed and shared by equal types."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._made, self.__doc__ = cache(make), make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, kind: Any, owner: type | None = None) -> Any:
        made = vars(kind)[self._name] = self._made(kind)
        return made


if TYPE_CHECKING:
    generated = cached_property
else:
    generated = Generated


# The objects that generated source uses by these names.
_TOOLS: Final = {
    "number": int.from_bytes, "make": bytes.__new__, "Address": Address, "join": b"".join, "fail": fail,
}  # fmt: skip


class Source:
    """A function that is being written: its lines, and the objects it refers to."""

    def __init__(self, title: str) -> None:
        self.title = title  # what the function does, such as `encode Card`
        self.lines: list[str] = []
        self.names: dict[str, object] = {}
        self._variables = 0

    def bind(self, thing: object) -> str:
        """Give `thing` a name in the source, and return that name."""
        name = f"k{len(self.names)}"
        self.names[name] = thing
        return name

    def variable(self) -> str:
        self._variables += 1
        return f"x{self._variables}"

    def var(self, expression: str) -> str:
        """Add a line that puts the result of `expression` into a variable, and return that."""
        name = self.variable()
        self.lines.append(f"{name} = {expression}")
        return name

    def packed(self, items: Sequence[Item]) -> str:
        """Return source of the bytes of these items side by side."""
        form = struct.Struct(">" + "".join([form for form, _ in items]))
        return f"{self.bind(form.pack)}({', '.join([value for _, value in items])})"

    def function(self, parameters: str, result: str, otherwise: str = "") -> Callable[..., Any]:
        """Return the function of these lines. `otherwise` raises the error in place of the exception `wrong`."""
        body = [*self.lines, f"return {result}"]
        if otherwise:
            body = ["try:", *(f" {line}" for line in body), "except MemoryError: raise"]
            body.append(f"except Exception as wrong: {otherwise}")
        name = self.title.partition(" ")[0]
        made: Callable[..., Any] = self.run(
            [f"def {name}({parameters}):", *(f" {line}" for line in body)]
        )[name]
        return made

    def run(self, lines: Iterable[str]) -> dict[str, Any]:
        """Execute finished source and return its namespace."""
        namespace = {**_TOOLS, **self.names}
        text = "\n".join(lines)
        exec(_compiled(text, _file_of(self.title, text)), namespace)
        return namespace


@lru_cache(maxsize=4096)
def _compiled(text: str, file: str) -> CodeType:
    code: CodeType = compile(text, file, "exec")
    return code


def _file_of(title: str, text: str) -> str:
    """Return the file name of a generated source. Different sources of one title are numbered."""
    lines, number = text.splitlines(keepends=True), 1
    file = f"<{title}>"
    while file in linecache.cache and linecache.getlines(file) != lines:
        number += 1
        file = f"<{title} {number}>"
    linecache.cache[file] = len(text), None, lines, file
    return file
