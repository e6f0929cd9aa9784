"""Finding what to read: from a contract class, a package, a module or a file to its sources. Nothing is imported or run."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from chain.guard.sources import Definition, Module, Sources, alone, folder_of, read

# The modules of a package with which a reading begins; what they import of the package follows.
MAIN: Final = ("contract", "models", "events", "rules")


def text_of(file: str) -> str:
    """What a file says; also where a tool keeps its source in Python's cache of lines only."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return "".join(linecache.getlines(file))


def identity_of(cls: type) -> tuple[str, str, int]:
    """The file, the name and the first line of a class: another one of that name may stand elsewhere in the file."""
    return (
        file_of(cls),
        cls.__qualname__,
        min((code.co_firstlineno for code in _codes(cls)), default=0),
    )


def home_of(cls: type) -> tuple[Sources, Definition] | None:
    """The sources of a class, and where it is defined in them.

    None if there is nothing to check: it was made at a prompt, or it is the chain's own.
    """
    file = file_of(cls)
    text = text_of(file) if file else ""
    if not text:
        return None
    name, folder = cls.__module__, folder_of(cls.__module__, file, _is_package(file))
    if folder is None:
        name, folder = alone(name, file)
    module = read(name, file, text, _is_package(file))
    found = _find_class(cls, module)
    return None if found is None else (Sources(module, folder), found)


def file_of(cls: type) -> str:
    """The file in which a class was written; nothing if that is the chain's own, or there is none."""
    if cls.__module__.partition(".")[0] == "chain":
        return ""
    for value in vars(cls).values():
        code: Any = getattr(value, "__code__", None)
        if code is not None and getattr(value, "__module__", None) == cls.__module__:
            return str(code.co_filename)
    return getattr(sys.modules.get(cls.__module__), "__file__", None) or ""


def _is_package(file: str) -> bool:
    return Path(file).name == "__init__.py"


def _find_class(cls: type, module: Module) -> Definition | None:
    """The class statement, by the names of the functions and classes around it; of several the one with its methods."""
    names = [name for name in cls.__qualname__.split(".") if name != "<locals>"]
    lines = [code.co_firstlineno for code in _codes(cls)]
    found: list[tuple[ast.ClassDef, list[ast.FunctionDef]]] = []
    for node, around in _search(module.tree.body, names, []):
        if all(node.lineno <= line <= (node.end_lineno or line) for line in lines):
            found.append((node, around))
    if not found:
        return None
    node, around = found[-1]
    inner = module.within(around) if around else module
    return Definition(inner, node.name, node)


def _codes(cls: type) -> Iterator[Any]:
    for value in vars(cls).values():
        code = getattr(value, "__code__", None)
        if code is not None and str(value.__qualname__).startswith(cls.__qualname__ + "."):
            yield code


def _search(
    body: list[ast.stmt], names: list[str], around: list[ast.FunctionDef]
) -> Iterator[tuple[ast.ClassDef, list[ast.FunctionDef]]]:
    first, *rest = names
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == first:
            if rest:
                inner = [*around, node] if isinstance(node, ast.FunctionDef) else around
                yield from _search(node.body, rest, inner)
            elif isinstance(node, ast.ClassDef):
                yield node, around
        for name in ("body", "orelse", "finalbody", "handlers"):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield from _search(getattr(node, name, []), names, around)


def modules_of(target: str | Path) -> tuple[Sources, list[Module]]:
    """The sources of `contracts.blokus`, of the same as a folder, or of one file, and with which modules to begin."""
    path = _path_of(target)
    files = [path] if path.is_file() else _main_files(path)
    if not files:
        raise FileNotFoundError(f"{target}: there is no Python in this folder")
    folder = _top_folder(path if path.is_dir() else path.parent)
    modules = [_module(file, folder) for file in files]
    sources = Sources(modules[0], folder)
    return sources, [sources.module(module.name) or module for module in modules]


def _path_of(target: str | Path) -> Path:
    path = Path(target)
    if path.exists():
        return path.resolve()
    parts = str(target).split(".")
    for entry in ("", *sys.path):
        for found in (Path(entry, *parts), Path(entry, *parts[:-1], f"{parts[-1]}.py")):
            if found.exists():
                return found.resolve()
    raise FileNotFoundError(
        f"{target}: no such file or package; write contracts.blokus, contracts/blokus or a file"
    )


def _main_files(folder: Path) -> list[Path]:
    main = [folder / f"{name}.py" for name in MAIN]
    return [file for file in main if file.is_file()] or sorted(folder.glob("*.py"))


def _top_folder(folder: Path) -> Path:
    """Where the names of modules begin: above the outermost folder that is a package."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _module(file: Path, folder: Path) -> Module:
    is_package = file.name == "__init__.py"
    parts = file.relative_to(folder).with_suffix("").parts
    name = ".".join(parts[:-1] if is_package else parts)
    return read(name, str(file), file.read_text("utf-8"), is_package)
