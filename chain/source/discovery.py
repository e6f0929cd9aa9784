"""Locating sources: from a contract class, a package, a module or a file. Nothing is imported or run."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from chain.source.classes import CONTRACT_BASES, class_of, lineage
from chain.source.modules import Definition, Module, SourceTree, parse_module
from chain.source.other_packages import SHARED_FOLDERS, locations_of
from chain.source.source_folder import SourceFolder, folder_of, single_file

# The modules of a package that are read first; the modules that they import from the package follow.
MAIN: Final = ("contract", "models", "events", "rules")


_NOT_OURS: Final = SHARED_FOLDERS | {"__pycache__", "build", "dist", "node_modules", "venv"}


def read_text(file: str) -> str:
    """The text of a file, or of a source that exists only in Python's cache of lines."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return "".join(linecache.getlines(file))


def class_identity(cls: type) -> tuple[str, str, int]:
    """The file, the name and the first line of a class, because the file may hold another class of that name."""
    return (
        file_of(cls),
        cls.__qualname__,
        min((code.co_firstlineno for code in method_codes(cls)), default=0),
    )


def locate_class(cls: type) -> tuple[SourceTree, Definition] | None:
    """The sources of a class and its definition in them.

    None if there is nothing to check: the class was made at a prompt, or belongs to the chain.
    """
    file = file_of(cls)
    text = read_text(file) if file else ""
    if not text:
        return None
    name, folder = _home_of(cls, file)
    module = parse_module(name, file, text, _is_package(file))
    definition = _find_class(cls, module)
    return None if definition is None else (_sources(module, folder), definition)


def class_folder(cls: type) -> SourceFolder:
    """The folder from which the modules of a class are read."""
    name, folder = _home_of(cls, file_of(cls))
    return SourceFolder(folder, name.partition(".")[0])


def _home_of(cls: type, file: str) -> tuple[str, Path]:
    """The name of the module of a class, and the folder that it is relative to."""
    folder = folder_of(cls.__module__, file, _is_package(file))
    return single_file(cls.__module__, file) if folder is None else (cls.__module__, folder)


def _sources(module: Module, folder: Path) -> SourceTree:
    return SourceTree(module, SourceFolder(folder, module.name.partition(".")[0]).load)


def file_of(cls: type) -> str:
    """The file in which a class was written; empty if it belongs to the chain, or has no file."""
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
    """The statement of a class, by the names of the enclosing functions and classes; of several, the one around its methods."""
    names = [name for name in cls.__qualname__.split(".") if name != "<locals>"]
    lines = [code.co_firstlineno for code in method_codes(cls)]
    matches: list[tuple[ast.ClassDef, list[ast.FunctionDef]]] = []
    for node, around in _search(module.tree.body, names, []):
        if all(node.lineno <= line <= (node.end_lineno or line) for line in lines):
            matches.append((node, around))
    if not matches:
        return None
    node, around = matches[-1]
    inner = module.within(around) if around else module
    return Definition(inner, node.name, node)


def method_codes(cls: type) -> Iterator[Any]:
    """The code objects of the methods that a class itself defines."""
    for value in vars(cls).values():
        code = getattr(value, "__code__", None)
        if code is not None and str(value.__qualname__).startswith(cls.__qualname__ + "."):
            yield code


def _search(
    body: list[ast.stmt], names: list[str], around: list[ast.FunctionDef]
) -> Iterator[tuple[ast.ClassDef, list[ast.FunctionDef]]]:
    """The class statements below `body` that the path `names` leads to, each with the functions around it."""
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


Beginning = tuple[SourceTree, list[Module], list[Definition]]


def modules_in(target: str | Path) -> list[Beginning]:
    """The sources of `contracts.blokus`, of its folder or of a file, with the modules to read first and the contracts.

    Contracts are listed for a file, but not for a package, which is read as a whole. For a folder without Python files of
    its own, such as that of a project, all files below it that have contracts count.
    """
    path = _path_of(target)
    main = [] if path.is_file() else _main_files(path)
    if main:
        return [_beginning(path, main)]
    files = [path] if path.is_file() else sorted(path.glob("*.py"))
    if files:
        return [_of_file(file) for file in files]
    beginnings = [beginning for beginning in map(_of_file, _files_below(path)) if beginning[2]]
    if not beginnings:
        raise FileNotFoundError(
            f"{target}: this folder has no Python files, and no contracts below it"
        )
    return beginnings


def _of_file(file: Path) -> Beginning:
    sources, modules, _ = _beginning(file.parent, [file])
    return sources, modules, contracts_in(modules[0], sources)


def _beginning(folder: Path, files: list[Path]) -> Beginning:
    top = _top_folder(folder)
    modules = [_module(file, top) for file in files]
    sources = _sources(modules[0], top)
    return sources, [sources.module(module.name) or module for module in modules], []


def _files_below(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*.py")):
        inner = file.relative_to(folder).parts
        if not any(part.startswith(".") or part in _NOT_OURS for part in inner):
            yield file


def contracts_in(module: Module, sources: SourceTree) -> list[Definition]:
    """The contract classes of a module, including those inside functions."""
    contracts = []
    for node, around in _classes(module.tree.body, []):
        definition = Definition(module.within(around) if around else module, node.name, node)
        if any(path in CONTRACT_BASES for path in _foreign_bases(definition, sources)):
            contracts.append(definition)
    return contracts


def _classes(
    body: list[ast.stmt], around: list[ast.FunctionDef]
) -> Iterator[tuple[ast.ClassDef, list[ast.FunctionDef]]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node, around
        inner = [*around, node] if isinstance(node, ast.FunctionDef) else around
        for name in ("body", "orelse", "finalbody", "handlers"):
            yield from _classes(getattr(node, name, []), inner)


def _foreign_bases(definition: Definition, sources: SourceTree) -> Iterator[str]:
    """The dotted paths of the imported bases of a class and of the classes that it derives from."""
    for cls in lineage(class_of(definition), sources):
        for base in cls.bases:
            first, _, rest = base.partition(".")
            imported = cls.definition.module.names.get(first)
            if imported is not None and imported.import_path is not None:
                yield f"{imported.import_path}.{rest}" if rest else imported.import_path


def _path_of(target: str | Path) -> Path:
    path = Path(target)
    if path.exists():
        return path.resolve()
    parts: list[str] = str(target).split(".")
    installed: list[str | Path] = (
        [location.parent for location in locations_of(parts[0])] if parts[0] else []
    )
    for entry in ["", *sys.path, *installed]:
        for candidate in (Path(entry, *parts), Path(entry, *parts[:-1], f"{parts[-1]}.py")):
            if candidate.exists():
                return candidate.resolve()
    raise FileNotFoundError(
        f"{target}: no such file or package; write contracts.blokus, contracts/blokus or a file"
    )


def _main_files(folder: Path) -> list[Path]:
    main = [folder / f"{name}.py" for name in MAIN]
    return [file for file in main if file.is_file()]


def _top_folder(folder: Path) -> Path:
    """The folder that module names are relative to: the parent of the outermost package."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _module(file: Path, folder: Path) -> Module:
    is_package = file.name == "__init__.py"
    parts = file.relative_to(folder).with_suffix("").parts
    name = ".".join(parts[:-1] if is_package else parts)
    return parse_module(name, str(file), file.read_text("utf-8"), is_package)
