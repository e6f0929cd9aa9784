"""What a contract reaches in its file follows Python's scopes, and the top of a file runs once.

Each script says `ran` when its top level runs. What a contract never reads is not run for it, however it is spelled; what it
does read is run for its image, unless that would act a second time.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, DeclarationError
from chain.arena.find_game import find_game
from chain.errors import GuardError
from chain.guard import check_contract
from chain.metering.program import program_of
from chain.source.discovery import locate_class
from chain.source.reachability import Reachability
from chain.source.top_level import imported_sources
from tests.chain.game_folders import GAMES

HEAD = """
from chain import Chain, Contract, call, view
from chain.types import u64
"""

# What the name `i` is in the contract; a loop over `i` that acts follows each.
SPELLED = {
    "an argument": "return i",
    "a local": "j = i\nk = j\nreturn k",
    "the variable of a loop": "for j in range(i): pass\nfor i in [i]: pass\nreturn i",
    "of a comprehension": "n = len([i for i in range(2)])\nreturn n",
    "of a comprehension in another": "return len([[i for _ in range(i)] for i in range(2)])",
    "of a lambda": "return (lambda i: i)(2)",
    "set in a comprehension": "return [i := n for n in (1, 2)][-1]",
    "a keyword": "return dict(i=2)['i']",
    "an attribute": "self.i = 2\nreturn self.i",
    "an error": "try: return 2\nexcept ValueError as i: raise i",
    "a capture": "match (2, 1):\n case (i, *_): return i\n case _: return 0",
    "a rest": "match {'a': 2}:\n case {**i}: return i['a']\n case _: return 0",
    "of the function around": "i = 2\ndef inner() -> int: return i\nreturn inner()",
    "set below": "n = 2\nfor again in range(2):\n if again: n = i\n i = n\nreturn n",
    "a function inside": "def i() -> int: return 2\nreturn i()",
    "deleted": "i = 2\nn = i\ndel i\nreturn n",
    "imported": "import chain as i\nreturn 2",
    "the text of a Literal": "mode: Literal['i'] = 'i'\nreturn 2",
    "a member of a class inside": "class Inner:\n i = 3\n j = i\nreturn 2",
}
NO_ARGUMENT = {
    name for name in SPELLED if name not in ("an argument", "a local", "the variable of a loop")
}
LOOP = """
print('ran')
chain = Chain(guard=False)
bell = chain.deploy(Bell)
for i in range(3): print('ran', bell.ring(2).return_value)
"""


def bell(name: str) -> str:
    """Return the source of a contract whose entry returns 2, and in which `i` is this."""
    head = f"def ring(self, {'n' if name in NO_ARGUMENT else 'i'}: u64) -> u64:\n"
    field = " i: u64\n" if name == "an attribute" else ""
    body = "".join(f"  {line}\n" for line in SPELLED[name].splitlines())
    return f"from typing import Literal\nclass Bell(Contract):\n{field} @call\n {head}{body}{LOOP}"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Writes files, and imports the first of them."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str, **others: str) -> Any:
        for name, each in {"script": text, **others}.items():
            (tmp_path / f"{name}.py").write_text(each if name != "script" else HEAD + each, "utf-8")
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("script")

    return write


def ran(capsys: pytest.CaptureFixture[str]) -> int:
    return capsys.readouterr().out.count("ran")


@pytest.mark.parametrize("name", SPELLED)
def test_name_spelled_alike_is_not_reached(
    name: str, load: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    load(bell(name))
    assert capsys.readouterr().out.splitlines() == ["ran", *["ran 2"] * 3]


def test_guard_reads_no_local_as_a_global(
    load: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    load(bell("set below").replace("guard=False", ""))
    assert ran(capsys) == 4


# What a contract does read. Each makes `VALUE`, and the contract returns it.
READS = "class Reader(Contract):\n @call\n def get(self) -> u64: return VALUE\n"
READ = {
    "a loop over a table": ("TABLE = []\nfor n in range(4): TABLE.append(n)\nVALUE = len(TABLE)\n", 4),
    "the variable of a loop": ("for VALUE in range(4): pass\n", 3),
    "a walrus": ("if (VALUE := 7) > 3: pass\n", 7),
    "a walrus in a comprehension": ("[VALUE := n for n in range(3)]\n", 2),
    "a match": ("match (1, 5):\n case (_, VALUE): pass\n", 5),
    "both branches": ("if len('ab') == 2:\n VALUE = 4\nelse:\n VALUE = 9\n", 4),
    "a try": ("try:\n VALUE = int('x')\nexcept ValueError:\n VALUE = 6\n", 6),
    "a with": ("from contextlib import nullcontext\nwith nullcontext(8) as VALUE: pass\n", 8),
    "added to": ("VALUE = 1\nVALUE += 4\n", 5),
    "set in a function": ("VALUE = 1\ndef set_up():\n global VALUE\n VALUE = 5\nset_up()\n", 5),
    "set in a function only": ("def set_up():\n global VALUE\n VALUE = 5\nset_up()\n", 5),
    "rows changed in a loop": ("T = [[] for _ in 'ab']\nfor row in T: row.append(1)\ndef get(): return sum(map(sum, T))\n", 2),
    "a row under another name": ("ROWS = [[0]]\nfirst = ROWS[0]\nfirst[0] = 3\ndef get(): return ROWS[0][0]\n", 3),
    "filled by a function": ("T = []\ndef fill(table): table.append(4)\nfill(T)\ndef get(): return T[0]\n", 4),
    "filled by the library": ("from bisect import insort\nT = [2]\ninsort(T, 1)\ndef get(): return T[0]\n", 1),
    "entered in an object": (
        "class Book:\n def __init__(self): self.n = []\n def enter(self, n): self.n.append(n)\n"
        "BOOK = Book()\nBOOK.enter(4)\ndef get(): return BOOK.n[0]\n", 4
    ),
    "an attribute of a class": ("class Rules:\n STEP = 1\nRules.STEP = 6\ndef get(): return Rules.STEP\n", 6),
    "a local table of the same name": (
        "T = [1]\ndef log():\n T = []\n T.append(2)\nprint('ran', log())\ndef get(): return len(T)\n", 1
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), READ.values(), ids=READ)
def test_what_is_read_is_as_python_has_it(
    text: str, value: int, load: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    reads = READS.replace("VALUE", "get()") if "def get" in text else READS
    script = load(text + reads)
    assert Chain(guard=False).deploy(script.Reader).get().return_value == value
    assert ran(capsys) <= 1


def test_attempted_import_succeeds(load: Callable[..., Any]) -> None:
    text = "try:\n from fast import VALUE\nexcept ImportError:\n VALUE = 1\n"
    assert (
        Chain(guard=False).deploy(load(text + READS, fast="VALUE = 8\n").Reader).get().return_value
        == 8
    )


def test_guard_reads_every_meaning(load: Callable[..., Any]) -> None:
    text = (
        "if len('ab') == 2:\n def get() -> int: return 4 / 2\nelse:\n def get() -> int: return 9\n"
    )
    with pytest.raises(GuardError, match=r"script.py:5:27: '/' makes a float"):
        Chain().deploy(load(text + READS.replace("VALUE", "get()")).Reader)


def test_guard_reads_what_a_walrus_sets(load: Callable[..., Any]) -> None:
    with pytest.raises(GuardError, match=r"script.py:4:15: '/' makes a float"):
        Chain().deploy(load(f"repr(VALUE := 4 / 2)\n{READS}").Reader)


@pytest.mark.parametrize(
    ("home", "rule"), [("helpers", "division"), ("string", ""), ("os", "star")]
)
def test_guard_reads_names_imported_by_star(home: str, rule: str, load: Callable[..., Any]) -> None:
    script = load(f"from {home} import *\n{READS}", helpers="VALUE = 4 / 2\n")
    assert [finding.rule for finding in check_contract(script.Reader)] == [rule][: len(rule)]


@pytest.mark.parametrize("otherwise", ["", "else:\n VALUE = object\n"])
def test_guard_reads_nothing_that_is_for_type_checkers(
    otherwise: str, load: Callable[..., Any]
) -> None:
    text = f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n from helpers import VALUE\n{otherwise}"
    reads = READS.replace("return VALUE", "return self.held(2)")
    typed = f"{text}{reads} def held(self, n: 'VALUE') -> 'VALUE': return n\n"
    script = load(typed, helpers="VALUE = 4 / 2\n")
    assert check_contract(script.Reader) == []


CONTRACTS = [cls for game in GAMES for cls in find_game(f"contracts.{game}").contracts]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_guard_reads_the_statements_that_run_on_chain(contract: type[Contract]) -> None:
    located = locate_class(contract)
    assert located is not None
    in_folders, as_imported = located[0], imported_sources(located[1].module)
    walks = [Reachability(tree) for tree in (in_folders, as_imported)]
    for reach in walks:
        reach.add_node(located[1].module, located[1].node)
    read, run = ({module: reach.nodes_of(module) for module in reach.modules} for reach in walks)
    assert read == run


# What acts, and gives the contract a value: refused in words, with its line.
ACTS = {
    "a loop that prints": ("for VALUE in range(2): print('ran')\n", "it calls 'print'"),
    "a function that prints": ("def make():\n print('ran')\n return 2\nVALUE = make()\n", "it calls 'print'"),
    "an object that prints": ("class Maker:\n def __init__(self): print('ran')\nVALUE = Maker()\n", "it calls 'print'"),
    "a chain": ("VALUE = len(Chain(guard=False).accounts)\n", "it uses 'chain.Chain'"),
    "a file": ("with open('/dev/null', 'w') as out: VALUE = out.write('a')\n", "it calls"),
    "a table that is told": ("VALUE = {}\nfor i in 'ab':\n VALUE[i] = 2\n print('ran', i)\n", "it calls 'print'"),
    "a program": ("import subprocess\nVALUE = subprocess.call(['true'])\n", "it uses 'subprocess.call'"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "act"), ACTS.values(), ids=ACTS)
def test_what_acts_is_not_read(
    text: str, act: str, load: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    script = load(text + READS)
    once = ran(capsys)
    with pytest.raises(
        DeclarationError, match=rf"script.py:\d+: 'VALUE', which Reader reads, .*{act}"
    ):
        program_of(script.Reader)
    assert once <= 2 and ran(capsys) == 0


def test_main_block_is_not_part_of_a_contract(load: Callable[..., Any]) -> None:
    script = load(f"VALUE = 1\n{READS}if __name__ == '__main__':\n VALUE = 2\n")
    with pytest.raises(
        DeclarationError,
        match=r"script.py:8: 'VALUE', which Reader reads, is set below 'if __name__",
    ):
        program_of(script.Reader)


def test_class_below_main_runs_as_it_is(
    load: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    script = load(
        f"VALUE = 3\nif __name__ == 'script':\n print('ran')\n {READS.replace(chr(10), chr(10) + ' ')}\n"
    )
    assert Chain(guard=False).deploy(script.Reader).get().return_value == 3
    assert ran(capsys) == 1


def test_definition_reads_the_names_above_it(load: Callable[..., Any]) -> None:
    early = "class Early(chain.Contract):\n @call\n def get(self) -> chain.types.u64: return 1\n"
    script = load(f"import chain\n{early}chain = Chain(guard=False)\n")
    assert script.chain.deploy(script.Early).get().return_value == 1


ORDER = "n = 1\nA = n\nn = 2\nB = n\n" + "".join(
    f"class Has{name}(Contract):\n @view\n def get(self) -> u64: return {name}\n" for name in "AB"
)


@pytest.mark.parametrize("names", ["AB", "BA"])
def test_statements_run_in_their_order(names: str, load: Callable[..., Any]) -> None:
    script, chain = load(ORDER), Chain(guard=False)
    found = {name: chain.deploy(getattr(script, f"Has{name}")).get() for name in names}
    assert found == {"A": 1, "B": 2}


CHANGED = {
    "by an imported helper": "from helpers import add\nROWS = [1]\nadd(ROWS)\n",
    "by a helper of its module": "from helpers import ROWS, grow\ngrow()\n",
    "by a decorator": "from helpers import ROWS, kept\n@kept\ndef of_no_contract(): pass\n",
    "by a method under another name": "ROWS = [1]\npush = ROWS.append\npush(2)\n",
    "by a function of a function": "ROWS = [1]\ndef add(to): to.append(2)\ndef fill(to): add(to)\nfill(ROWS)\n",
}
HELPERS = (
    "ROWS = [1]\ndef add(to): to.append(2)\ndef grow(): ROWS.append(2)\n"
    "def kept(f):\n ROWS.append(2)\n return f\n"
)
SIZE = (
    "class Size(Contract):\n @view\n def get(self) -> u64: return len(ROWS)\n"
)  # fmt: skip


@pytest.mark.parametrize("how", CHANGED)
def test_table_changed_in_a_way_that_is_not_followed_is_refused(
    how: str, load: Callable[..., Any]
) -> None:
    """The contract would run with another table than the module has."""
    script = load(CHANGED[how] + SIZE, helpers=HELPERS)
    with pytest.raises(
        DeclarationError, match=r"'ROWS' is \[1, 2\] here, and \[1\] in the copy that would"
    ):
        Chain(guard=False).deploy(script.Size)


def test_table_that_a_test_changes_is_not_what_runs(load: Callable[..., Any]) -> None:
    script = load("ROWS = [1]\nOTHERS = [*ROWS]\n" + SIZE)
    script.ROWS.append(2)
    assert Chain(guard=False).deploy(script.Size).get() == 1
