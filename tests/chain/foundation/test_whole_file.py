"""Files are written completely or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain.foundation.whole_file import write_whole


def test_full_disk_leaves_the_former_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "report.html"
    write_whole(file, "former")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, "new")
    assert file.read_text() == "former"
    assert list(tmp_path.iterdir()) == [file]


def test_link_and_device_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "report.html", tmp_path / "latest.html"
    link.symlink_to(file)
    write_whole(link, "new")
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    write_whole(Path("/dev/null"), "new")
    assert not Path("/dev/null").is_file()
