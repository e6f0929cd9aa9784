"""Characters that only some versions of Python know: their classes and their `repr` depend on the version.

Unicode grows with each version of Python. These characters are newer than 3.11, the oldest version that is supported.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from chain.source.word_sets import word_set

_LETTERS: Final = (
    "\u088f \u0897 \u0c5c \u0cdc \u0cf3 \u0ece \u1acf-\u1add \u1ae0-\u1aeb \u1b4e-\u1b4f \u1b7f \u1c89-\u1c8a \u20c1"
    " \ua7cb-\ua7cf \ua7d2 \ua7d4 \ua7da-\ua7dc \ua7f1 \U000105c0-\U000105f3 \U00010940-\U00010959"
    " \U00010d40-\U00010d65 \U00010d69-\U00010d85 \U00010d8e-\U00010d8f \U00010ec2-\U00010ec7 \U00010ed0"
    " \U00010efa-\U00010eff \U0001123f-\U00011241 \U00011380-\U00011389 \U0001138b \U0001138e \U00011390-\U000113b5"
    " \U000113b7-\U000113c0 \U000113c2 \U000113c5 \U000113c7-\U000113ca \U000113cc-\U000113d5 \U000113d7-\U000113d8"
    " \U000113e1-\U000113e2 \U000116d0-\U000116e3 \U00011b00-\U00011b09 \U00011b60-\U00011b67 \U00011bc0-\U00011be1"
    " \U00011bf0-\U00011bf9 \U00011db0-\U00011ddb \U00011de0-\U00011de9 \U00011f00-\U00011f10 \U00011f12-\U00011f3a"
    " \U00011f3e-\U00011f5a \U0001342f \U00013439-\U00013455 \U00013460-\U000143fa \U00016100-\U00016139"
    " \U00016d40-\U00016d79 \U00016ea0-\U00016eb8 \U00016ebb-\U00016ed3 \U00016ff2-\U00016ff6 \U000187f8-\U000187ff"
    " \U00018cff \U00018d09-\U00018d1e \U00018d80-\U00018df2 \U0001b132 \U0001b155 \U0001ccf0-\U0001ccf9 \U0001cef0"
    " \U0001d2c0-\U0001d2d3 \U0001df25-\U0001df2a \U0001e030-\U0001e06d \U0001e08f \U0001e4d0-\U0001e4f9"
    " \U0001e5d0-\U0001e5fa \U0001e5ff \U0001e6c0-\U0001e6de \U0001e6e0-\U0001e6f5 \U0001e6fe-\U0001e6ff"
    " \U0001f8d0-\U0001f8d8 \U0002b739-\U0002b73f \U0002cea2-\U0002cead \U0002ebf0-\U0002ee5d \U00031350-\U00033479"
)
_PICTURES: Final = (
    "\u2427-\u2429 \u2b96 \u2ffc-\u2fff \u31e4-\u31e5 \u31ef \ufbc3-\ufbd2 \ufd90-\ufd91 \ufdc8-\ufdce"
    " \U00010ed1-\U00010ed8 \U0001cc00-\U0001ccef \U0001ccfa-\U0001ccfc \U0001cd00-\U0001ceb3 \U0001ceba-\U0001ced0"
    " \U0001cee0-\U0001ceef \U0001f6d8 \U0001f6dc \U0001f774-\U0001f77f \U0001f7d9 \U0001f8b2-\U0001f8bb"
    " \U0001f8c0-\U0001f8c1 \U0001fa54-\U0001fa57 \U0001fa75-\U0001fa77 \U0001fa87-\U0001fa8a \U0001fa8e-\U0001fa8f"
    " \U0001faad-\U0001faaf \U0001fabb-\U0001fabf \U0001fac6 \U0001fac8 \U0001facd-\U0001facf \U0001fada-\U0001fadc"
    " \U0001fadf \U0001fae8-\U0001faea \U0001faef \U0001faf7-\U0001faf8 \U0001fbcb-\U0001fbef \U0001fbfa"
)
# Older characters whose class or case is another one since then.
_OTHERWISE: Final = (
    "\u019b\u0264\u0295\u10fc\u200c\u200d\u30fb\u4e24\u4eac\u4fe9\u5006\u62d0\u6d1e\u7695\u79ed\u920e\u94a9"
    "\ua7d3\ua7d5\ua7f2-\ua7f4\uab69\uff65\U0001171e\U00012038\U00012039\U00012079\U00012226\U0001222b\U0001230b"
    "\U0001230d\U00012399"
)
_CHANGED: Final = word_set(
    "isidentifier islower isnumeric istitle isupper upper lower swapcase capitalize title"
)
# Methods whose result depends on the classes of characters.
ASKING: Final = word_set(
    """
    upper lower casefold swapcase capitalize title isalpha isalnum isdecimal isdigit isidentifier islower isnumeric
    isprintable isspace istitle isupper strip lstrip rstrip split rsplit splitlines
    """
)


def check_known(text: object, name: str = "") -> None:
    """Check that the classes of a text's characters are the same on every version. The method `name` reads them next."""
    if not isinstance(text, str) or text.isascii():
        return
    match = _any_of(_LETTERS, _PICTURES).search(text) or (
        _any_of(_OTHERWISE).search(text) if name in _CHANGED else None
    )
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
    match = _any_of(_LETTERS).search(text)
    return f"U+{ord(match[0]):04X}" if match is not None else None


def escaped(text: str) -> str:
    """Return the `repr` of a value with new characters escaped, as in Python 3.11."""
    return text if text.isascii() else _any_of(_LETTERS, _PICTURES).sub(_escape, text)


@cache  # few programs need one
def _any_of(*characters: str) -> re.Pattern[str]:
    return re.compile(f"[{''.join(characters).replace(' ', '')}]")


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"
