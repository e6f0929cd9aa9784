from contextlib import contextmanager, suppress
from collections.abc import Iterator
import json

from chain import Revert, require


class Refusal(ValueError):
    def __init__(self, card: str) -> None:
        super().__init__(f"no such card: {card!r}")
        self.card = card


def read(text: str, known: dict[str, int]) -> int:
    require(len(text) < 100, "too long")
    try:
        value = json.loads(text, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as wrong:
        raise Revert("this is no JSON") from wrong
    try:
        return known[value]
    except KeyError:
        raise Refusal(str(value)) from None
    finally:
        for name in known:
            if name == value:
                break


def may(text: str) -> bool:
    try:
        read(text, {})
    except (Revert, Refusal) as wrong:
        return "too long" in str(wrong)
    with suppress(KeyError, ValueError):
        return read(text, {"a": 1}) > 0
    return False


@contextmanager
def turn(notes: list[str]) -> Iterator[None]:
    notes.append("begin")
    try:
        yield
    finally:
        notes.append("end")
