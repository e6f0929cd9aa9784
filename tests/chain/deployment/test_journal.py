"""The journal of a deployment: its file is complete after every kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chain.deployment.journal import BadJournal, Journal

RECORD: dict[str, Any] = {
    "status": "done", "what": "Game()", "sender": "0x1", "to": None, "data": "0x", "value": 0,
    "address": "0x2", "transaction": "0x3", "block": 1, "receipt": 0, "gas": 7, "cost": 14,
}  # fmt: skip


def test_journal_survives_a_kill_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "plan.json")
    journal.keep({"Game": RECORD})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        journal.announce("Game", RECORD)
    assert Journal(tmp_path / "plan.json").records == {"Game": RECORD}


def test_runs_are_kept_with_what_they_did(tmp_path: Path) -> None:
    for moves in (["create"], [], ["call", "upgrade"]):
        journal = Journal(tmp_path / "plan.json", {"fee": "3"})
        for action in moves:
            journal.keep({"Game": RECORD}, {"Game": action})
    runs = Journal(tmp_path / "plan.json").runs
    assert [(run["run"], [did["action"] for did in run["did"]]) for run in runs] == [
        (1, ["create"]),
        (2, ["call", "upgrade"]),
    ]
    assert runs[0]["parameters"] == {"fee": "3"}


def test_same_records_are_not_written_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "plan.json")
    journal.keep({"Game": RECORD})
    before = (tmp_path / "plan.json").stat().st_ino
    journal.keep({"Game": dict(RECORD)})
    assert (tmp_path / "plan.json").stat().st_ino == before


def test_draft_leaves_the_journal_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "plan.json")
    journal.keep({"Game": RECORD})
    draft = journal.draft()
    draft.keep({"Game": {**RECORD, "gas": 8}})
    assert journal.records == {"Game": RECORD} == Journal(tmp_path / "plan.json").records


@pytest.mark.parametrize(("text", "says"), [
    ("{", "is not JSON: it was changed by hand"), ("[]", "is not the journal of a deployment"),
    ('{"steps": {"Bank": {"status": "done"}}, "runs": []}', "the record of the step 'Bank' is incomplete"),
    ('{"steps": {}, "sending": {"step": "Bank"}, "runs": []}', "the record of the step 'sending' is incomplete"),
])  # fmt: skip
def test_broken_journal_is_named(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(BadJournal, match=rf"plan\.json.*{says}"):
        Journal(tmp_path / "plan.json")
