"""A process that plays games: `python -m chain.arena.player` reads chunks from stdin and answers with rows on stdout.

A chunk is a line of JSON with the plan and the numbers of the games, the answer a line with the digest of the code here and the
rows. What games print goes to stderr. The process ends with its stdin, so it survives nobody who started it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import cache

from chain.arena.find_game import digest_of
from chain.arena.match import play_game
from chain.arena.plan import Plan


def main() -> None:
    """Answer chunks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    digest = cache(digest_of)
    for line in sys.stdin:
        chunk = json.loads(line)
        plan = Plan.from_json(chunk["plan"])
        rows = [play_game(plan, number) for number in chunk["games"]]
        answer = json.dumps({"digest": digest(plan.target), "rows": rows})
        try:
            print(answer, file=answers, flush=True)
        except BrokenPipeError:  # nobody waits for it any more
            os._exit(1)


if __name__ == "__main__":
    main()
