"""Transcripts that can be played again: a text with all that was asked of a chain, and what came of it.

`record(chain)` writes one, `replay(text)` plays it on a fresh chain and says at which move something else comes of it. So a
play can be kept as a golden file: a changed rule shows as a difference at the first move that it changes.
"""

from __future__ import annotations

from chain.replays.player import (
    Difference,
    Replay,
    check_transcript,
    replay,
)
from chain.replays.recorder import record
from chain.replays.transcript import BadTranscript

__all__ = ["BadTranscript", "Difference", "Replay", "check_transcript", "record", "replay"]
