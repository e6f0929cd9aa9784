"""The journal of a plan on one chain: a folder with a JSON file for each step, written completely or not at all.

Before a transaction is sent, its step is recorded as `sending`, with the sender's nonce; afterwards as `done`. If the process
is killed between the two, the next run finds out from the chain whether the transaction was made.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

Record = dict[str, Any]

DONE: Final = "done"
SENDING: Final = "sending"


class BadJournal(ValueError):
    """A file of the journal cannot be read; the message says which."""


class Journal:
    """The records of one chain, by step. Without a folder they are kept in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._kept: dict[str, Record] = {}

    def read(self, step: str) -> Record | None:
        """Return the record of a step; None if there is none."""
        if self.folder is None:
            return self._kept.get(step)
        path = self._path(step)
        try:
            record = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise BadJournal(
                f"{path} is not a record of a deployment: it was changed by hand, mend or remove it"
            ) from None
        if not isinstance(record, dict) or record.get("step") != step:
            raise BadJournal(f"{path} is not a record of the step '{step}': mend or remove it")
        return record

    def write(self, step: str, record: Record) -> None:
        """Write the record of a step."""
        whole = {"step": step} | record | {"step": step}
        if self.folder is None:
            self._kept[step] = whole
            return
        path = self._path(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}-new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(whole, file, indent=2, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    def keep_version(self, step: str, record: Record) -> None:
        """Keep the record of a contract that a new version will be deployed beside."""
        self.write(f"{step}@{record.get('version', 1)}", record)

    def _path(self, step: str) -> Path:
        assert self.folder is not None
        name = "".join(
            character if character.isalnum() or character in "-_.,()@#" else "_"
            for character in step
        )
        return self.folder / f"{name}.json"


def folder_for(where: str, base: Path) -> Path:
    """Return the folder of a chain, named after its file or after the address of its node."""
    if "://" in where:
        parts = urlsplit(where)
        return base / f"{parts.hostname}-{parts.port or parts.scheme}"
    return base / Path(where).stem
