"""Strategies for moves of Blokus: placements of any piece anywhere, and passes."""

from __future__ import annotations

from hypothesis import strategies as st

from contracts.blokus.move import Move, pass_of
from contracts.blokus.pieces import PIECES

placements = st.builds(
    Move,
    piece=st.sampled_from(PIECES),
    position=st.tuples(st.integers(0, 19), st.integers(0, 19)),
    rotation=st.sampled_from([0, 90, 180, 270]),
    player_id=st.integers(1, 4),
    flip=st.booleans(),
)
moves = placements | st.builds(pass_of, st.integers(1, 4))
