"""Sagrada on a chain: who may do what, what is stored, what is told and what is hidden."""

from __future__ import annotations

from pathlib import Path

from contracts.sagrada.playouts import NAMES, opening
from contracts.sagrada.rules import from_text
from contracts.sagrada.state import State

ROOT = Path(__file__).parents[2]
ENTRIES = [
    "create_game", "load_game", "choose_frame", "force_start", "execute_command", "undo", "redo", "force_pass",
    "private_objective", "window_frames", "current_player", "is_undo_available", "is_redo_available", "is_game_ended",
    "legal_commands", "score", "winner", "data",
]  # fmt: skip
PLAYERS = list(NAMES[:3])
LINE = (
    "{round} {counts} {track} {bag} {pool} - - - {in_use} 13.14.15 1:0.2:0.8:0"
    " {order} ada:4:23:Plain:4:{free}:{window} bruno:4:24:Plain:4:{free}:{free}"
)


def table(**parts: str) -> State:
    """A whole game for two, ada to move: what is not told elsewhere is in the bag."""
    told = {"round": "1", "counts": "0.0.0.0.0.0.0.0.0.0", "track": "-", "in_use": "0/0"}
    told |= {"pool": "R1a.G2a.Y3a.B4a.P5a", "order": "0@0:0.1.1.0", "window": "." * 20}
    told |= parts
    out = (
        [
            f"{told['pool']}{told['track']}{told['window']}".count(f"{c}{s}{n}")
            for n in "abcdefghijklmnopqr"
            for c in "RGYBP"
            for s in ("",)
        ]
        if False
        else None
    )
    return (
        from_text(LINE.format(**told, free="." * 20, bag="1" * 90)) if out is None else opening(1)
    )
