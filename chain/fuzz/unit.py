"""One unit of a round of fuzzing: a run that starts from what the earlier rounds reached. Its work depends only on its job.

`python -m chain.fuzz.unit` is a process for one: it reads a job, a line of JSON, plays it, and answers in JSON. It ends with
its stdin, so it never outlives its parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Any

from chain.fuzz.corpus import CorpusEntry
from chain.fuzz.explorer import CallExplorer, ProblemFound
from chain.fuzz.failure import FuzzFailure
from chain.fuzz.fuzz_targets import descriptions
from chain.fuzz.rounds import Job
from chain.fuzz.runner import explore, finding
from chain.fuzz.step_notation import StepNotation


def play_unit(job: Job) -> dict[str, object]:
    """Return what a unit reached, its report, and the failure that it found, as data for JSON."""
    explorer = CallExplorer(descriptions(job.target)[job.index], job.lines)
    notation = StepNotation(explorer.play, explorer.targets)
    explorer.corpus.load(_entries(job.corpus, notation))
    failure = _search(explorer, notation, job)
    return {
        "corpus": _written(explorer, notation),
        "report": explorer.report.to_json(),
        "failure": None if failure is None else _told(failure, notation),
    }


def _search(explorer: CallExplorer, notation: StepNotation, job: Job) -> AssertionError | None:
    try:
        for lines in job.again:
            explorer.play_again(notation.read(lines))
    except ProblemFound as found:
        return finding(explorer, found.problem)
    try:
        explore(explorer, job.examples, job.steps, job.seed)
    except AssertionError as failure:
        return failure
    return None


def _entries(corpus: Sequence[Any], notation: StepNotation) -> list[CorpusEntry]:
    """Read features; those that share their steps share them here too. Those that cannot be read completely are left out."""
    entries = []
    for lines, features in corpus:
        steps = notation.read(lines)
        if len(steps) == len(lines):
            entries += [
                CorpusEntry(sort, _tupled(feature), met, steps) for sort, feature, met in features
            ]
    return entries


def _written(explorer: CallExplorer, notation: StepNotation) -> list[object]:
    """Write features, together where they have the same steps."""
    written: dict[int, tuple[list[str], list[object]]] = {}
    for sort, feature, met, steps in explorer.corpus.export():
        if id(steps) not in written:
            written[id(steps)] = notation.write(steps), []
        written[id(steps)][1].append((sort, feature, met))
    return list(written.values())


def _told(failure: AssertionError, notation: StepNotation) -> Mapping[str, object]:
    if not isinstance(failure, FuzzFailure):
        return {"text": str(failure), "test": None, "steps": [], "pictures": []}
    pictures = [picture.svg(dark=True) for picture in failure.pictures]
    steps = notation.write(failure.steps)
    return {"text": str(failure), "test": failure.test, "steps": steps, "pictures": pictures}


def _tupled(value: object) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value


def main() -> None:
    """Play the job on stdin and write the answer to stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    job = Job(**json.loads(sys.stdin.readline()))
    Thread(target=_end_with_stdin, daemon=True).start()
    out, sys.stdout = sys.stdout, sys.stderr  # what contracts print must not mix with the answer
    try:
        answer = play_unit(job)
    except Exception as problem:  # of the description: the next process would fail too
        answer = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(answer), file=out, flush=True)


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
