"""The call of an author's method: the one function that is on Python's stack for each message that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from chain import abi

Invoke: TypeAlias = Callable[[Any, bytes], tuple[object, bytes]]


def invoker(
    name: str,
    find: Callable[[Any], Callable[..., Any]],
    encode: Callable[[object], bytes],
    decode: Callable[..., Any],
    start: int,
) -> Invoke:
    """Return the function that runs the method that `find` finds on a contract, with the arguments in calldata from `start` on.

    It returns the result and its encoding.
    """

    def invoke(contract: Any, data: bytes) -> tuple[object, bytes]:
        try:
            args = decode(data, start)
        except abi.BadData as error:
            raise abi.BadData(f"{name}: {error.text}") from None
        result = find(contract)(*args)
        return result, encode(result)

    return invoke


INVOKE: Final = cast(Any, invoker)("", None, None, None, 0).__code__  # finds messages on the stack
