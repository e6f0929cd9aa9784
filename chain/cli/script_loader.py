"""Scripts of people, loaded as modules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from chain.source.location import Source
from chain.source.user_modules import look_in


def loaded(script: Path) -> ModuleType:
    """The module in a file, which may import what stands beside it and what is in the working directory."""
    look_in(Path.cwd())
    look_in(script.resolve().parent)
    spec = spec_from_file_location(f"script_{script.stem}", script)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{script} is no Python: a script ends in .py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where its classes are looked up
    try:
        spec.loader.exec_module(module)
    except SyntaxError as wrong:
        place = Source(wrong.filename or str(script), wrong.lineno or 1)
        raise click.UsageError(f"{place}: this is not Python: {wrong.msg}") from None
    return module


def takes_chain(main: Callable[..., Any]) -> bool:
    """Whether a script's main plays on the chain that it is given."""
    return len(signature(main).parameters) > 0
