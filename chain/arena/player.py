"""A process that plays games: `python -m chain.arena.player` reads chunks from stdin and answers with rows on stdout.

A chunk is a line of JSON: the plan, the numbers of the games, how many seconds of computing a game may take, and perhaps a file
for the moves of a game that ended a player before. The answer is a line with the digest of the code here, and a line for each
game as soon as it is over. The output of games goes to stderr. The process ends with its stdin, so it never outlives its
parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import cache
from pathlib import Path

from chain.arena.find_game import digest_of
from chain.arena.match import play_game
from chain.arena.plan import Plan


def main() -> None:
    """Play chunks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    digest = cache(digest_of)

    def answer(value: object) -> None:
        try:
            print(json.dumps(value), file=answers, flush=True)
        except BrokenPipeError:  # nobody waits for it any longer
            os._exit(1)

    for line in sys.stdin:
        chunk = json.loads(line)
        plan, journal = Plan.from_json(chunk["plan"]), chunk["journal"]
        answer(digest(plan.target))
        for number in chunk["games"]:
            seconds, moves = chunk["seconds"], journal and Path(journal)
            answer(play_game(plan, number, seconds=seconds, journal=moves))


if __name__ == "__main__":
    main()
