"""Overloads: the choice between entries that share a name, by the arguments.

`ERC721.safeTransferFrom` takes three arguments or four. Outside and in messages the selector distinguishes them. In Python each
is a method with its own name, and a call by the shared name must have arguments that fit exactly one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar


class Signed(Protocol):
    """A callable that can be an overload: an entry, or a function of a JSON ABI."""

    @property
    def signature(self) -> str: ...
    @property
    def params(self) -> tuple[object, ...]: ...
    def takes(self, args: tuple[object, ...], named: Mapping[str, object]) -> bool: ...


S = TypeVar("S", bound=Signed)


def choose(
    name: str, among: tuple[S, ...], args: tuple[object, ...], named: Mapping[str, object]
) -> S:
    """Return the overload that takes these arguments. A TypeError lists the signatures if none or several do.

    If none fits but only one has the right number of parameters, return that one; it then reports what does not fit.
    """
    if len(among) == 1:
        return among[0]
    fitting = [overload for overload in among if overload.takes(args, named)]
    if not fitting:
        count = len(args) + len(named)
        fitting = [overload for overload in among if len(overload.params) == count]
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
    """Return the signatures in one line."""
    return ", ".join(overload.signature for overload in among)
