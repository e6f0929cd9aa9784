"""Values as people type them: `7`, `0x1f`, `true`, `BLUE`, `alice`, `null`, or JSON for a value with parts.

The declared type of an argument decides how a word is read. An address may also be given as a name: an account by its label,
name or number, or a contract on the chain.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from chain.spec.contracts import EntrySpec
from chain.values import (
    OptionalType,
    StringType,
    StructType,
    UnionType,
    ValueType,
)
from chain.values.kind import FindAddress
from chain.values.mismatch import ParseError
from chain.values.records import by_field


def read_args(entry: EntrySpec, words: Sequence[str], find: FindAddress) -> dict[str, object]:
    """Return the arguments of an entry, read from one word each or from one JSON object or list."""
    types = {member.name: member.kind for member in entry.params}
    parsed = _whole(entry, words)
    if parsed is None:
        if len(words) > len(types):
            count = f"{len(words)} {'was' if len(words) == 1 else 'were'} given"
            raise ParseError(f"{entry.name} takes {usage(entry)}; {count}")
        pairs = zip(types.items(), words, strict=False)
        return {name: value_type.from_word(word, name, find) for (name, value_type), word in pairs}
    unknown = next((name for name in parsed if name not in types), None)
    if unknown is not None:
        raise ParseError(f"{entry.name} has no argument '{unknown}'; it takes {usage(entry)}")
    return {name: types[name].from_json(value, name, find) for name, value in parsed.items()}


def usage(entry: EntrySpec) -> str:
    """Return the usage of an entry, such as `<index: u64> <from_x: i8>`."""
    return (
        " ".join(f"<{param.name}: {param.kind.name}>" for param in entry.params) or "no arguments"
    )


def _whole(entry: EntrySpec, words: Sequence[str]) -> dict[str, object] | None:
    """Return all arguments at once if the only word is JSON that holds more than the first argument."""
    if len(words) != 1 or not words[0].lstrip().startswith(("{", "[")):
        return None
    names = [member.name for member in entry.params]
    try:
        parsed = json.loads(words[0])
    except ValueError as error:
        if entry.params and isinstance(entry.params[0].kind, StringType):
            return None
        raise ParseError(f"{entry.name}: this is not JSON: {error}") from None
    if isinstance(parsed, dict):
        parsed = by_field(parsed, names)
    if isinstance(parsed, dict) and set(parsed) <= set(names):
        return parsed
    if isinstance(parsed, list) and len(names) > 1 and len(parsed) <= len(names):
        return dict(zip(names, parsed, strict=False))
    if isinstance(parsed, dict) and not (
        names and isinstance(_bare(entry.params[0].kind), StructType | UnionType)
    ):
        return parsed  # the caller reports the unknown names
    return None


def _bare(kind: ValueType) -> ValueType:
    """Return the type inside an optional type, or the type itself."""
    return kind.item if isinstance(kind, OptionalType) else kind
