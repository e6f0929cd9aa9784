"""Characters that only some versions of Python know: their classes and their `repr` depend on the version.

Unicode grows with each version of Python. These characters are newer than 3.11, the oldest version that is supported.
"""

from __future__ import annotations

import re
from typing import Any, Final

from chain.source.word_sets import word_set

_LETTERS: Final = (
    "\u0cf3 \u0ece \u2ffc-\u2fff \u31ef \U00010efd-\U00010eff \U0001123f-\U00011241 \U00011b00-\U00011b09"
    " \U00011f00-\U00011f10 \U00011f12-\U00011f3a \U00011f3e-\U00011f59 \U0001342f \U00013439-\U00013455 \U0001b132"
    " \U0001b155 \U0001d2c0-\U0001d2d3 \U0001df25-\U0001df2a \U0001e030-\U0001e06d \U0001e08f \U0001e4d0-\U0001e4f9"
    " \U0002b739 \U0002ebf0-\U0002ee5d \U00031350-\U000323af"
)
_PICTURES: Final = (
    "\U0001f6dc \U0001f774-\U0001f776 \U0001f77b-\U0001f77f \U0001f7d9 \U0001fa75-\U0001fa77 \U0001fa87-\U0001fa88"
    " \U0001faad-\U0001faaf \U0001fabb-\U0001fabd \U0001fabf \U0001face-\U0001facf \U0001fada-\U0001fadb \U0001fae8"
    " \U0001faf7-\U0001faf8"
)
_NEW_LETTERS: Final = re.compile(f"[{_LETTERS.replace(' ', '')}]")
_NEW: Final = re.compile(f"[{_LETTERS}{_PICTURES}]".replace(" ", ""))
# Older characters that are numbers or lowercase letters only since 3.12.
_OTHERWISE: Final = re.compile(
    "[\u10fc\u4e24\u4eac\u4fe9\u5006\u62d0\u6d1e\u7695\u79ed\u920e\u94a9\ua7f2-\ua7f4\uab69]"
)
_CHANGED: Final = ("isnumeric", "islower")
# Methods whose result depends on the classes of characters.
ASKING: Final = word_set(
    """
    upper lower casefold swapcase capitalize title isalpha isalnum isdecimal isdigit isidentifier islower isnumeric
    isprintable isspace istitle isupper strip lstrip rstrip split rsplit splitlines
    """
)


def check_known(text: Any, name: str = "") -> None:
    """Check that the classes of a text's characters are the same on every version. The method `name` reads them next."""
    if not isinstance(text, str) or text.isascii():
        return
    match = _NEW.search(text) or (_OTHERWISE.search(text) if name in _CHANGED else None)
    if match is not None:
        raise ValueError(
            f"versions of Python disagree on the class of U+{ord(match[0]):04X}: keep it out of texts that are examined"
        )


def new_letter(text: str) -> str | None:
    """Return the first letter or digit that only some versions know, as "U+…"; None if there is none.

    Symbols such as emoji are harmless if they are only displayed.
    """
    if text.isascii():
        return None
    match = _NEW_LETTERS.search(text)
    return f"U+{ord(match[0]):04X}" if match is not None else None


def escaped(text: str) -> str:
    """Return the `repr` of a value with new characters escaped, as in Python 3.11."""
    return text if text.isascii() else _NEW.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"
