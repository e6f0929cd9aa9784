"""The depth of JSON from elsewhere. Python's parser recurses for each level, and too many levels would end the process."""

from __future__ import annotations

import re
from typing import Final

_DEEPEST: Final = 128
# Strings, and brackets outside them.
_TOKENS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[][{}]', re.DOTALL)


def shallow(text: str) -> str:
    """Return a text of JSON. Raise ValueError if it is nested too deeply."""
    if text.count("[") + text.count("{") > _DEEPEST and _depth(text) > _DEEPEST:
        raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
    return text


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in "]}":
            depth -= 1
    return deepest
