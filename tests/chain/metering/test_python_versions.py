"""The same result on every version of Python, or a refusal: the numbers here are those of 3.11 to 3.15."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from heapq import nlargest, nsmallest
from pathlib import Path
from typing import Any

import pytest

from chain import Chain, Contract, DeclarationError, call
from chain.metering.format_costs import formatted

HEAD = """from chain import Contract, call

{top}

class Told(Contract):
    @call
    def go(self) -> str:
        return {value}
"""
REFUSED = [
    ("", '"\U00011f51"', r"told\.py:8: this text has the character U\+11F51, which not every version of Python knows"),
    ("N = 10 ** 4500", "str(N)", r"told\.py:3: this takes more fuel than any call has"),
    (
        "from enum import Enum\nfrom functools import partial\nclass Kind(Enum):\n    A = 1\n    INNER = partial(str)",
        "str(Kind.INNER)",
        r"'Kind\.INNER' is or holds a \w+, which is a member on some versions of Python",
    ),
    (
        "class Text(str):\n    def __len__(self) -> int:\n        return 0",
        "Text('abc').upper()",
        r"Text\.__len__: a text or collection pays for its length, as Python reports it",
    ),
    (
        "from functools import partial\nclass Held:\n    go = partial(max, 1)",
        "str(Held().go(2))",
        "Held holds a partial, which is a method on some versions",
    ),
]  # fmt: skip
NEWER = {
    (3, 14): {"str(t'{self.caller}')": "a template string is newer than Python 3.11"},
    (3, 15): {
        "str([*row for row in [[1]]])": "unpacking in a comprehension is newer than Python 3.11",
        "str({**row for row in [{1: 2}]})": "unpacking in a comprehension is newer than Python 3.11",
    },
}
REFUSED += [
    ("", value, why)
    for version, cases in NEWER.items() if sys.version_info >= version
    for value, why in cases.items()
]  # fmt: skip


@pytest.mark.parametrize(("top", "value", "why"), REFUSED)
def test_what_each_version_answers_otherwise_is_refused(
    top: str, value: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "told.py").write_text(HEAD.format(top=top, value=value), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    made: Any = importlib.import_module("told")
    try:
        with pytest.raises(DeclarationError, match=why):
            Chain(guard=False).deploy(made.Told)
    finally:
        sys.modules.pop("told")


# What newer versions added, or do otherwise: what it is on every version. An error is the name of its class.
ALIKE = {
    "bytearray(b'ab').resize(1)": "AttributeError",
    "bytearray(b'ab').take_bytes()": "AttributeError",
    "memoryview(b'ab').index(97)": "AttributeError",
    "memoryview(b'ab').count(97)": "AttributeError",
    "re.compile('a').prefixmatch('a')": "AttributeError",
    "b'aa'.replace(b'a', b'b', count=1)": "TypeError",
    "list(map(max, [1], [2], strict=True))": "TypeError",
    "reduce(max, [1], initial=2)": "TypeError",
    "json.loads('[1]', array_hook=tuple)": "TypeError",
    "hashlib.sha256(data=b'a').digest()": "TypeError",
    "base64.b64encode(b'a', wrapcol=4)": "TypeError",
    "bytes.fromhex(b'61')": "TypeError",
    "Counter('aab') ^ Counter('ab')": "TypeError",
    "base64.urlsafe_b64decode('YQ')": "Error",
    "base64.urlsafe_b64decode('YW-_')": "b'ao\\xbf'",
    "base64.b64decode('YQ==AAAA')": "Error",
    "base64.b64decode('Y Q==\\n')": "b'a'",
    "base64.b64decode('YW-_', altchars='-_')": "b'ao\\xbf'",
    "base64.b64encode(b'a', altchars=b'-')": "ValueError",
    "dedent('  a\\n\\x0b\\n  b')": "'  a\\n\\x0b\\n  b'",
    "dedent('\\ta\\n\\t\\tb\\n \\n')": "'a\\n\\tb\\n\\n'",
    "Formatter().format('{.real}', 5)": "KeyError",
    "re.search(r'a\\z', 'a')": "error",
    "'\\u019b'.upper()": "ValueError",
    "chr(0x1C8A).isalpha()": "ValueError",
    "re.match(r'(?i:\\u1c89)', bytes([0xE1, 0xB2, 0x8A]).decode())": "ValueError",
    "re.search(r'(?i)\\ua7cb', chr(0x264))": "ValueError",
    "re.compile(r'(?u:\\w)', re.A).match(bytes([0xE1, 0xB2, 0x8A]).decode())": "ValueError",
    "re.search(chr(0x264), chr(0x264)).group()": "'\u0264'",
    "len([each for each in annotated()])": "0",
    "re.match('a+', 'aab').group()": "'aa'",
    "Spot(1)._replace(y=2)": "ValueError",
    "Line._replace(Line(1), y=2)": "ValueError",
    "Cell(1)._replace(y=2)": "ValueError",
    "Cell(1)._replace(x=2)": "Cell(x=2)",
}
TOLD = """import base64
import hashlib
import json
import re
from collections import Counter, namedtuple
from functools import reduce
from string import Formatter
from textwrap import dedent
from typing import NamedTuple

from chain import Contract, call

class Spot(NamedTuple):
    x: int

Line = namedtuple("Line", "x")
Cell = NamedTuple("Cell", [("x", int)])

class Told(Contract):
{entries}
"""
ENTRY = """
    @call
    def tell_{number}(self) -> str:
        import operator
        seen = []
        def annotated() -> seen.append(1):
            return seen
        return repr({value})
"""


def test_what_newer_versions_add_is_the_same_on_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Callable[[Path, str], None]
) -> None:
    entries = "".join(
        ENTRY.format(number=number, value=value) for number, value in enumerate(ALIKE)
    )
    (tmp_path / "told_alike.py").write_text(TOLD.format(entries=entries), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made: Any = importlib.import_module("told_alike")
    chain = Chain(guard=False)
    told = chain.deploy(made.Told)
    lines = [f"code 0x{chain.code(told.address).hex()}"]
    for number, (value, expected) in enumerate(ALIKE.items()):
        receipt = getattr(told, f"tell_{number}")(check=False)
        error = receipt.error
        cause = type(getattr(error, "cause", None) or error).__name__.replace(
            "PatternError", "error"
        )
        assert (receipt.return_value if error is None else cause) == expected, value
        lines.append(f"{value}: {receipt.ticks} ticks")
    golden(Path(__file__).parent / "versions.txt", "\n".join([*lines, ""]))
    sys.modules.pop("told_alike")


class Card:
    def __init__(self, number: int) -> None:
        self.number = number

    def __lt__(self, other: Card) -> bool:
        return self.number < other.number


class Nest:
    def __init__(self, depth: int) -> None:
        self.depth = depth

    def __eq__(self, other: object) -> bool:
        return self.depth > 2000 or Nest(self.depth + 1) == Nest(self.depth + 1)

    __hash__ = None  # type: ignore[assignment]


def depth_of(n: int) -> int:
    return n and 1 + depth_of(n - 1)


class Sorter(Contract):
    @call
    def sort(self) -> str:
        cards = sorted(Card(i * 7919 % 101) for i in range(100))
        cards.sort(reverse=True)
        few = nlargest(3, cards) + nsmallest(2, cards)
        cards += [Card(card.number + 1) for card in few]
        return "".join(
            str(card.number) for card in sorted(cards, key=lambda card: (card.number % 3, card))[:5]
        )

    @call
    def nest(self) -> bool:
        return Nest(0) == Nest(0)

    @call
    def deepen(self) -> str:
        return str(depth_of(500))


def test_what_an_author_compares_takes_the_same_on_every_version() -> None:
    receipt = Chain(guard=False).deploy(Sorter).sort()
    assert (receipt.return_value, receipt.ticks) == ("036912", 97792)


def test_operators_that_call_themselves_run_out_of_gas() -> None:
    receipt = Chain(guard=False).deploy(Sorter).nest(check=False)
    assert receipt.error is not None
    assert "out of gas" in str(receipt.error)


def test_stack_depth_of_the_caller_changes_nothing() -> None:
    sorter = Chain(guard=False).deploy(Sorter)

    def below(levels: int, play: Callable[[], Any]) -> Any:
        return play() if not levels else below(levels - 1, play)

    assert below(800, sorter.deepen).ticks == sorter.deepen().ticks


def test_too_few_values_beside_a_dict_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="not enough arguments"):
        formatted("%(a)s %s", {"a": 1})
