"""Values as people type them: `7`, `0x1f`, `true`, `BLUE`, `alice`, `null`, or JSON where a value has parts.

The declared type of an entry's argument decides how a word is read. An address may also be a name: of an account, by its
label, name or number, or of a contract on the chain.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from chain.fit import fits, short, wants
from chain.kinds import Account, Blob, Bool, Choice, Kind, Member, Option, Record, Text
from chain.kinds import Sequence as Many
from chain.spec import EntrySpec
from chain.types import Address, FixedBytes, Int

Find = Callable[[str], Address]  # the address that a word stands for, or ValueError

_NOTHING = ("null", "none")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


class Misread(ValueError):
    """A word that cannot be what the argument must be; the text says what would do."""


def read_args(entry: EntrySpec, words: Sequence[str], find: Find) -> dict[str, Any]:
    """The arguments of an entry: one word each, or all as one JSON object or list."""
    known = {member.name: member.kind for member in entry.params}
    given = _whole(entry, words)
    if given is None:
        if len(words) > len(known):
            count = f"{len(words)} {'was' if len(words) == 1 else 'were'} given"
            raise Misread(f"{entry.name} takes {usage(entry)}; {count}")
        typed = zip(known.items(), words, strict=False)
        return {name: _read_word(kind, word, name, find) for (name, kind), word in typed}
    strange = next((name for name in given if name not in known), None)
    if strange is not None:
        raise Misread(f"{entry.name} has no argument '{strange}'; it takes {usage(entry)}")
    return {name: _read(known[name], value, name, find) for name, value in given.items()}


def usage(entry: EntrySpec) -> str:
    """What an entry takes: `<index: u64> <from_x: i8>`."""
    return " ".join(f"<{each.name}: {each.kind.name}>" for each in entry.params) or "no arguments"


def read_value(member: Member, word: str, find: Find) -> Any:
    """One value of a known kind."""
    return _read_word(member.kind, word, member.name, find)


def _whole(entry: EntrySpec, words: Sequence[str]) -> dict[str, Any] | None:
    """All arguments at once, where there is one word and it is JSON for more than the first of them."""
    if len(words) != 1 or not words[0].lstrip().startswith(("{", "[")):
        return None
    names = [member.name for member in entry.params]
    try:
        given = json.loads(words[0])
    except ValueError as no:
        if entry.params and isinstance(entry.params[0].kind, Text):
            return None
        raise Misread(f"{entry.name}: this is no JSON: {no}") from None
    if isinstance(given, dict) and set(given) <= set(names):
        return given
    if isinstance(given, list) and len(names) > 1 and len(given) <= len(names):
        return dict(zip(names, given, strict=False))
    if isinstance(given, dict) and not (names and isinstance(_bare(entry.params[0].kind), Record)):
        return given  # whose names are then found to be wrong
    return None


def _read_word(kind: Kind, word: str, path: str, find: Find) -> Any:
    """A value from a word of the command."""
    match kind:
        case Option(item=item):
            return None if word.lower() in _NOTHING else _read_word(item, word, path, find)
        case Bool():
            if word.lower() in _TRUTH:
                return _TRUTH[word.lower()]
            raise Misread(f"{path} = {word!r} is not bool: write true or false")
        case Many() | Record():
            try:
                return _read(kind, json.loads(word), path, find)
            except json.JSONDecodeError:
                raise Misread(f"{path} = {word!r} {wants(kind)}: write it as JSON") from None
        case _:
            return _read_text(kind, word, path, find)


def _read(kind: Kind, value: Any, path: str, find: Find) -> Any:
    """A value from what JSON made of it."""
    match kind:
        case Option(item=item):
            return None if value is None else _read(item, value, path, find)
        case Many(item=item, make=make) if isinstance(value, list):
            return make(_read(item, each, f"{path}[{i}]", find) for i, each in enumerate(value))
        case Record() if isinstance(value, list | dict):
            return _record(kind, value, path, find)
        case Int() | Bool() if type(value) is (bool if isinstance(kind, Bool) else int):
            return _fitting(kind, value, path)
        case Choice() if type(value) is int:
            return _member(kind, str(value), path)
        case Many() | Record() | Bool():
            pass
        case _ if isinstance(value, str):
            return _read_text(kind, value, path, find)
    raise Misread(f"{path} = {json.dumps(value)} {wants(kind, value)}")


def _read_text(kind: Kind, text: str, path: str, find: Find) -> Any:
    """A value without parts."""
    match kind:
        case Int():
            return _number(kind, text, path)
        case Choice():
            return _member(kind, text, path)
        case Account():
            try:
                return find(text)
            except (ValueError, TypeError, LookupError) as no:
                raise Misread(f"{path}: {no}") from None
        case Blob() | FixedBytes():
            return _bytes(kind, text, path)
        case _:
            return text


def _number(kind: Int, word: str, path: str) -> int:
    try:
        number = int(word.replace("_", ""), 16 if "0x" in word.lower() else 10)
    except ValueError:
        raise Misread(f"{path} = {word!r} {wants(kind, word)}") from None
    return int(_fitting(kind, number, path))


def _fitting(kind: Kind, value: Any, path: str) -> Any:
    """The value, if it is in the range of its kind: a contract would refuse it, but that is a transaction."""
    if not fits(kind, value):
        raise Misread(f"{path} = {short(value)} {wants(kind, value)}")
    return value


def _member(kind: Choice, word: str, path: str) -> Any:
    by_code = {str(code): member for code, member in kind.member_of().items()}
    by_name = {member.name.lower(): member for member in kind.cls}
    found = by_code.get(word) or by_name.get(word.lower())
    if found is None:
        names = ", ".join(member.name for member in kind.cls)
        raise Misread(f"{path} = {word!r} is not {kind.name}: it is one of {names}")
    return found


def _bytes(kind: Kind, word: str, path: str) -> bytes:
    try:
        if not word.startswith("0x"):
            raise ValueError
        raw = bytes.fromhex(word[2:])
    except ValueError:
        raise Misread(f"{path} = {word!r} {wants(kind)}: write it as hex, 0x12ab") from None
    return bytes(_fitting(kind, raw, path))


def _record(kind: Record, value: Any, path: str, find: Find) -> Any:
    names = [member.name for member in kind.members]
    given = value if isinstance(value, dict) else dict(zip(names, value, strict=False))
    if set(given) != set(names) or len(value) != len(names):
        raise Misread(f"{path} is a {kind.name}: write its members {', '.join(names)}")
    parts = [
        _read(each.kind, given[each.name], f"{path}.{each.name}", find) for each in kind.members
    ]
    return tuple(parts) if kind.cls is None else kind.cls(*parts)


def _bare(kind: Kind) -> Kind:
    return kind.item if isinstance(kind, Option) else kind
