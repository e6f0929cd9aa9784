"""Results that are expensive to compute, cached on disk: in `~/.cache/boardchain/made`, or under `XDG_CACHE_HOME`.

A key contains everything that a result depends on. The file is named by the hash of the key, which includes Python's
magic number, because `marshal` writes it; a checksum shows that it is complete. A file is first written under another
name, so two processes do not disturb each other. If anything is wrong with a file or the folder, the result is computed
again. `BOARDCHAIN_CACHE=off` turns the cache off.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from threading import get_ident
from typing import Any, Final

from chain.foundation.light_hashes import fingerprint, raw_fingerprint

_CHAIN: Final = Path(__file__).parent.parent
# The code that determines the results: the packages up to the one that instruments.
_PACKAGES: Final = (
    ".", "abi", "crypto", "foundation", "guard", "metering", "source", "spec", "storage", "values",
)  # fmt: skip
_MOST: Final = 2000  # files
_DIGEST: Final = 32  # bytes


def cache_folder() -> Path:
    """Return the folder for what can be made again, whether it is there or not."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "boardchain")


def load(*key: object) -> Any:
    """Return the result that was saved for a key; None if there is none."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        file = _file_of(key)
        if file is not None and file.exists():
            raw = file.read_bytes()
            if raw_fingerprint(raw[_DIGEST:]) == raw[:_DIGEST]:
                os.utime(file)
                return marshal.loads(raw[_DIGEST:])
    return None


def save(result: Any, *key: object) -> None:
    """Save a result for a key, if possible."""
    with suppress(OSError, ValueError):
        file = _file_of(key)
        if file is None:
            return
        body = marshal.dumps(result)
        new = file.with_name(f"{file.name}-{os.getpid()}-{get_ident()}")
        new.write_bytes(raw_fingerprint(body) + body)
        new.replace(file)
        _forget_oldest(file.parent)


def _file_of(key: tuple[object, ...]) -> Path | None:
    folder = _folder()
    name = fingerprint(repr((_version(), key)))
    return None if folder is None else folder / name


def _folder() -> Path | None:
    """Return the folder, created if it is missing; None if the cache is off, or if other users may write to the folder."""
    if os.environ.get("BOARDCHAIN_CACHE", "").lower() in ("off", "0", "no"):
        return None
    folder = cache_folder() / "made"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder if is_safe(folder) else None


def is_safe(path: Path) -> bool:
    """Return True if a file or folder is this user's, and no other user may write to it."""
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


@cache
def _version() -> str:
    """Describe this Python and our own sources, as Python does for its compiled files: by size and time."""
    sources = [
        (name, entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
        for name in _PACKAGES
        for entry in os.scandir(_CHAIN / name)
        if entry.name.endswith(".py")
    ]
    return repr((sys.version, sys.flags, MAGIC_NUMBER, sorted(sources)))


def _forget_oldest(folder: Path) -> None:
    """Delete the least recently used files, if there are many."""
    files = list(folder.iterdir())
    if len(files) > _MOST:
        files.sort(key=lambda file: file.stat().st_mtime)
        for file in files[: len(files) - _MOST * 3 // 4]:
            file.unlink(missing_ok=True)
