"""Pictures of states in a notebook: after `%load_ext chain.pictures` a cell that ends in a state shows its board.

States stay plain values that know nothing of pictures. Handles show the board of the latest move without this extension.
"""

from __future__ import annotations

from typing import Any

from chain.pictures.boards import picture_of


def load_ipython_extension(shell: Any) -> None:
    """Show states of games as pictures in this notebook: `%load_ext chain.pictures`."""
    shell.display_formatter.formatters["image/svg+xml"].for_type(object, _svg)


def _svg(value: object) -> str | None:
    """The picture of a state; for other values, their own SVG."""
    own = getattr(type(value), "_repr_svg_", None)
    if own is not None:
        shown: str | None = own(value)
        return shown
    drawn = picture_of(value)
    return None if drawn is None else drawn.svg()
