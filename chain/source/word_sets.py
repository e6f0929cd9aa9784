"""Sets of words written as one text, as in the guard's allowlists."""

from __future__ import annotations


def word_set(text: str, before: str = "") -> frozenset[str]:
    """Return the words of `text`, each with `before` in front."""
    return frozenset(before + word for word in text.split())
