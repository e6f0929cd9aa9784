"""A contract reads the data files in its digest, with the digested content, and no others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, DeclarationError
from chain.metering.program import program_of

CONTRACT = """from chain import Contract, view

from . import library


class {name}(Contract):
    @view
    def told(self) -> str:
        return str(library.TEXT)
"""
FILES = {
    "shared.txt": "shared",
    "deck/__init__.py": "",
    "deck/.cards": "hidden",
    "deck/cards.pyi": "stub",
    "deck/cards.txt": "ace\r\nking",
    "deck/data/b.json": "[2]",
    "deck/data/a.json": "[1]",
    "deck/data/more/c.json": "[3]",
}
HEAD = """from pathlib import Path
from importlib.resources import files

folder = Path(__file__).parent


def opened(*args):
    with open(*args) as file:
        return file.read()


def tried(read):
    try:
        return read()
    except (OSError, UnicodeDecodeError):
        return "nothing"


"""

READ = [
    ("(folder / 'cards.txt').read_text('utf-8')", "ace\nking"),
    ("(folder / 'cards.txt').read_bytes()", "b'ace\\r\\nking'"),
    ("(folder / 'data' / '..' / 'cards.txt').read_text('utf-8')", "ace\nking"),
    ("folder.resolve().joinpath('data', 'a.json').read_text('utf-8')", "[1]"),
    ("str(folder), __file__, folder.parts", "('/deck', '/deck/library.py', ('/', 'deck'))"),
    ("Path(__file__).with_name('cards.txt').read_text('utf-8')", "ace\nking"),
    ("files(__package__).joinpath('cards.txt').read_text('utf-8')", "ace\nking"),
    ("opened(folder / 'cards.txt')", "ace\nking"),
    ("opened(folder / 'cards.txt', 'rb')", "b'ace\\r\\nking'"),
    ("[p.name for p in sorted(folder.glob('data/*.json'))]", "['a.json', 'b.json']"),
    ("[p.name for p in sorted(folder.rglob('*.json'))]", "['a.json', 'b.json', 'c.json']"),
    ("[p.name for p in sorted(folder.glob('**/c.json'))]", "['c.json']"),
    ("[p.name for p in sorted(folder.iterdir())]", "['cards.txt', 'data']"),
    ("[(folder / n).exists() for n in ('cards.txt', 'data', '.cards', 'x')]", "[True, True, False, False]"),
    ("(folder / 'data').is_dir(), (folder / 'data').is_file()", "(True, False)"),
]  # fmt: skip
REFUSED = [
    ("(folder / '../shared.txt').read_text('utf-8')", "is outside of "),
    ("(folder.parent / 'shared.txt').read_bytes()", "is outside of "),
    ("[p.name for p in sorted(folder.parent.glob('*.txt'))]", "is outside of "),
    ("[p.name for p in sorted(folder.glob('../*.txt'))]", "'../*.txt' is not a pattern of names below a folder"),
    ("(folder / '.cards').read_text('utf-8')", "there is no data file '.cards' in "),
    ("(folder / 'cards.pyi').read_text('utf-8')", "there is no data file 'cards.pyi' in "),
    ("(folder / 'library.py').read_text('utf-8')", "there is no data file 'library.py' in "),
    ("(folder / 'none.txt').read_text('utf-8')", "there is no data file 'none.txt' in "),
    ("opened(folder / '../shared.txt')", "is outside of "),
    ("opened('cards.txt')", "'cards.txt' is relative to the directory in which the program was started"),
    ("opened(folder / 'cards.txt', 'r+')", "is opened to be written"),
    ("files('json').joinpath('__init__.py').read_text('utf-8')", "files('json') is another package's folder"),
    ("(folder / 'cards.txt').stat().st_size", "a contract has no 'Path.stat'"),
]  # fmt: skip


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Writes a package whose library has that text, and imports a contract of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str, *, name: str = "Deck", head: str = HEAD) -> Any:
        files = {**FILES, "deck/library.py": f"{head}TEXT = {text}\n"}
        for file, content in {**files, "deck/contract.py": CONTRACT.format(name=name)}.items():
            path = tmp_path / file
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(content.encode())
        _forget()
        return getattr(importlib.import_module("deck.contract"), name)

    yield write
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "deck"]:
        del sys.modules[name]


def _told(contract: Any) -> str:
    told: str = Chain(guard=False).deploy(contract).told()
    return told


@pytest.mark.parametrize(("text", "told"), READ)
def test_files_of_the_digest_are_read(deck: Callable[..., Any], text: str, told: str) -> None:
    assert _told(deck(text)) == told


@pytest.mark.parametrize(("text", "wrong"), REFUSED)
def test_other_files_are_refused(deck: Callable[..., Any], text: str, wrong: str) -> None:
    """The module that Python imports may read any file; its instrumented copy may not."""
    contract = deck(f"tried(lambda: {text})")
    with pytest.raises(DeclarationError) as problem:
        _told(contract)
    line = 8 if "opened" in text else 19
    assert f"library.py:{line}: " in str(problem.value) and wrong in str(problem.value)
    assert " A contract reads only the files that its digest holds: " in str(problem.value)


def test_an_import_in_a_function_reads_nothing(deck: Callable[..., Any]) -> None:
    head = "def read(n):\n    from pathlib import Path\n    return Path(__file__).with_name(n).read_text('utf-8')\n\n"
    contract = deck("read('cards.txt')", head=head)
    with pytest.raises(DeclarationError, match=r"library\.py:2: 'pathlib' is imported in a func"):
        _told(contract)


@pytest.mark.parametrize(
    "head",
    [
        "import pathlib\nfolder = pathlib.Path(__file__).parent\n",
        "import importlib.resources\nfolder = importlib.resources.files(__package__)\n",
        "from importlib import resources\nfolder = resources.files(__package__)\n",
    ],
)
def test_every_way_to_import_readers_is_the_same(deck: Callable[..., Any], head: str) -> None:
    text = "(folder / '{}').read_text('utf-8')"
    assert _told(deck(text.format("cards.txt"), head=head)) == "ace\nking"
    with pytest.raises(DeclarationError, match=r"library\.py:\d+: .*is outside of "):
        _told(deck(text.format("../shared.txt"), head=head))


def test_same_digest_is_same_behaviour(deck: Callable[..., Any], tmp_path: Path) -> None:
    """A file changes the behaviour if and only if it is in the digest."""
    text = "[p.name for p in sorted(folder.rglob('*'))]"
    one = deck(text)
    first = program_of(one).digest, _told(one)
    for name in (".other", "deck.pyi", "__pycache__/x.txt"):
        (tmp_path / "deck" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "deck" / name).write_text("more")
    two = deck(text)
    assert (program_of(two).digest, _told(two)) == first
    (tmp_path / "deck" / "more.txt").write_text("more")
    three = deck(text)
    assert program_of(three).digest != first[0] and "more.txt" in _told(three)


def test_what_was_digested_is_what_is_read(deck: Callable[..., Any], tmp_path: Path) -> None:
    """A file that changes between two contracts of a package gives the second one another copy."""
    text = "(folder / 'cards.txt').read_text('utf-8')"
    one = deck(text)
    first = program_of(one).digest
    two = deck(text, name="Other")
    (tmp_path / "deck" / "cards.txt").write_text("queen")
    assert (_told(one), _told(two)) == ("ace\nking", "queen")
    assert program_of(two).digest != first


def test_the_copy_reads_no_disk(deck: Callable[..., Any], tmp_path: Path) -> None:
    """A late read, which the guard refuses, returns the digested content."""
    deck("lambda: (folder / 'cards.txt').read_text('utf-8')")
    source = tmp_path / "deck" / "contract.py"
    source.write_text(source.read_text().replace("library.TEXT", "library.TEXT()"))
    _forget()
    late = Chain(guard=False).deploy(importlib.import_module("deck.contract").Deck)
    (tmp_path / "deck" / "cards.txt").unlink()
    assert late.told() == "ace\nking"
