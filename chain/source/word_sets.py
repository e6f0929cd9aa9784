"""Sets of words, as the lists of the guard are written."""

from __future__ import annotations


def word_set(text: str, before: str = "") -> frozenset[str]:
    """The words of a text, each with something before it."""
    return frozenset(before + word for word in text.split())
