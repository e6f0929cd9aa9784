"""A wrong declaration is reported when the class is made: where, what is wrong, what to write instead.

Each file in `declarations` holds one mistake; beside it stands all that its author reads. After a change on purpose,
`pytest tests/chain/spec/test_declarations.py --rewrite` writes these texts anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from chain import Chain, Contract, DeclarationError
from chain.spec.class_reader import RESERVED_HANDLE_NAMES

FOLDER = Path(__file__).parent / "declarations"
MISTAKES = sorted(path.stem for path in FOLDER.glob("*.py"))


def complaint_about(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the file says when it is run in its own folder."""
    path, module = FOLDER / f"{name}.py", ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(FOLDER)
    with pytest.raises(DeclarationError) as caught:
        exec(compile(path.read_text("utf-8"), path, "exec", dont_inherit=True), vars(module))
    return f"{caught.value}\n"


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_explained(
    name: str, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    golden(FOLDER / f"{name}.txt", complaint_about(name, monkeypatch))


@pytest.mark.parametrize("name", MISTAKES)
def test_complaint_names_the_line(name: str) -> None:
    said = (FOLDER / f"{name}.txt").read_text("utf-8")
    assert re.match(rf"{name}\.py:\d+: .+[;:] .+\n\Z", said)


def test_no_entry_can_hide_part_of_a_handle(chain: Chain) -> None:
    class Empty(Contract): ...

    parts = {name for name in dir(chain.deploy(Empty)) if not name.startswith("_")}
    assert parts <= {*dir(Contract), *RESERVED_HANDLE_NAMES}
