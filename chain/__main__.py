"""`python -m chain` is the command `boardchain`."""

from __future__ import annotations

import sys

if not sys.flags.safe_path:  # Python looks for modules in the working directory first
    sys.path.append(sys.path.pop(0))

from chain.cli.main import main

if __name__ == "__main__":
    main()
