"""Prices of methods of texts. Most of them also have a price for collections that have a method of that name."""

from __future__ import annotations

from typing import Final, TypeAlias

from chain.metering.builtin_costs import BUILT, FREE, TEXT, charge_items, charge_text, size_of
from chain.metering.fuel import charge
from chain.metering.lookup_costs import charge_search
from chain.metering.value_size import weight_of

_Args: TypeAlias = tuple[object, ...]
_TEXTS: Final = (str, bytes, bytearray)
_CODES: Final = frozenset({"utf-8", "utf8", "ascii", "latin-1", "latin1", "utf-16", "utf-32"})
_FREE_TEXT: Final = TEXT * FREE  # characters that cost nothing beyond the call


def whole(thing: object, args: _Args) -> None:
    """Charge for a pass over all of the object, and over the texts among the arguments."""
    if isinstance(thing, _TEXTS):
        size = len(thing)
        if size > _FREE_TEXT:
            charge_text(size)
        if isinstance(thing, str) and not thing.isascii():
            charge(1 + 4 * size)  # text that is not ASCII is looked up character by character
        for arg in args:
            if isinstance(arg, _TEXTS):
                if len(arg) > _FREE_TEXT:
                    charge_text(len(arg))
            elif isinstance(arg, tuple):  # several prefixes or suffixes
                charge_text(
                    sum(
                        len(affix)
                        for affix in charge_items(arg, BUILT)
                        if isinstance(affix, _TEXTS)
                    )
                )
    else:
        charge_items(thing)


def cased(thing: object, args: _Args) -> None:
    """Charge as `whole` does, and for the cases of characters that are not ASCII."""
    whole(thing, args)
    if isinstance(thing, str) and not thing.isascii():
        charge(1 + 8 * len(thing))


def stripped(thing: object, args: _Args) -> None:
    """Charge as `whole` does, and for a search of each character among those to strip."""
    whole(thing, args)
    if args and isinstance(thing, _TEXTS) and isinstance(args[0], _TEXTS):
        charge(1 + len(thing) * len(args[0]) // 64)


def sought(thing: object, args: _Args, is_backwards: bool = False) -> None:
    """Charge as `whole` does, and for a search in a text, or for a comparison with each item."""
    whole(thing, args)
    if not args:
        return
    if not isinstance(thing, _TEXTS):
        charge(1 + weight_of(args[0]) * min(size_of(thing), 2**40))
    elif isinstance(args[0], _TEXTS):
        charge_search(thing, args[0], is_backwards)


def sought_backwards(thing: object, args: _Args) -> None:
    sought(thing, args, True)


def coded(thing: object, args: _Args) -> None:
    whole(thing, args)
    if args and str(args[0]).lower() not in _CODES:
        raise LookupError(f"a text can be encoded as one of {', '.join(sorted(_CODES))}")
    if len(args) > 1 or (isinstance(thing, str) and not thing.isascii()):
        charge(1 + 8 * size_of(thing))


def widened(thing: object, args: _Args) -> None:
    if isinstance(thing, _TEXTS):
        charge_text(len(thing))
    if args and isinstance(args[0], int):
        charge_text(args[0])


def expanded(thing: object, args: _Args) -> None:
    if isinstance(thing, _TEXTS):
        tab = "\t" if isinstance(thing, str) else b"\t"
        width = args[0] if args and isinstance(args[0], int) else 8
        charge_text(len(thing) + thing.count(tab) * max(width, 1))  # type: ignore[arg-type]


def substituted(thing: object, args: _Args) -> None:
    if isinstance(thing, _TEXTS):
        charge_text(len(thing))
        if args and isinstance(args[0], _TEXTS):
            charge_search(thing, args[0])
            charge_search(thing, args[0])
        if len(args) > 1 and isinstance(args[0], type(thing)) and isinstance(args[1], type(thing)):
            charge_text(thing.count(args[0]) * len(args[1]))  # type: ignore[arg-type]


def from_hex(thing: object, args: _Args) -> None:
    """Charge for `fromhex`, which takes bytes on some versions of Python."""
    whole(thing, args)
    if args and not isinstance(args[0], str):
        raise TypeError(f"fromhex() argument must be str, not {type(args[0]).__name__}")
    if args:
        charge_text(size_of(args[0]))


def translated(thing: object, args: _Args) -> None:
    if isinstance(thing, _TEXTS):
        charge_text(len(thing))
        if args and isinstance(args[0], dict):
            replacements = [
                len(replacement)
                for replacement in charge_items(args[0]).values()
                if isinstance(replacement, str)
            ]
            charge_text(len(thing) * max(replacements, default=1))
