"""Methods of texts and collections that work long in one call, made to pay first. Told by name: what an author's own class does
under such a name ticks by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from chain.image.constants import taken
from chain.image.meter import dry, spend
from chain.image.work import BUILT, pay, pay_for_order, pay_text, size_of

_NUMBERS: Final = re.compile(r"\d{3,}")
_WIDTHS: Final = re.compile(r":[^}]*\{")  # a width that is told by a value
_TEXTS: Final = (str, bytes, bytearray)
_PLAIN: Final = (*_TEXTS, list, tuple, dict, set, frozenset)
_JOINED: Final = (list, tuple)
_SHORT: Final = 256  # characters of a template that is worth remembering


def method(thing: Any, name: str, *args: Any, **named: Any) -> Any:
    """`thing.name(…)`"""
    spend()
    if isinstance(thing, _PLAIN):
        args = _PRICES[name](thing, args) or args
    elif isinstance(thing, type):
        if args and isinstance(args[0], _PLAIN):
            _PRICES[name](args[0], args[1:])  # as in str.ljust("a", 9)
        else:
            args = _PRICES[name](thing, args) or args
        return taken(getattr(thing, name))(*args, **named)
    elif isinstance(thing, int) and name == "to_bytes":
        _width(thing, args)
    found = getattr(thing, name)(*args, **named)
    return written(found) if name == "format" else found


def _whole(thing: Any, args: tuple[Any, ...]) -> None:
    if isinstance(thing, _TEXTS):
        pay_text(len(thing))
    else:
        pay(thing)


def _both(thing: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    if not isinstance(thing, type):
        pay(thing)
    return _others(thing, args)


def _others(thing: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(pay(each, BUILT) for each in args)


def _order(thing: Any, args: tuple[Any, ...]) -> None:
    pay_for_order(size_of(thing))


def _join(thing: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    items = args[0] if args else ()
    if isinstance(items, _JOINED):
        try:
            texts = sum(map(len, items))
        except TypeError:  # no texts: the method says so itself
            return args
        pay_text(texts + len(thing) * len(items) if not isinstance(thing, type) else texts)
    return (pay(items, BUILT), *args[1:]) if args else args


def _width(thing: Any, args: tuple[Any, ...]) -> None:
    if args and isinstance(args[0], int):
        pay_text(args[0])


def _replace(thing: Any, args: tuple[Any, ...]) -> None:
    if isinstance(thing, _TEXTS):
        pay_text(len(thing))
        if len(args) > 1 and isinstance(args[0], type(thing)) and isinstance(args[1], type(thing)):
            pay_text(thing.count(args[0]) * len(args[1]))  # type: ignore[arg-type]


def _format(thing: Any, args: tuple[Any, ...]) -> None:
    if isinstance(thing, str):
        pay_for_widths(thing)
        if has_widths(thing):
            for each in args:
                pay_for_width(each)


def pay_for_widths(template: str) -> None:
    """For the numbers in a format: each may be a width."""
    pay_text(len(template))
    for number in numbers_in(template):
        if len(number) > 12:
            dry()
        pay_text(int(number))


def numbers_in(template: str) -> Iterable[str]:
    return _known(template)[0] if len(template) <= _SHORT else _NUMBERS.findall(template)


def has_widths(template: str) -> bool:
    """Whether a format takes a width from a value."""
    return _known(template)[1] if len(template) <= _SHORT else bool(_WIDTHS.search(template))


@lru_cache(maxsize=1024)
def _known(template: str) -> tuple[list[str], bool]:
    return _NUMBERS.findall(template), bool(_WIDTHS.search(template))


def pay_for_width(value: Any) -> Any:
    """A value that may come to be a width in a format."""
    if isinstance(value, int):
        pay_text(value)
    elif isinstance(value, str):
        pay_for_widths(value)
    return value


def percent(left: Any, right: Any) -> Any:
    """`left % right`, where the left is a text."""
    spend()
    if isinstance(left, str | bytes):
        text = left if isinstance(left, str) else left.decode("latin-1")
        pay_for_widths(text)
        if "*" in text:
            for each in right if isinstance(right, tuple) else (right,):
                pay_for_width(each)
    return written(left % right)


def written(text: Any) -> Any:
    """Pay for a text by its length, where that could not be told before."""
    if isinstance(text, str | bytes):
        pay_text(len(text))
    return text


def guarded_format(value: Any, spec: str = "") -> str:
    spend()
    pay_for_widths(spec)
    return format(value, spec)


_Price = Callable[[Any, tuple[Any, ...]], tuple[Any, ...] | None]
_NAMES: Final[dict[str, _Price]] = {
    "count index remove insert copy reverse find rfind rindex split rsplit splitlines translate encode decode hex upper"
    " lower casefold swapcase capitalize title": _whole,
    "union intersection difference symmetric_difference issubset issuperset isdisjoint update difference_update"
    " intersection_update symmetric_difference_update": _both,
    "extend extendleft fromkeys": _others,
    "sort": _order,
    "join": _join,
    "ljust rjust center zfill expandtabs to_bytes": _width,
    "replace": _replace,
    "format": _format,
}  # fmt: skip
_PRICES: Final = {name: price for names, price in _NAMES.items() for name in names.split()}
METHODS: Final = frozenset(_PRICES)
