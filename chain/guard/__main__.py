"""`python -m chain.guard contracts.blokus`: the findings, one a line; the exit code is 1 if there are any."""

from __future__ import annotations

import sys

from chain.guard import check


def main(targets: list[str]) -> int:
    if not targets:
        print("write what to check: a package, a folder or a file", file=sys.stderr)
        return 2
    try:
        found = [finding for target in targets for finding in check(target)]
    except (FileNotFoundError, UnicodeDecodeError) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
