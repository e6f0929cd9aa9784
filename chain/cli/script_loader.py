"""Loading of the user's scripts as modules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType

import click

from chain.source.location import Source
from chain.source.user_modules import add_folder, add_project


def loaded(script: Path) -> ModuleType:
    """Return the module in a file. It may import the modules in its folder and those in the working directory."""
    add_folder(Path.cwd())
    add_project(script.resolve().parent)
    spec = spec_from_file_location(f"script_{script.stem}", script)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{script} is not a Python script: its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # so that the module of its classes can be looked up
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        location = Source(error.filename or str(script), error.lineno or 1)
        raise click.UsageError(f"{location}: this is not valid Python: {error.msg}") from None
    return module


def takes_chain(main: Callable[..., object]) -> bool:
    """Return True if a script's main takes the chain as an argument."""
    return len(signature(main).parameters) > 0
