"""Nothing that outlives a call is changed by one, in the ways in which Python programmers write.

Each paragraph of `leaks.txt` is a module and the body of an entry that would remember something outside of storage. It is
refused by the guard, or when its line runs; or every call comes to the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from chain import Chain
from chain.errors import GuardError, Reverted
from tests.chain.metering.conftest import Load

PARAGRAPHS = (Path(__file__).parent / "leaks.txt").read_text("utf-8").strip().split("\n\n")
LEAKS = dict(paragraph.split("\n", 1) for paragraph in PARAGRAPHS)
BY_CLASS = "it takes a method off Python's class, which knows no constants"
MAPPED = "a function in C changes the list, and 'map' or another name hides which"
ATTRIBUTE = "an attribute of a class, a function or a member changes under another name"
INTERNAL = "it changes what Python or a decorator made of a class"
# By title: why it is not found. `verify` finds it where it changes what a contract does.
NOT_FOUND = {
    "A method of Python's class.": BY_CLASS,
    "A method of Python's class by another name.": BY_CLASS,
    "A method of the class of a list.": BY_CLASS,
    "A method of Python's class, mapped.": BY_CLASS,
    "A method of Python's class in a partial function.": BY_CLASS,
    "A method of Python's class that is extended.": BY_CLASS,
    "A method of Python's class puts in order.": BY_CLASS,
    "A method by the name in an attrgetter.": BY_CLASS,
    "A method out of a pattern.": BY_CLASS,
    "A method of the class of a dict.": BY_CLASS,
    "A method of the class of a set.": BY_CLASS,
    "A method of the class of a queue.": BY_CLASS,
    "An attribute that a method of every object sets.": BY_CLASS,
    "A heap by another name.": MAPPED,
    "A heap, mapped.": MAPPED,
    "A list in an attribute of a function.": ATTRIBUTE,
    "A number in a class by another name.": ATTRIBUTE,
    "A number in a class that is given as self.": ATTRIBUTE,
    "A number in the class of an object.": ATTRIBUTE,
    "A class by a name.": ATTRIBUTE,
    "Two flags together.": ATTRIBUTE,
    "A field of a dataclass.": INTERNAL,
    "A class that is made a dataclass in the call.": INTERNAL,
    "A registered class.": INTERNAL,
    "What is told about a field of a dataclass.": INTERNAL,
    "The arguments of a partial method.": INTERNAL,
    "The names of slots.": INTERNAL,
}


def came(leak: Any) -> str:
    try:
        return str(leak.go().return_value)
    except Reverted as no:
        return str(no)


def played(contract: type[Any]) -> list[str]:
    """Return the results of two calls on one chain and one on another, or why the contract is refused."""
    try:
        first, second = Chain().deploy(contract), Chain().deploy(contract)
    except GuardError as no:
        return [str(no)]
    return [came(first), came(first), came(second)]


@pytest.mark.parametrize("title", LEAKS)
def test_nothing_is_remembered(title: str, load: Load) -> None:
    top, body = LEAKS[title].split("go:\n")
    inner = body.strip().replace("\n", "\n        ")
    entry = f"\n\nclass Leak(Contract):\n    @call\n    def go(self) -> i64:\n        {inner}\n"
    results = played(load(leaky=top + entry).Leak)
    if title in NOT_FOUND:
        assert len({*results}) > 1
    else:
        assert len({*results}) == 1
        assert re.search(r"(leaky\.py|namedtuple_Box):\d+", results[0]), results[0]


def test_refusals_name_the_value_the_place_and_the_remedy(load: Load, chain: Chain) -> None:
    made = load(
        leaky="""
        import itertools
        def numbering():
            n = 0
            def number():
                nonlocal n
                n += 1
                return n
            return number
        number, ids = numbering(), itertools.count()
        class Leak(Contract):
            @call
            def go(self) -> i64: return number() + next(ids)
        """
    )
    with pytest.raises(GuardError) as caught:
        chain.deploy(made.Leak)
    assert str(caught.value).splitlines()[1:] == [
        "  leaky.py:6:1: 'numbering.<locals>.n' is a variable that a call sets, and it lives on; a failed call would not "
        "undo it, and another machine would not have it; keep it in a field of the contract",
        "  leaky.py:12:1: 'ids' is or holds a count; it keeps its position, and outlives the call; create it inside the "
        "function, or use a tuple",
    ]


def test_variable_of_a_call_may_be_set_by_a_function_in_it(load: Load, chain: Chain) -> None:
    made = load(
        fine="""
        def total(rows):
            found = 0
            def add(n):
                nonlocal found
                found += n
            for n in rows: add(n)
            return found
        class Fine(Contract):
            @call
            def go(self) -> i64: return total([1, 2])
        """
    )
    fine = chain.deploy(made.Fine)
    assert [fine.go().return_value for _ in "ab"] == [3, 3]
