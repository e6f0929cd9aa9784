"""The colours of pictures by name, each for a light and for a dark page.

A shape is painted with a name. It has the light colour as an attribute, and a class for which the stylesheet has the
dark one: a stylesheet overrides attributes, so a page with these rules turns every picture dark.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

COLOURS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        # A page and its text.
        "ground": ("#fcfbf9", "#16181c"),
        "panel": ("#f1efea", "#22252b"),
        "cell": ("#e7e4dd", "#2c3037"),
        "line": ("#cdc8bd", "#454a54"),
        "ink": ("#23262b", "#ebe8e2"),
        "muted": ("#62676f", "#a7acb5"),
        "accent": ("#c7125c", "#ff6fa5"),
        "halo": ("#ffffff", "#101114"),
        # The colours of a player: the piece itself, its border, and a tint.
        "blue": ("#3273c4", "#4a8be0"),
        "blue-deep": ("#1d4c8b", "#24528f"),
        "blue-pale": ("#c7dbf3", "#25405f"),
        "yellow": ("#efb526", "#e2aa24"),
        "yellow-deep": ("#97690a", "#7d5a0e"),
        "yellow-pale": ("#f9e5ae", "#544416"),
        "red": ("#d2463f", "#dd5a52"),
        "red-deep": ("#8f2823", "#8a2c27"),
        "red-pale": ("#f5cdca", "#5a2a28"),
        "green": ("#389a5a", "#44a868"),
        "green-deep": ("#1f6538", "#1f653a"),
        "green-pale": ("#c6e6d0", "#1f4a32"),
        "purple": ("#8450b3", "#9c6bcc"),
        "purple-deep": ("#552b7c", "#563180"),
        "purple-pale": ("#dfcfee", "#432b5e"),
        "orange": ("#e2892a", "#e6963e"),
        "orange-deep": ("#9a570d", "#8f5613"),
        "orange-pale": ("#fadfbf", "#57381a"),
        # Materials.
        "white": ("#ffffff", "#f3f2ef"),
        "coal": ("#2b2110", "#1f180b"),
        "night": ("#2b2f40", "#0d0f16"),
        "sand": ("#efe8da", "#2b2a27"),
        "sand-deep": ("#e0d6c1", "#35332e"),
        "grass": ("#a5c585", "#4f6b40"),
        "grass-deep": ("#7f9f5f", "#3c5330"),
        "road": ("#f7efdc", "#d3c5a1"),
        "road-deep": ("#8d7550", "#4d4029"),
        "brick": ("#cf9256", "#a8723f"),
        "brick-deep": ("#7d4d20", "#4e3013"),
        "stone": ("#a6a8ab", "#6d7177"),
        "stone-deep": ("#77797d", "#4b4e53"),
    }
)

PAINTS: Final = ("fill", "stroke")


def class_of(paint: str, colour: str) -> str:
    """Return the class of a shape whose fill or stroke has that colour."""
    return f"{paint[0]}-{colour}"


def dark_rules() -> str:
    """Return the stylesheet that gives every painted shape its dark colour."""
    return "".join(
        f".{class_of(paint, name)}{{{paint}:{dark}}}"
        for name, (_, dark) in COLOURS.items()
        for paint in PAINTS
    )


STYLESHEET: Final = f"@media (prefers-color-scheme: dark){{{dark_rules()}}}"
