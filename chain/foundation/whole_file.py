"""Files that are written completely or not at all: under another name until they are complete."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file, or leave it as it was. Anything else, such as /dev/stdout, is written at once."""
    if file.exists() and not file.is_file():
        file.write_text(text, "utf-8")
        return
    file = file.resolve()  # a link stays
    fresh = file.with_name(f"{file.name}-new")
    try:
        with fresh.open("w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
