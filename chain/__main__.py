"""`python -m chain` is the command `boardchain`."""

from __future__ import annotations

from chain.cli.main import main

if __name__ == "__main__":
    main()
