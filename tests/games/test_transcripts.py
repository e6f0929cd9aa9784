"""A play kept as a transcript checks the rules: a changed rule shows at the first move that it changes.

After a change on purpose, `boardchain replay --update tests/games/transcripts/deblockle.jsonl` writes it again.
"""

from __future__ import annotations

from pathlib import Path

from chain.replays import check_transcript

DEBLOCKLE = Path(__file__).parent / "transcripts" / "deblockle.jsonl"


def test_deblockle_plays_as_it_did() -> None:
    check_transcript(DEBLOCKLE, packages=["contracts.deblockle"], moves_only=True)
