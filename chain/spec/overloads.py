"""Entries that share a name: which of them is meant, by the arguments.

`ERC721.safeTransferFrom` takes three arguments or four. Outside and in messages the selector tells the two apart; in Python
each has a method of its own, and whoever uses the shared name gives arguments that fit exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar


class Signed(Protocol):
    """What can be one of several of a name."""

    @property
    def signature(self) -> str: ...
    @property
    def params(self) -> tuple[Any, ...]: ...
    def takes(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool: ...


S = TypeVar("S", bound=Signed)


def choose(name: str, among: tuple[S, ...], args: tuple[Any, ...], named: Mapping[str, Any]) -> S:
    """The one that takes these arguments; a TypeError names the signatures where none or several do.

    Where none takes them but one has as many, it is that one: it then says itself what does not fit.
    """
    if len(among) == 1:
        return among[0]
    fitting = [each for each in among if each.takes(args, named)]
    if not fitting:
        count = len(args) + len(named)
        fitting = [each for each in among if len(each.params) == count]
        if len(fitting) != 1:
            raise TypeError(f"no '{name}' takes these arguments; there are {signatures(among)}")
    if len(fitting) > 1:
        raise TypeError(
            f"these arguments fit {len(fitting)} of the entries called '{name}': {signatures(fitting)};"
            " use the name of the method, or the signature in brackets, as in"
            f" ['{fitting[0].signature}']"
        )
    return fitting[0]


def signatures(among: Iterable[Signed]) -> str:
    return ", ".join(each.signature for each in among)
