"""Functions of the standard library that differ between the versions of Python, alike on all of them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from itertools import takewhile
from string import ascii_letters, digits
from typing import Any, Final

_BLANKS: Final = " \t"
_LETTERS: Final = f"{ascii_letters}{digits}+/".encode()
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")


def b64encode(data: Any, altchars: Any = None) -> bytes:
    """Return `base64.b64encode(…)`."""
    if altchars is not None and len(altchars) != 2:
        raise ValueError(f"invalid altchars: {altchars!r}")
    return base64.b64encode(data, altchars)


def b64decode(data: object, altchars: object = None, validate: bool = False) -> bytes:
    """Return `base64.b64decode(…)`. Letters after the padding are an error; some versions leave them out."""
    raw = _bytes_of(data)
    if altchars is not None:
        others = _bytes_of(altchars)
        if len(others) != 2:
            raise ValueError(f"invalid altchars: {altchars!r}")
        raw = raw.translate(bytes.maketrans(others, b"+/"))
    padding = raw[raw.find(b"=") :] if b"=" in raw else b""
    if not validate and padding.translate(None, _LETTERS) != padding:
        raise binascii.Error("letters after the padding")
    return base64.b64decode(raw, None, validate)


def urlsafe_b64decode(data: object) -> bytes:
    """Return `base64.urlsafe_b64decode(…)`. Missing padding is an error; some versions do without."""
    return b64decode(_bytes_of(data).translate(_URL_SAFE))


def _bytes_of(data: Any) -> bytes:
    if isinstance(data, str):
        if not data.isascii():
            raise ValueError("string argument should contain only ASCII characters")
        return data.encode()
    return memoryview(data).tobytes()


def dedent(text: str) -> str:
    """Return `textwrap.dedent(text)`. A line is empty if it has spaces and tabs alone; some versions know further signs."""
    lines = [line if line.strip(_BLANKS) else "" for line in text.split("\n")]
    margins = [line[: len(line) - len(line.lstrip(_BLANKS))] for line in lines if line]
    common = takewhile(lambda signs: len(set(signs)) == 1, zip(*margins, strict=False))
    width = len(list(common))
    return "\n".join(line[width:] for line in lines)


ALIKE: Final[dict[str, Callable[..., Any]]] = {
    "base64.b64encode": b64encode,
    "base64.b64decode": b64decode,
    "base64.urlsafe_b64decode": urlsafe_b64decode,
}
