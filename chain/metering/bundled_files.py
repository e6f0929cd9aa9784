"""The data files of a contract: the files its digest covers, with the bytes that were digested, and no others.

Everything an instrumented copy opens or lists comes from here, not from the disk. Its `pathlib`, `importlib.resources` and
`io`, and its `open`, are stand-ins that know only these files. So a contract cannot read anything that another machine with
the same digest might not have.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from io import BytesIO, StringIO, TextIOWrapper
from os.path import normpath
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from chain.crypto.hashing import keccak
from chain.errors import DeclarationError
from chain.metering.fuel import INSTRUMENTED_BUILTINS
from chain.source.location import relative_path
from chain.source.modules import Module

OWN: Final = "__data_files__"  # the name of the data files in the namespace of a module
_READERS: Final = ("pathlib", "importlib.resources")
_NO_DATA: Final = (".py", ".pyc", ".pyi")
_REMEDY: Final = (
    "put the file into the folder of the module or below it, under a name that does not begin with "
    "'.' and is not a Python file's, and start from Path(__file__).parent"
)


class DataFiles:
    """The files in the folder of a module and below, as they were when its contract was digested."""

    def __init__(self, module: Module) -> None:
        folder = Path(normpath(Path(module.file).absolute())).parent
        self.folder = PurePath(seen_as(module)).parent
        self._shown = relative_path(str(folder))
        self._package = module.name if module.is_package else module.name.rpartition(".")[0]
        self.contents = dict(_contents(folder))
        self.folders = {
            up.as_posix() for name in self.contents for up in PurePosixPath(name).parents
        }
        self.path: type[DataPath] = type("Path", (DataPath,), {"_files": self})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataFiles) and self.contents == other.contents

    __hash__ = None  # type: ignore[assignment]

    def digests(self) -> list[str]:
        """Return a line for each file, with its name and the hash of its content."""
        return [f"{name} {keccak(raw).hex()}" for name, raw in self.contents.items()]

    # Stand-ins for Python's own modules and functions

    def imported(self, name: str, parts: tuple[str, ...]) -> SimpleNamespace | None:
        """Return the stand-in for `from name import parts` or `import name`, None if the module does not read files."""
        resources = SimpleNamespace(files=self._files_of)
        match name:
            case "pathlib":
                return SimpleNamespace(**_PURE, Path=self.path, PosixPath=self.path)
            case "io":
                return SimpleNamespace(open=self.open, BytesIO=BytesIO, StringIO=StringIO)
            case "importlib.resources" if parts:
                return resources
            case "importlib" if "resources" in parts:
                return SimpleNamespace(resources=resources)
            case "importlib.resources":  # `import importlib.resources` binds `importlib`
                return SimpleNamespace(resources=resources)
        return None

    def open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: str | None = None,
        errors: str | None = None, newline: str | None = None,
    ) -> IO[Any]:  # fmt: skip
        """Open a data file for reading, as `open` does."""
        return self.path(file).open(mode, buffering, encoding, errors, newline)

    def _files_of(self, anchor: object = None) -> DataPath:
        """Return the folder of the package, as `importlib.resources.files` does."""
        name = getattr(anchor, "__name__", anchor)
        if name not in (None, self._package):
            refuse(f"files({name!r}) is another package's folder", "write files(__package__)")
        return self.path(self.folder)

    # Lookup

    def name_of(self, path: PurePath) -> str:
        """Return `path` relative to the folder, normalized. Refuse a path that leads out of the folder."""
        if not path.is_absolute():
            refuse(f"'{path}' is relative to the directory in which the program was started")
        try:
            return PurePath(normpath(path)).relative_to(self.folder).as_posix()
        except ValueError:
            refuse(f"'{path}' is outside of '{self._shown}', the folder of the module")

    def raw(self, path: PurePath) -> bytes:
        """Return the content of a data file. Refuse a path that is not a data file."""
        name = self.name_of(path)
        if name not in self.contents:
            refuse(f"there is no data file '{name}' in '{self._shown}'")
        return self.contents[name]

    def below(self, path: PurePath, pattern: str) -> list[str]:
        """Return the names of the files and folders below the folder `path` that match a glob pattern, sorted."""
        top, parts = PurePosixPath(self.name_of(path)), PurePosixPath(pattern).parts
        if not parts or ".." in parts or pattern.startswith("/"):
            refuse(
                f"'{pattern}' is not a pattern of names below a folder", "write one like '*.json'"
            )
        names = map(PurePosixPath, self.contents.keys() | self.folders)
        relative_paths = [
            relative.relative_to(top) for relative in sorted(names) if relative.is_relative_to(top)
        ]
        return [
            relative.as_posix()
            for relative in relative_paths
            if relative.parts and _fits(relative.parts, parts)
        ]


def seen_as(module: Module) -> str:
    """Return the `__file__` that the contracts of a module see: the same wherever the package is installed."""
    name = Path(module.file).stem if module.name == "__main__" else module.name.replace(".", "/")
    return f"/{name}/__init__.py" if module.is_package else f"/{name}.py"


_PURE: Final = {cls.__name__: cls for cls in (PurePath, PurePosixPath, PureWindowsPath)}
if TYPE_CHECKING:
    _Pure = PurePath
else:
    _Pure = type(PurePath())  # PurePosixPath or PureWindowsPath, as on this machine


class DataPath(_Pure):
    """The `Path` of contracts. Each module has its own subclass, which knows the files of the module."""

    _files: DataFiles

    def read_bytes(self) -> bytes:
        return self._files.raw(self)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        with self.open("r", encoding=encoding, errors=errors) as file:
            return str(file.read())

    def open(
        self, mode: str = "r", buffering: int = -1, encoding: str | None = None,
        errors: str | None = None, newline: str | None = None,
    ) -> IO[Any]:  # fmt: skip
        if set(mode) & set("wax+"):
            refuse(f"'{self}' is opened to be written", "open it to be read")
        raw = BytesIO(self._files.raw(self))
        return raw if "b" in mode else TextIOWrapper(raw, encoding or "utf-8", errors, newline)

    def is_file(self) -> bool:
        return self._files.name_of(self) in self._files.contents

    def is_dir(self) -> bool:
        return self._files.name_of(self) in self._files.folders

    def exists(self) -> bool:
        return self.is_file() or self.is_dir()

    def glob(self, pattern: str) -> Iterator[object]:
        return (self / name for name in self._files.below(self, pattern))

    def rglob(self, pattern: str) -> Iterator[object]:
        return self.glob(f"**/{pattern}")

    def iterdir(self) -> Iterator[object]:
        if not self.is_dir():
            refuse(f"there is no folder '{self}' with data files in it")
        return self.glob("*")

    def resolve(self, strict: bool = False) -> object:
        self._files.name_of(self)
        return type(self)(normpath(self))

    absolute = resolve

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # an attribute that PurePath caches on first access
            raise AttributeError(name)
        refuse(
            f"a contract has no 'Path.{name}'",
            "use read_text('utf-8'), read_bytes() or sorted(….glob(…))",
        )


def refuse(wrong: str, remedy: str = _REMEDY) -> NoReturn:
    """Refuse an access to files, naming the line of the contract that makes it. `wrong` is the problem."""
    frame = sys._getframe(1)
    while OWN not in frame.f_globals and frame.f_back is not None:
        frame = frame.f_back
    location = f"{relative_path(frame.f_code.co_filename)}:{frame.f_lineno}"
    raise DeclarationError(
        f"{location}: {wrong}. A contract reads only the files that its digest holds: {remedy}"
    )


def imported_in(space: Any, name: str, parts: Any, level: int) -> SimpleNamespace | None:
    """Return the stand-in for a module that reads files, if any. `space` is the globals of the importing module."""
    if OWN not in (space or {}) or level:
        return None
    files: DataFiles | None = space[OWN]
    if files is not None:
        return files.imported(name, tuple(parts or ()))
    if name in _READERS:
        refuse(f"'{name}' is imported in a function", "import it at the top of the module")
    return None


def _open(file: Any, *args: Any, **named: Any) -> IO[Any]:
    """Open a file, as the `open` of instrumented copies."""
    files: DataFiles | None = sys._getframe(1).f_globals.get(OWN)
    return open(file, *args, **named) if files is None else files.open(file, *args, **named)  # noqa: PTH123  # passed on


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file in a folder that is neither Python nor hidden."""
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        hidden = any(part.startswith((".", "__pycache__")) for part in inner.parts)
        if path.is_file() and not hidden and path.suffix not in _NO_DATA:
            yield inner.as_posix(), path.read_bytes()


def _fits(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """True if a path matches a glob pattern, part by part. `**` matches any number of parts."""
    if not pattern:
        return not names
    first, *rest = pattern
    if first == "**":
        return any(_fits(names[i:], tuple(rest)) for i in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], first) and _fits(names[1:], tuple(rest))


INSTRUMENTED_BUILTINS["open"] = _open
