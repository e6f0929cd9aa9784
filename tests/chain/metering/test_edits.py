"""A class runs the code of its own definition: after edits and reloads, beside others of its name, wherever it was written."""

from __future__ import annotations

import importlib
import linecache
import subprocess
import sys
import threading
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from chain import Chain, Contract, DeclarationError, call, reverts, view
from chain.metering.program import program_of
from chain.types import u64
from tests.chain.metering.conftest import HEAD, Load

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[3]
STEP = "class Counter(Contract):\n n: u64\n @call\n def inc(self) -> u64:\n  self.n += {}\n  return self.n\n"
ONE, TEN = STEP.format(1), STEP.format(10)
FASTER = "def inc(self) -> u64:\n   self.n += 10\n   return self.n\n"


def counted(cls: Any, chain: Chain | None = None) -> int:
    return int((chain or Chain()).deploy(cls).inc().return_value)


def write(path: Path, text: str) -> None:
    path.write_text(HEAD + text, "utf-8")
    linecache.checkcache()


# Edits


def test_edit_between_import_and_deployment_is_refused(load: Load, tmp_path: Path) -> None:
    counter = load(twice=ONE).Counter
    write(tmp_path / "twice.py", TEN)
    with pytest.raises(DeclarationError, match=r"twice\.py:5: Counter\.inc differs from its file"):
        program_of(counter)


def test_words_around_may_be_edited(load: Load, tmp_path: Path) -> None:
    counter = load(twice=ONE).Counter
    write(tmp_path / "twice.py", f"# a comment\n\n{ONE}")
    assert counted(counter) == 1


def test_edit_after_the_deployment_changes_nothing(load: Load, tmp_path: Path) -> None:
    counter, chain = load(twice=ONE).Counter, Chain()
    deployed = chain.deploy(counter)
    write(tmp_path / "twice.py", TEN)
    assert [deployed.inc().return_value, counted(counter, chain)] == [1, 1]


def test_edited_class_is_another_contract_beside_the_old_one(load: Load) -> None:
    chain = Chain()
    old = load(twice=ONE).Counter
    first = chain.deploy(old)
    new = load(twice=TEN).Counter
    second = chain.deploy(new)
    assert [first.inc().return_value, second.inc().return_value] == [1, 10]
    assert chain.code(first.address) != chain.code(second.address)
    assert counted(old, chain) == 1


def test_reload_in_place(load: Load, tmp_path: Path) -> None:
    module = load(twice=ONE)
    old, digest = module.Counter, program_of(module.Counter).digest
    importlib.reload(module)
    assert program_of(module.Counter).digest == digest == program_of(old).digest
    write(tmp_path / "twice.py", TEN.replace("10", "1000"))
    importlib.reload(module)
    assert (counted(old), counted(module.Counter)) == (1, 1000)


# Several classes of a name: the file, and what each class that it keeps counts by.

KEPT = {
    "below": (f"{ONE}V1 = Counter\n{TEN}V2 = Counter\n", {"V1": 1, "V2": 10, "Counter": 10}),
    "derived": (f"{ONE}V1 = Counter\nclass Counter(Counter):\n  @call\n  {FASTER}", {"V1": 1, "Counter": 10}),
    "if": (f"if len('a') == 2:\n{indent(TEN, ' ')}else:\n{indent(ONE, ' ')}", {"Counter": 1}),
    "deleted": (f"{ONE}V1 = Counter\ndel Counter\n", {"V1": 1}),
    "decorated": (
        f"def faster(cls):\n class Counter(cls):\n  @call\n  {FASTER} return Counter\n@faster\n{ONE}",
        {"Counter": 10},
    ),
    "a parent": (f"{ONE}class Heir(Counter): pass\n{TEN}", {"Counter": 10, "Heir": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "steps"), KEPT.values(), ids=KEPT)
def test_class_runs_its_own_code(text: str, steps: dict[str, int], load: Load) -> None:
    module, chain = load(twice=text), Chain(guard=False)
    assert {name: counted(getattr(module, name), chain) for name in steps} == steps
    if len(steps) > 1:
        digests = {program_of(getattr(module, name)).digest for name in steps}
        assert len(digests) >= len({*steps.values()})


def test_package_under_two_names(load: Load, tmp_path: Path) -> None:
    text = "import rules\n" + STEP.format("rules.STEP")
    inner = load(rules="STEP = 4", games__board=text, board="")
    write(tmp_path / "games" / "board.py", text)
    sys.path.insert(0, str(tmp_path / "games"))
    try:
        del sys.modules["board"], inner
        one, other = importlib.import_module("board"), importlib.import_module("games.board")
    finally:
        sys.path.remove(str(tmp_path / "games"))
    chain = Chain()
    assert (counted(one.Counter, chain), counted(other.Counter, chain)) == (4, 4)


# Where classes are written


def test_class_in_a_test_function(chain: Chain) -> None:
    limit = 3

    class Local(Contract):
        n: u64

        @call
        def inc(self) -> u64:
            assert self.n < limit, "that is enough"
            self.n += 1
            return self.n

    local = chain.deploy(Local)
    assert [local.inc().return_value for _ in range(3)] == [1, 2, 3]
    with reverts("that is enough"):
        local.inc()


def typed(space: dict[str, Any], text: str, name: str) -> Any:
    """Run code as a notebook runs a cell, or the prompt a line."""
    if name.startswith("<ipython"):
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space["Counter"]


@pytest.mark.parametrize("file", ["<ipython-input-{}>", "<stdin>"])
def test_class_typed_again_runs_its_own_code(file: str) -> None:
    space: dict[str, Any] = {"__name__": "typed_in"}
    found = [typed(space, HEAD + STEP.format(step), file.format(step)) for step in (1, 10, 100)]
    assert [counted(each) for each in found] == [1, 10, 100]
    assert len({program_of(each).digest for each in found}) == 3


def test_endless_loop_of_a_notebook_is_out_of_gas() -> None:
    text = HEAD + STEP.format("sum(1 for _ in iter(int, 1))")
    endless = typed({"__name__": "typed_in"}, text, "<ipython-input-endless>")
    receipt = Chain().deploy(endless).inc(gas=100_000, check=False)
    assert receipt.error is not None
    assert receipt.error.kind == "out of gas"


def test_helper_typed_again_is_another_program() -> None:
    space: dict[str, Any] = {"__name__": "typed_in"}
    text, chain, steps = STEP.format("helper()"), Chain(guard=False), []
    for step in (1, 10):
        typed(space, f"{HEAD}def helper(): return {step}\n{text}", "<stdin>")
        steps.append(counted(space["Counter"], chain))
    assert steps == [1, 10]


SCRIPT = """
from chain.metering.program import program_of
STEP = 2
def step(): return STEP
{counter}
def answer(): return Chain().deploy(Counter).inc().return_value, program_of(Counter).digest.hex()
if __name__ == "__main__": print(*answer())
""".format(counter=STEP.format("step()"))


def test_script_is_the_same_contract_as_its_module(load: Load, tmp_path: Path) -> None:
    imported = load(script=SCRIPT).answer()
    ran = python(tmp_path, "script.py")
    assert ran == [str(part) for part in imported] and ran[0] == "2"


ASSERTING = """
class Gate(Contract):
    @call
    def enter(self, age: u64) -> None:
        assert age > 17, f"{age} is too young"

gate = Chain().deploy(Gate)
gate.enter(18)
print(gate.enter(17, check=False).error.text)
"""


@pytest.mark.parametrize("options", [[], ["-O"], ["-OO"]])
def test_assert_holds_on_chain(options: list[str], tmp_path: Path) -> None:
    write(tmp_path / "gate.py", ASSERTING)
    assert python(tmp_path, *options, "gate.py") == ["17", "is", "too", "young"]


def python(folder: Path, *args: str) -> list[str]:
    told = subprocess.run(
        [sys.executable, *args], cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )  # fmt: skip
    assert told.stderr == ""
    return told.stdout.split()


TESTING = """
from chain import Contract, call
from chain.types import u8

class Race(Contract):
    field: u8

    @call
    def roll(self) -> u8:
        assert self.field < 2, "The race is over"
        self.field += 1
        return self.field

def over(race):
    assert race.fields.field == 2
    return True

def test_race(chain, deploy):
    race = deploy(Race)
    assert [race.roll().return_value for _ in range(2)] == [1, 2]
    assert over(race)
    assert "The race is over" in race.roll(check=False).error.text
"""


def test_contract_in_a_module_of_tests(pytester: pytest.Pytester) -> None:
    """Whose asserts pytest has rewritten."""
    pytester.makepyfile(test_race=TESTING)
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=1)


# Meanwhile


class Sums(Contract):
    @view
    def total(self, n: u64) -> u64:
        return sum(row(n))


def row(n: int) -> list[int]:
    return [2 * i for i in range(n)]


def test_rules_run_in_another_thread_meanwhile(chain: Chain) -> None:
    """Their results are right; their ticks may be those of the message."""
    sums, stop, found = chain.deploy(Sums), threading.Event(), set[int]()

    def run() -> None:
        while not stop.is_set():
            found.add(len(row(20)))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert [sums.total(100) for _ in range(20)] == [9900] * 20
    finally:
        stop.set()
        thread.join()
    assert found == {20}


class Endless(Contract):
    n: u64

    @call
    def turn(self) -> None:
        self.n = 1
        while True:
            interrupt()

    @call
    def count(self) -> u64:
        self.n += 1
        return self.n


def interrupt() -> None:
    """Stand for a person who presses Ctrl-C."""


def test_interrupt_ends_an_endless_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = Chain(guard=False)
    endless, turns = chain.deploy(Endless), iter(range(1000))

    def press() -> None:
        if next(turns) == 99:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[__name__], "interrupt", press)
    with pytest.raises(KeyboardInterrupt):
        endless.turn()
    assert (chain.head.number, endless.fields.n) == (1, 0)
    assert endless.count().return_value == 1
