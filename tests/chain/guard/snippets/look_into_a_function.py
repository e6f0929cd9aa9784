import inspect
from typing import get_type_hints


def source(rule) -> str:
    return inspect.getsource(rule)
