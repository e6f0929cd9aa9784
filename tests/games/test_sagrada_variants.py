"""A test of the tests: wrong variants of the cards and of the code, each of which a test must notice.

A variant is the whole package once more with one text replaced, imported in place of the real one together with the test
that should fail. `test_variants_touch_everything` minds that no card, condition, instruction or pattern is left out.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

import contracts
from contracts import sagrada
from contracts.sagrada.conditions import CONDITIONS
from contracts.sagrada.instructions import INSTRUCTIONS
from contracts.sagrada.library import LIBRARY
from contracts.sagrada.patterns import PATTERNS

HERE: Final = Path(__file__).parent
PACKAGE: Final = Path(sagrada.__file__).parent
NAME: Final = "contracts.sagrada"

# By line: what is wrong, in which file, what it says and what it should not say, and the test that notices.
VARIANTS: Final = json.loads((HERE / "sagrada_variants.json").read_text("utf-8"))


@contextmanager
def in_place_of_the_package(folder: Path) -> Iterator[None]:
    """Within this scope the package is the one in `folder`."""
    real = {name: sys.modules.pop(name) for name in [*sys.modules] if name.startswith(NAME)}
    path, contracts.__path__ = contracts.__path__, [str(folder)]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        contracts.__path__, contracts.sagrada = path, sagrada
        for name in [name for name in sys.modules if name.startswith(NAME)]:
            del sys.modules[name]
        sys.modules.update(real)


def module(name: str) -> ModuleType:
    spec = spec_from_file_location(f"{NAME}.test_{name}", HERE / f"test_sagrada_{name}.py")
    assert spec and spec.loader
    loaded = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def runs(name: str, test: str) -> Iterator[Callable[[], None]]:
    """Yield the test whose name has this in it, once for each of its parameters."""
    tests = {key: value for key, value in vars(module(name)).items() if key.startswith("test_")}
    (found,) = (value for key, value in tests.items() if test in key)
    marks = [mark for mark in getattr(found, "pytestmark", []) if mark.name == "parametrize"]
    for values in product(*(mark.args[1] for mark in marks)):
        arguments: dict[str, Any] = {}
        for mark, value in zip(marks, values, strict=True):
            names = [mark.args[0]] if isinstance(mark.args[0], str) else mark.args[0]
            arguments |= zip(names, value if len(names) > 1 else [value], strict=True)
        assert set(arguments) == set(signature(found).parameters)
        yield partial(found, **arguments)


def passes(name: str, test: str) -> bool:
    try:
        for run in runs(name, test):
            run()
    except (Exception, pytest.fail.Exception):
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "right", "wrong", "name", "test"),
    [variant[1:] for variant in VARIANTS],
    ids=[f"{number}: {variant[0]}" for number, variant in enumerate(VARIANTS, 1)],
)
def test_variant_is_noticed(
    tmp_path: Path, file: str, right: str, wrong: str, name: str, test: str
) -> None:
    copied = Path(shutil.copytree(PACKAGE, tmp_path / "sagrada")) / file
    text = copied.read_text("utf-8")
    assert right in text
    copied.write_text(text.replace(right, wrong, 1), "utf-8")
    with in_place_of_the_package(tmp_path):
        assert not passes(name, test)


def test_tests_pass_without_a_variant(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "sagrada")
    with in_place_of_the_package(tmp_path):
        failing = {(name, test) for *_, name, test in VARIANTS if not passes(name, test)}
    assert not failing


def test_variants_touch_everything() -> None:
    touched = {variant[0] for variant in VARIANTS}
    assert touched >= {f"tool {number}" for number in LIBRARY.tools}
    assert touched >= {f"objective {number}" for number in (*LIBRARY.public, *LIBRARY.private)}
    for kind, table in (
        ("condition", CONDITIONS),
        ("instruction", INSTRUCTIONS),
        ("pattern", PATTERNS),
    ):
        assert touched >= {f"{kind} {name}" for name in table}
