"""Values as people type them: `7`, `0x1f`, `true`, `BLUE`, `alice`, `null`, or JSON where a value has parts.

The declared type of an entry's argument decides how a word is read. An address may also be a name: of an account, by its
label, name or number, or of a contract on the chain.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chain.ledger.sql.parse_values import (
    AddressResolver,
    ParseError,
    by_field,
    parse_value,
    read_text,
)
from chain.schema.validation import expectation
from chain.schema.value_types import (
    BoolType,
    Field,
    OptionalType,
    StringType,
    StructType,
    ValueType,
)
from chain.schema.value_types import ListType as Many
from chain.spec.contracts import EntrySpec

_NOTHING = ("null", "none")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def read_args(entry: EntrySpec, words: Sequence[str], find: AddressResolver) -> dict[str, Any]:
    """The arguments of an entry: one word each, or all as one JSON object or list."""
    known = {member.name: member.kind for member in entry.params}
    told = _whole(entry, words)
    if told is None:
        if len(words) > len(known):
            count = f"{len(words)} {'was' if len(words) == 1 else 'were'} given"
            raise ParseError(f"{entry.name} takes {usage(entry)}; {count}")
        typed = zip(known.items(), words, strict=False)
        return {name: _read_word(kind, word, name, find) for (name, kind), word in typed}
    strange = next((name for name in told if name not in known), None)
    if strange is not None:
        raise ParseError(f"{entry.name} has no argument '{strange}'; it takes {usage(entry)}")
    return {name: parse_value(known[name], value, name, find) for name, value in told.items()}


def usage(entry: EntrySpec) -> str:
    """What an entry takes: `<index: u64> <from_x: i8>`."""
    return " ".join(f"<{each.name}: {each.kind.name}>" for each in entry.params) or "no arguments"


def read_value(member: Field, word: str, find: AddressResolver) -> Any:
    """One value of a known kind."""
    return _read_word(member.kind, word, member.name, find)


def _whole(entry: EntrySpec, words: Sequence[str]) -> dict[str, Any] | None:
    """All arguments at once, where there is one word and it is JSON for more than the first of them."""
    if len(words) != 1 or not words[0].lstrip().startswith(("{", "[")):
        return None
    names = [member.name for member in entry.params]
    try:
        told = json.loads(words[0])
    except ValueError as no:
        if entry.params and isinstance(entry.params[0].kind, StringType):
            return None
        raise ParseError(f"{entry.name}: this is no JSON: {no}") from None
    if isinstance(told, dict):
        told = by_field(told, names)
    if isinstance(told, dict) and set(told) <= set(names):
        return told
    if isinstance(told, list) and len(names) > 1 and len(told) <= len(names):
        return dict(zip(names, told, strict=False))
    if isinstance(told, dict) and not (
        names and isinstance(_bare(entry.params[0].kind), StructType)
    ):
        return told  # whose names are then found to be wrong
    return None


def _read_word(kind: ValueType, word: str, path: str, find: AddressResolver) -> Any:
    """A value from a word of the command."""
    match kind:
        case OptionalType(item=item):
            return None if word.lower() in _NOTHING else _read_word(item, word, path, find)
        case BoolType():
            if word.lower() in _TRUTH:
                return _TRUTH[word.lower()]
            raise ParseError(f"{path} = {word!r} is not bool: write true or false")
        case Many() | StructType():
            try:
                return parse_value(kind, json.loads(word), path, find)
            except json.JSONDecodeError:
                raise ParseError(
                    f"{path} = {word!r} {expectation(kind)}: write it as JSON"
                ) from None
        case _:
            return read_text(kind, word, path, find)


def _bare(kind: ValueType) -> ValueType:
    return kind.item if isinstance(kind, OptionalType) else kind
