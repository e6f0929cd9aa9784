"""Facts from a contract's source: its lines, and the numbers and words in it.

The source of a contract is its module and, if the module is in a package, the modules of that package that it uses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

from chain.metering.analysis import plain_code

_OPTIMIZED: Final = 0x1  # a flag of functions, but not of class and module bodies
_LONGEST_WORD: Final = 16


def files_of(contracts: Iterable[type]) -> tuple[str, ...]:
    """Return the source files of these contracts."""
    files = [file for contract in contracts for file in _files_at(contract.__module__)]
    return tuple(dict.fromkeys(files))


def _files_at(name: str) -> Iterator[str]:
    """Yield the file of a module and, within its package, the files of the modules that it uses."""
    package = name.rpartition(".")[0]
    is_package = getattr(sys.modules.get(package), "__file__", None) is not None
    # A folder that is not a package may hold any modules, so there the module alone counts.
    known, queue = {name}, [name]
    while queue:
        module = sys.modules.get(queue.pop(0))
        file = getattr(module, "__file__", None)
        if module is None or file is None:
            continue
        yield file
        for other in _mentioned_in(module) if is_package else ():
            if other.startswith(f"{package}.") and other not in known:
                known.add(other)
                queue.append(other)


def _mentioned_in(module: ModuleType) -> Iterator[str]:
    """Yield the names of the modules that this module imports from."""
    for value in list(vars(module).values()):
        name = (
            value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        )
        if isinstance(name, str):
            yield name


def lines_in(file: str) -> frozenset[int]:
    """Return the executable lines in the functions of a file."""
    return frozenset(
        line
        for code in _codes(file)
        if code.co_flags & _OPTIMIZED
        for _, _, line in code.co_lines()
        if line is not None and (line != code.co_firstlineno or code.co_name.startswith("<"))
    )


def constants_in(files: Iterable[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the integers and the single words in these files, in order."""
    return _constants(code for file in files for code in _codes(file))


def constants_of(function: Callable[..., object]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the integers and the single words in one function."""
    codes = _within(plain_code(function)) if isinstance(function, FunctionType) else ()
    return _constants(codes)


def _constants(codes: Iterable[CodeType]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    numbers, words = dict[int, None](), dict[str, None]()
    for code in codes:
        for value in _flat(code.co_consts):
            if isinstance(value, int) and not isinstance(value, bool):
                numbers[value] = None
            elif isinstance(value, str) and _is_word(value):
                words[value] = None
    return tuple(numbers), tuple(words)


def _is_word(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_WORD and text.isprintable() and " " not in text


@cache
def _codes(file: str) -> tuple[CodeType, ...]:
    try:
        code = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return ()
    return tuple(_within(code))


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _within(value)


def _flat(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        elif isinstance(value, frozenset):
            yield from _flat(sorted(value, key=repr))
        else:
            yield value
