"""Programs drawn for the differential test: the source of a class, whose methods change its fields in every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from chain.types import u8, u16


class Suit(Enum):
    SUN = "sun"
    MOON = "moon"


@dataclass(frozen=True)
class Card:
    suit: Suit
    rank: u8


@dataclass
class Player:
    name: str
    score: u16
    hand: list[u8]


@dataclass
class Team:
    lead: Player
    members: list[Player]
    best: Card | None


@dataclass(frozen=True)
class Deal:
    cards: list[Card]
    stock: tuple[u8, ...]


@dataclass(slots=True)
class Dot:
    x: u8
    y: u8


class Kind(NamedTuple):
    """The type of an expression: its form, its annotation, and the kinds of its parts."""

    form: str  # scalar, list, dict, set, record, option
    text: str
    item: Any = None
    key: Any = None
    members: tuple[tuple[str, Any], ...] = ()
    literals: tuple[str, ...] = ()
    is_frozen: bool = False


INT = Kind("scalar", "u8", literals=("0", "1", "7", "200"))
WIDE = Kind("scalar", "u16", literals=("0", "1", "500"))
TEXT = Kind("scalar", "str", literals=("''", "'a'", "'b'", "'of more than thirty-one characters'"))
SUIT = Kind("scalar", "Suit", literals=("Suit.SUN", "Suit.MOON"))
INTS = Kind("list", "list[u8]", INT)
STOCK = Kind("scalar", "tuple[u8, ...]", literals=("()", "(1, 2)"))
CARD = Kind("record", "Card", members=(("suit", SUIT), ("rank", INT)), is_frozen=True)
PLAYER = Kind("record", "Player", members=(("name", TEXT), ("score", WIDE), ("hand", INTS)))
CARDS = Kind("list", "list[Card]", CARD)
DEAL = Kind("record", "Deal", members=(("cards", CARDS), ("stock", STOCK)), is_frozen=True)
DOT = Kind("record", "Dot", members=(("x", INT), ("y", INT)))
BEST = Kind("option", "Card | None", CARD)
PLAYERS = Kind("list", "list[Player]", PLAYER)
TEAM = Kind("record", "Team", members=(("lead", PLAYER), ("members", PLAYERS), ("best", BEST)))

SCALARS = (INT, WIDE, TEXT, SUIT)
KEYS = (INT, TEXT, SUIT)
RECORDS = (CARD, PLAYER, TEAM, DEAL, DOT)
NAMES: dict[str, Any] = {each.__name__: each for each in (Suit, Card, Player, Team, Deal, Dot)}
NAMES |= {"u8": u8, "u16": u16}


def any_kind(random: Random, depth: int = 3) -> Kind:
    """Return the kind of a field."""
    forms = (
        ("list", "dict", "set", "record", "option", "scalar") if depth > 1 else ("record", "scalar")
    )
    form = random.choice(forms)
    if form in ("list", "dict"):
        item, key = any_kind(random, depth - 1), random.choice(KEYS)
        if form == "list":
            return Kind("list", f"list[{item.text}]", item)
        return Kind("dict", f"dict[{key.text}, {item.text}]", item, key)
    if form == "set":
        key = random.choice(KEYS)
        return Kind("set", f"set[{key.text}]", key=key)
    if form == "option":
        item = random.choice((*SCALARS, *RECORDS))
        return Kind("option", f"{item.text} | None", item)
    return random.choice(RECORDS if form == "record" else SCALARS)


def can_change(kind: Kind) -> bool:
    """True if a value can change in place, or a part of it can."""
    if kind.form in ("list", "dict", "set") or (kind.form == "record" and not kind.is_frozen):
        return True
    parts = [kind.item] if kind.item else [part for _, part in kind.members]
    return any(can_change(part) for part in parts)


@dataclass
class Writer:
    """A method that is being drawn: its lines, and the kinds of its local variables."""

    random: Random
    fields: dict[str, Kind]
    methods: int  # that it may call
    lines: list[str] = field(default_factory=list)
    names: dict[str, Kind] = field(default_factory=dict)
    walks: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)  # of all local variables
    is_guarded: bool = False  # each statement goes on where the one before it failed

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> str:
        return str(self.random.randint(-3, 3))

    def position(self) -> str:
        return self.pick("0", "0", "0", "-1", "-1", "1", "-2", "2")

    def new(self, kind: Kind) -> str:
        name = self.name(self.literal(kind))
        self.names[name] = kind
        return name

    def name(self, start: str) -> str:
        """Return the name of another local variable, which begins with that value."""
        self.starts.append(start)
        return f"x{len(self.starts)}"

    # Expressions

    def roots(self) -> list[tuple[str, Kind]]:
        return [
            *((f"self.{name}", kind) for name, kind in self.fields.items()),
            *self.names.items(),
        ]

    def paths(self, wanted: Callable[[Kind], bool], depth: int = 3) -> list[tuple[str, Kind]]:
        """Return all paths to values of a kind: `?` is an index or key that is drawn later."""
        return [
            found for root in self.roots() for found in _below(*root, depth) if wanted(found[1])
        ]

    def filled(self, path: str) -> str:
        """Return a path with its indexes and keys."""
        start, *rest = path.split("?")
        for part in rest:
            mark, tail = part[0], part[1:]
            kind = next(kind for kind in KEYS if kind.text[0] == mark) if mark != "#" else None
            start += (self.position() if kind is None else self.pick(*kind.literals[:2])) + tail
        return start

    def place(self, wanted: Callable[[Kind], bool]) -> tuple[str, Kind] | None:
        """Return an expression of a value of a kind, which is in a field or a local variable."""
        paths = self.paths(wanted)
        if not paths:
            return None
        path, kind = self.random.choice(paths)
        return self.filled(path), kind

    def literal(self, kind: Kind, depth: int = 3) -> str:
        """Return an expression that makes a new value."""
        if kind.form == "scalar":
            return self.pick(*kind.literals)
        if kind.form == "option":
            return self.pick("None", self.literal(kind.item, depth - 1))
        if kind.form == "record":
            return f"{kind.text}({', '.join([self.value(part, depth - 1) for _, part in kind.members])})"
        count = self.random.choice([2, 1, 0, 3])
        if kind.form == "set":
            return (
                f"{{{', '.join([self.literal(kind.key) for _ in range(count)])}}}"
                if count
                else "set()"
            )
        items = [self.value(kind.item, depth - 1) for _ in range(count)]
        if kind.form == "list":
            return f"[{', '.join(items)}]"
        return f"{{{', '.join([f'{self.literal(kind.key)}: {item}' for item in items])}}}"

    def value(self, kind: Kind, depth: int = 3) -> str:
        """Return an expression of a kind: a new value, one that is somewhere, or a copy."""
        how = self.pick("new", "new", "new", "copy", "same", "made") if depth > 1 else "new"
        found = None if how == "new" else self.place(lambda other: other == kind)
        if found is None:
            return self.literal(kind, depth)
        path = found[0]
        if how == "same" or (how == "made" and kind.form not in ("list", "dict", "set")):
            return path
        if how == "copy":
            return f"deepcopy({path})"
        if kind.form == "dict":
            return self.pick(f"dict({path})", f"{{**{path}}}", f"{path}.copy()", f"{path} | {{}}")
        if kind.form == "set":
            return self.pick(f"set({path})", f"{path} | {self.literal(kind)}", f"{path} & {self.literal(kind)}",
                             f"{path} - {self.literal(kind)}", f"{self.literal(kind)} ^ {path}", f"{path}.copy()")  # fmt: skip
        return self.pick(
            f"list({path})", f"{path}[:]", f"{path}[::-1]", f"sorted({path}, key=text)", f"{path}.copy()",
            f"[x for x in {path}]", f"{path} + []", f"[] + {path}", f"[*{path}][:2]", f"{path}[{self.position()}:]",
        )  # fmt: skip

    # Statements

    def block(self, write: Callable[[], None]) -> tuple[dict[str, Kind], list[str]]:
        """Write lines that are indented, and return the names there, which stay inside."""
        start, names, walks = len(self.lines), dict(self.names), [*self.walks]
        write()
        self.lines[start:] = [f"    {line}" for line in self.lines[start:] or ["pass"]]
        inside = self.names, self.walks
        self.names, self.walks = names, walks
        return inside

    def statements(self, most: int, depth: int = 2) -> None:
        for _ in range(self.random.choice([most // 2, most, 1, 2])):
            if self.is_guarded:
                self.lines.append("try:")
                names, walks = self.block(lambda: self.statement(depth))
                self.lines += ["except Exception as error:", "    note(type(error).__name__)"]
                self.names, self.walks = names, walks
            else:
                self.statement(depth)

    def statement(self, depth: int) -> None:
        simple = [
            self.change,
            self.change,
            self.change,
            self.read,
            self.read,
            self.assign,
            self.assign,
            self.note,
        ]
        simple += [self.swap, self.walk, self.step]
        if depth:
            blocks = [self.loop, self.condition, self.attempt, self.attempt]
            simple += [partial(write, depth - 1) for write in blocks]
            simple += [self.helper, self.send, self.send, self.send]
            simple += [*simple, self.fail]
        self.random.choice(simple)()

    def add(self, line: str) -> None:
        self.lines.append(line)

    def read(self) -> None:
        """Read what can change to a local variable."""
        found = self.place(can_change)
        if found:
            path, kind = found
            if kind.form == "dict" and self.random.choice((False, True)):
                key = self.literal(kind.key)
                kept = f"{path}.setdefault({key}, {self.value(kind.item)})"
                path, kind = self.pick(kept, f"{path}.pop({key})"), kind.item
            elif kind.form == "list" and self.random.choice((False, True)):
                path, kind = f"{path}.pop({self.pick('', '0', '-1', '1')})", kind.item
            self.add(f"{self.new(kind)} = {path}")

    def assign(self) -> None:
        """Assign a value to a place: a field, an item, a member of a record that is not frozen."""
        found = self.target()
        if found:
            path, kind = found
            if self.random.choice((False, True)) and can_change(kind):
                value, name = self.literal(kind), self.new(kind)
                self.add(f"{name} = {value}")
                self.add(f"{path} = {name}")
            else:
                self.add(f"{path} = {self.value(kind)}")

    def target(self) -> tuple[str, Kind] | None:
        targets = [
            (path, kind)
            for root in self.roots()
            for path, kind in _targets(*root, 3)
            if path not in self.names
        ]
        if not targets:
            return None
        path, kind = self.random.choice(targets)
        return self.filled(path), kind

    def change(self) -> None:
        """Change a list, dict or set in place, or a number."""
        found = self.place(lambda kind: kind.form in ("list", "dict", "set"))
        if not found:
            return
        path, kind = found
        position, value = self.position, partial(self.value, kind.item)
        if kind.form == "set":
            self.add(
                self.random.choice(_SET_CHANGES).format(
                    path, self.literal(kind.key), self.literal(kind)
                )
            )
        elif kind.form == "dict":
            change = self.random.choice(_DICT_CHANGES)
            self.add(change.format(path, self.literal(kind.key), value(), self.literal(kind)))
        else:
            change = self.random.choice(_LIST_CHANGES)
            self.add(change.format(path, position(), value(), position(), self.value(kind)))

    def swap(self) -> None:
        found = self.place(lambda kind: kind.form in ("list", "dict"))
        if found:
            path, kind = found
            keys = [
                self.position() if kind.form == "list" else self.literal(kind.key) for _ in range(2)
            ]
            one, other = f"{path}[{keys[0]}]", f"{path}[{keys[1]}]"
            self.add(f"{one}, {other} = {other}, {one}")

    def walk(self) -> None:
        """Begin to iterate, to go on later."""
        found = self.place(lambda kind: kind.form in ("list", "dict"))
        if found:
            path, kind = found
            name = self.name("iter([])")
            self.walks.append(name)
            how = (
                "iter({})"
                if kind.form == "list"
                else self.pick("iter({})", "iter({}.items())", "iter({}.values())")
            )
            self.add(f"{name} = {self.pick(how, how, 'reversed({})').format(path)}")

    def step(self) -> None:
        if self.walks:
            self.add(f"note(next({self.pick(*self.walks)}, 'end'))")

    def note(self) -> None:
        """Note what an expression is."""
        found = self.place(lambda _: True)
        if found:
            path, kind = found
            if can_change(kind) and self.random.choice((False, True)):
                other = self.place(lambda other: other == kind)
                assert other
                self.add(self.pick("note({} is {})", "note({} == {})").format(path, other[0]))
                return
            notes = {"list": _LIST_NOTES, "dict": _DICT_NOTES, "set": _SET_NOTES}.get(
                kind.form, ["{0}"]
            )
            note = self.random.choice(notes)
            if "set[" in kind.text:  # whose text has no promised order
                note = note.replace("str(", "text(")
            key = self.literal(kind.key or kind.item or INT)
            self.add(f"note({note.format(path, key, self.position(), self.position())})")

    def loop(self, depth: int) -> None:
        found = self.place(lambda kind: kind.form in ("list", "dict"))
        if found:
            path, kind = found
            items = self.pick("{}", "[*{}]", "reversed({})").format(path)
            name = self.name(self.literal(kind.item or kind.key))
            if kind.form == "dict" and self.random.choice((False, True)):
                self.add(f"for _, (k, {name}) in zip(range(4), [*{path}.items()]):")
                item = kind.item
            else:
                self.add(f"for _, {name} in zip(range(4), {items}):")
                item = kind.item if kind.form == "list" else kind.key

            def body() -> None:
                self.names[name] = item
                self.statements(2, depth)

            self.block(body)

    def condition(self, depth: int) -> None:
        found = self.place(lambda kind: kind.form in ("list", "dict", "set", "option"))
        if found:
            self.add(f"if {self.pick('', 'not ')}{found[0]}:")
            self.block(lambda: self.statements(2, depth))

    def attempt(self, depth: int) -> None:
        self.add("try:")
        self.block(lambda: self.statements(3, depth))
        self.add("except Exception as error:")
        self.add("    note(type(error).__name__)")

    def send(self) -> None:
        if self.methods:
            how = self.pick("back", "back", "fail", "both", "catch")
            numbers = (
                f"{self.random.randrange(self.methods)}, {self.random.randrange(self.methods)}"
            )
            self.add(f"send(self, '{how}', {numbers})")

    def helper(self) -> None:
        if self.methods:
            self.add(f"self.m{self.random.randrange(self.methods)}()")

    def fail(self) -> None:
        self.add(f"raise {self.pick('ValueError', 'KeyError', 'Revert')}('drawn')")


def _below(path: str, kind: Kind, depth: int) -> Iterator[tuple[str, Kind]]:
    yield path, kind
    if depth:
        for step, part in _steps(kind):
            yield from _below(path + step, part, depth - 1)


def _targets(path: str, kind: Kind, depth: int) -> Iterator[tuple[str, Kind]]:
    """Yield the places that can be assigned, at or below a path."""
    if path.startswith("self.") and path.count(".") == 1 and "[" not in path:
        yield path, kind
    for step, part in _steps(kind):
        if depth and not (kind.form == "record" and kind.is_frozen):
            yield path + step, part
        if depth > 1:
            yield from (found for found in _targets(path + step, part, depth - 1))


def _steps(kind: Kind) -> list[tuple[str, Kind]]:
    if kind.form == "record":
        return [(f".{name}", part) for name, part in kind.members]
    if kind.form == "list":
        return [("[?#]", kind.item)]
    return [(f"[?{kind.key.text[0]}]", kind.item)] if kind.form == "dict" else []


_LIST_CHANGES = [
    "{0}.append({2})", "{0}.append({2})", "{0}.insert({1}, {2})", "{0}.pop()", "{0}.pop({1})", "{0}.remove({2})",
    "{0}.sort(key=text)", "{0}.sort(key=text, reverse=True)", "{0}.reverse()", "{0}.clear()", "{0}.extend({4})",
    "{0} += {4}", "{0}[{1}:{3}] = {4}", "{0}[:] = {4}", "del {0}[{1}]", "del {0}[{1}:{3}]", "del {0}[::2]",
    "{0}[{1}] = {2}", "{0}.append({0}.pop({1}))", "{0}.insert(0, {0}.pop())", "{0} *= 0", "{0}[{1}], {0}[0] = {0}[0], {0}[{1}]",
]  # fmt: skip
_DICT_CHANGES = [
    "{0}[{1}] = {2}", "{0}[{1}] = {2}", "del {0}[{1}]", "{0}.pop({1}, None)", "{0}.pop({1})", "{0}.popitem()",
    "{0}.setdefault({1}, {2})", "{0}.update({3})", "{0} |= {3}", "{0}.clear()", "{0}[{1}] = {0}.pop({1})",
]  # fmt: skip
_SET_CHANGES = [
    "{0}.add({1})", "{0}.add({1})", "{0}.discard({1})", "{0}.remove({1})", "{0}.update({2})", "{0} |= {2}", "{0} -= {2}",
    "{0} &= {2}", "{0} ^= {2}", "{0}.clear()", "{0}.difference_update({2})",
]  # fmt: skip
_LIST_NOTES = [
    "{0}", "len({0})", "{0}[{2}]", "{0}[{2}:{3}]", "{1} in {0}", "{0}.count({1})", "{0}.index({1})", "str({0})",
    "sorted({0}, key=text)", "max({0}, key=text)", "list(enumerate({0}))", "list(zip({0}, {0}))", "{0} + {0}", "{0} * 2",
    "list(reversed({0}))", "bool({0})", "[*{0}][{2}:]", "{0}[::-1]", "tuple({0})", "{0} == [*{0}]", "{0} != []",
]  # fmt: skip
_DICT_NOTES = [
    "{0}", "len({0})", "{0}[{1}]", "{0}.get({1})", "{0}.get({1}, 5)", "{1} in {0}", "list({0})", "list({0}.items())",
    "list({0}.values())", "str({0})", "{0} | {0}", "dict({0})", "sorted({0}, key=text)", "bool({0})", "list(reversed({0}))",
    "{0} == dict({0})", "len({0}.keys() & [{1}])", "max({0}, key=text)", "300 in {0}", "{0}.get(None)",
]  # fmt: skip
_SET_NOTES = [
    "{0}", "len({0})", "{1} in {0}", "sorted({0}, key=text)", "bool({0})", "{0} | {{{1}}}", "{0} - {{{1}}}", "{{{1}}} - {0}",
    "{0} <= {{{1}}}", "{{{1}}} <= {0}", "{0}.issubset([{1}])", "{0}.union([{1}])", "{0}.isdisjoint([{1}])", "{0} == set({0})",
    "{0} ^ {{{1}}}", "None in {0}",
]  # fmt: skip


class Program(NamedTuple):
    """The source of a class, and the calls of its methods, each with its number, True for a view."""

    source: str
    methods: int
    calls: list[tuple[int, bool]]

    def __repr__(self) -> str:
        return f"\n{self.source}\n# calls: {self.calls}"


def any_program(random: Random) -> Program:
    """Return a program with fields, methods and calls drawn by `random`."""
    fields = {f"f{i}": any_kind(random) for i in range(random.randint(2, 5))}
    lines = ["class Drawn(Contract):"]
    lines += [f"    {name}: {kind.text}" for name, kind in fields.items()]
    lines += ["", "    @init", "    def new(self) -> None:"]
    fresh = Writer(random, {}, 0)
    lines += [f"        self.{name} = {fresh.literal(kind)}" for name, kind in fields.items()]
    count = random.randint(1, 4)
    for number in range(count):
        writer = Writer(random, fields, number, is_guarded=random.choice((True, False, True)))
        writer.statements(8)
        names = [f"x{i + 1}" for i in range(len(writer.starts))]
        lines += ["", f"    def m{number}(self):"]
        lines += [
            f"        {name} = {start}" for name, start in zip(names, writer.starts, strict=True)
        ]
        lines += [f"        {line}" for line in writer.lines]
        lines += [f"        note([{', '.join(names)}])"]
    views = (False,) * 7 + (True,)
    calls = [(random.randrange(count), random.choice(views)) for _ in range(random.randint(1, 5))]
    return Program("\n".join(lines), count, calls)


programs: st.SearchStrategy[Program] = st.randoms(use_true_random=False).map(any_program)
