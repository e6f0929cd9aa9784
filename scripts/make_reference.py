"""Writes `chain/REFERENCE.md` from the docstrings: every name that users import or hold, with signature, meaning and example.

`python scripts/make_reference.py` writes the page; `reference_topics` says what is on it. The names themselves are found by
looking at modules and classes, so that a new one is on the page at once. `tests/chain/test_reference.py` runs the examples.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_overloads

from reference_topics import MADE, TOPICS, Section, Topic

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "chain" / "REFERENCE.md"
SCENE: Final = ROOT / "tests" / "chain" / "reference_scene.py"

_OPENING: Final = """# Reference

All names that you import or hold, by what you do with them. `help(name)` shows the same texts.
[The guides](../README.md#read-on) explain how they go together.

{contents}

Every example on this page is run by the tests, after this:

<details><summary>the contracts and the chain of the examples</summary>

```python
{scene}```

</details>

In examples of contracts, `self` is the running contract. What the examples of a name do is undone before the next name.

Everywhere, a value that does not fit raises `TypeError` or `ValueError`, which says what to write instead, and a call that
a contract refuses raises `Reverted`. The entries tell of other errors. Where an account is asked for (`AccountLike`), give an
`Address`, an `Account`, a handle, hex text, or the name under which the chain knows it.
"""


@dataclass(frozen=True)
class Entry:
    """A name with its signature, meaning and example."""

    name: str
    signature: str  # empty for an attribute
    type: str
    doc: str
    written: str = ""  # how it is written, if not as the name and the signature

    @cached_property
    def _parts(self) -> tuple[str, str]:
        meaning, mark, example = self.doc.partition(">>> ")
        return meaning.strip(), (mark + example).strip()

    @property
    def meaning(self) -> str:
        return self._parts[0]

    @property
    def example(self) -> str:
        return self._parts[1]


# What there is


def names_of(cls: type) -> list[str]:
    """Return the public names that a class has from this package, in the order in which they are written."""
    names: dict[str, None] = {}
    for parent in cls.__mro__:
        if parent.__module__.partition(".")[0] == "chain":
            own = [
                *inspect.get_annotations(parent),
                *vars(parent),
                *_set_in_init(parent),
            ]
            names |= dict.fromkeys(sorted(own, key=_place_in(parent)))
    return [name for name in names if not name.startswith("_")]


def _set_in_init(cls: type) -> list[str]:
    init = None if is_dataclass(cls) else vars(cls).get("__init__")
    source = "" if init is None else inspect.getsource(init)
    return re.findall(r"^ +self\.(\w+)(?:: [^=]+)? = ", source, re.MULTILINE)


def _place_in(owner: Any) -> Callable[[str], int]:
    """Return a function that finds the line in which a class or a module declares a name."""
    lines = _source(owner)
    places = {}
    for number, line in reversed([*enumerate(lines)]):
        if found := re.match(r"(?:    )?(?:    self\.|def |async def |)(\w+)\b", line):
            places[found[1]] = number
    return lambda name: places.get(name, len(lines))


def entries_of(topic: Topic) -> list[Entry]:
    """Return the names of a topic, without those of the class that it resembles."""
    if topic.names:
        names = constants_of(topic.module) if topic.names == "*" else topic.names.split()
        return [
            _mark(topic.module, name[1:]) if name[0] == "@" else _function(topic.module, name)
            for name in names
        ]
    shared = names_of(_resolve(topic.like)) if topic.like else []
    own = vars(topic.cls)
    names = [name for name in names_of(topic.cls) if name not in shared or name in own]
    return [_member(topic.cls, name) for name in names]


def constants_of(module: Any) -> list[str]:
    names = [name for name in module.__all__ if not isinstance(getattr(module, name), type)]
    return sorted(names, key=_place_in(module))


def _resolve(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _function(module: Any, name: str) -> Entry:
    value = getattr(module, name)
    if callable(value) and inspect.isroutine(value):
        return Entry(name, _signature(value), "", inspect.getdoc(value) or "")
    meaning, _ = _comment(module, name)
    return Entry(name, "", "", meaning or _comment(inspect.getmodule(type(value)), name)[0])


def _mark(module: Any, name: str) -> Entry:
    """Return the entry of a decorator, with its options."""
    marker = getattr(module, name)
    overloads = get_overloads(marker)
    options = _signature(overloads[-1]).partition(" -> ")[0] if overloads else ""
    return Entry(name, options, "", inspect.getdoc(marker) or "", f"@{name}{options}")


def _member(cls: type, name: str) -> Entry:
    owner = next(
        parent for parent in cls.__mro__
        if name in vars(parent) or name in inspect.get_annotations(parent) or name in _set_in_init(parent)
    )  # fmt: skip
    value = vars(owner).get(name)
    if isinstance(value, classmethod | staticmethod) or inspect.isfunction(value):
        return Entry(name, _signature(getattr(cls, name)), "", _doc(cls, name))
    read = value.fget if isinstance(value, property) else getattr(value, "func", None)
    if inspect.isfunction(read) and read.__name__ != "<lambda>" and (doc := _doc(cls, name)):
        return Entry(name, "", _shown(inspect.signature(read).return_annotation), doc)
    meaning, hint = _comment(owner, name)
    hint = inspect.get_annotations(owner).get(name) or hint
    return Entry(name, "", _shown(hint), meaning)


def _doc(cls: type, name: str) -> str:
    """Return the docstring of a member, or that of the parent that declares it."""
    for parent in cls.__mro__:
        value = vars(parent).get(name)
        value = getattr(value, "func", value)
        if value is not None and (doc := inspect.getdoc(value)):
            return doc
    return ""


def _shown(hint: object) -> str:
    text = (
        hint
        if isinstance(hint, str)
        else getattr(hint, "__forward_arg__", "") or inspect.formatannotation(hint)
    )
    return re.sub(r"\b(decoded|runtime)\.", "", re.sub(r"ClassVar\[(.*)\]$", r"\1", text))


def _signature(function: Any) -> str:
    """Return the parameters with their types, without `self`, and the type of the result, if any."""
    signature = inspect.signature(function)
    params = [
        _shown_param(param) for param in signature.parameters.values() if param.name != "self"
    ]
    returned = _Text(_shown(signature.return_annotation))
    return str(inspect.Signature(params, return_annotation=returned)).removesuffix(" -> None")


def _shown_param(param: inspect.Parameter) -> inspect.Parameter:
    if param.annotation is not param.empty:
        param = param.replace(annotation=_Text(_shown(param.annotation)))
    if param.default is not param.empty:
        default = repr(param.default)
        param = param.replace(
            default=_Text("…" if default.startswith(("<", "Ellipsis")) else default)
        )
    return param


@dataclass(frozen=True, repr=False)
class _Text:
    """A text that stands for itself in a signature."""

    text: str

    def __repr__(self) -> str:
        return self.text


@cache
def _source(owner: Any) -> list[str]:
    return inspect.getsource(owner).splitlines()


def _comment(owner: Any, name: str) -> tuple[str, str]:
    """Return the comment beside or above the declaration of an attribute, and its type, if declared."""
    declared = re.compile(
        rf"\s*(?:self\.)?{name}\b(?:: (?P<hint>[^=#]*[^=# ]))?(?: *=[^=].*?)?(?:  # (?P<text>.+))?$"
    )
    meaning = hint = ""
    lines = _source(owner)
    for number, line in enumerate(lines):
        if not (found := declared.fullmatch(line)):
            continue
        above = lines[number - 1].strip()
        text = found["text"] or (above[2:] if above.startswith("# ") else "")
        text = "" if text.startswith(("type: ignore", "fmt:", "noqa")) else text
        meaning, hint = meaning or text, hint or found["hint"] or ""
    return _sentence(meaning), hint


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


# The page


def page() -> str:
    """Return the whole page."""
    scene = SCENE.read_text("utf-8").partition('"""\n\n')[2]
    scene = scene.replace("from __future__ import annotations\n\n", "")
    head = _OPENING.format(contents="\n".join(_contents()), scene=scene)
    return "\n".join([head, *(line for section in TOPICS for line in _section(section))])


def _contents() -> Iterator[str]:
    for section in TOPICS:
        topics = " · ".join(
            f"[{topic.heading}](#{anchor(topic.heading)})" for topic in section.topics
        )
        yield f"- **[{section.title}](#{anchor(section.title)})**: {topics}"


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}\n\n{section.text}\n"
    for topic in section.topics:
        yield from _topic(topic)


def _topic(topic: Topic) -> Iterator[str]:
    yield f"### {topic.heading}\n"
    entries = entries_of(topic)
    if topic.names in ("", "*"):
        yield from _class(topic)
    tools = [entry for entry in entries if entry.name in topic.tools.split()]
    plain = [entry for entry in entries if entry not in tools]
    attributes = [entry for entry in plain if not entry.signature and not entry.written]
    if attributes:
        yield from _table(topic, attributes)
        yield from (_fence(entry.example) for entry in attributes if entry.example)
    for entry in plain:
        if entry not in attributes:
            yield f"**`{entry.written or entry.name + entry.signature}`**<br>\n{entry.meaning}\n"
            if entry.example:
                yield _fence(entry.example)
    if tools:
        yield "<details><summary>for tools</summary>\n"
        yield from _table(topic, tools)
        yield "</details>\n"


def _class(topic: Topic) -> Iterator[str]:
    told = class_entry(topic)
    if topic.heading == f"`{told.name}`" and not topic.names:
        yield f"`from {_home(topic.path)} import {told.name}`\n"
    if told.signature:
        yield f"**`{told.name}{told.signature}`**\n"
    yield f"{told.meaning}\n"
    if topic.like:
        like = _resolve(topic.like)
        theirs = set(names_of(like)) - {*_tools_of(topic.like), *vars(topic.cls)}
        shared = [name for name in names_of(topic.cls) if name in theirs]
        if shared:
            listed = ", ".join(f"`{name}`" for name in shared)
            yield f"As [`{like.__name__}`](#{anchor(like.__name__)}) has them: {listed}.\n"
    if told.example:
        yield _fence(told.example)


def _home(path: str) -> str:
    """Return the shortest module from which a class can be imported."""
    module, _, name = path.rpartition(".")
    parts = module.split(".")
    homes = (".".join(parts[: length + 1]) for length in range(len(parts)))
    cls = getattr(import_module(module), name)
    return next(home for home in homes if getattr(import_module(home), name, None) is cls)


def class_entry(topic: Topic) -> Entry:
    """Return the entry of a class itself, with its signature where users make one, or of a whole module."""
    if topic.names:
        return Entry(topic.path, "", "", inspect.getdoc(topic.module) or "")
    cls = topic.cls
    made = topic.path in MADE
    return Entry(cls.__name__, _signature(cls) if made else "", "", inspect.getdoc(cls) or "")


def _tools_of(path: str) -> list[str]:
    """Return the names of a class that only tools use."""
    topics = (topic for section in TOPICS for topic in section.topics)
    return [name for topic in topics if topic.path == path for name in topic.tools.split()]


def _table(topic: Topic, entries: list[Entry]) -> Iterator[str]:
    typed = any(entry.type for entry in entries)
    yield "| name | type | meaning |\n|---|---|---|" if typed else "| name | meaning |\n|---|---|"
    for entry in entries:
        meaning = " ".join(entry.meaning.split()).replace("|", "\\|")
        kind = f"`{entry.type}`" if entry.type else "method" if entry.signature else ""
        cells = [f"`{entry.name}`", *([kind.replace("|", "\\|")] if typed else []), meaning]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _fence(example: str) -> str:
    example = example.replace("Traceback (most recent call last):\n    ...\n", "")
    return f"```pycon\n{example}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
