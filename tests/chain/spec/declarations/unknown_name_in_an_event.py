from __future__ import annotations

from chain import event
from chain.types import u8


@event
class Moved:
    col: u8
    to: Square
