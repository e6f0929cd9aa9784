import os
import sys


def limit() -> int:
    return int(os.environ["LIMIT"]) if sys.argv else sys.maxsize
