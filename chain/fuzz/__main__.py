"""`python -m chain.fuzz`: see `chain.fuzz.command`."""

import sys

from chain.fuzz.command import main

sys.exit(main())
