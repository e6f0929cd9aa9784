"""Transcripts that can be replayed: texts with every request made to a chain, and the outcome of each.

`record(chain)` writes a transcript. `replay(text)` plays it on a new chain and reports the first step whose outcome differs. So
a play can be kept as a golden file: a changed rule shows as a difference at the first move that it affects.
"""

from __future__ import annotations

from chain.replays.player import Difference, Replay, check_transcript, replay
from chain.replays.recorder import record
from chain.replays.transcript import BadTranscript

__all__ = ["BadTranscript", "Difference", "Replay", "check_transcript", "record", "replay"]
