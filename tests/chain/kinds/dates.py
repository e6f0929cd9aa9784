"""A kind of value that the chain does not have: days, for a game of post."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chain import Contract, IterableMap, Key, Set, Vector, call, event, require, view
from chain.types import u8
from chain.values import PLAIN, Scalar


class Date:
    """A day of a calendar whose months all have 31 days."""

    def __init__(self, text: str) -> None:
        year, month, day = map(int, text.split("-"))
        if not (1 <= month <= 12 and 1 <= day <= 31):
            raise ValueError(f"there is no {text}")
        self.number = (year * 12 + month - 1) * 31 + day - 1

    def __str__(self) -> str:
        months, day = divmod(self.number, 31)
        return f"{months // 12:04}-{months % 12 + 1:02}-{day + 1:02}"

    def __repr__(self) -> str:
        return f"Date({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Date) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


@dataclass(frozen=True)
class DateType(Scalar):
    name: str = "Date"

    abi_type, size, zero = "uint32", 4, Date("0000-01-01")

    def number_of(self, value: Any) -> int:
        number: int = value.number
        return number

    def value_of(self, number: int) -> Date:
        months, day = divmod(number, 31)
        return Date(f"{months // 12}-{months % 12 + 1}-{day + 1}")

    def parse(self, text: str) -> Date:
        return Date(text)


PLAIN[Date] = DateType()


@dataclass(frozen=True)
class Letter:
    sent: Date
    seen: Date | None
    pages: u8 = 1


@event
class Sent:
    day: Key[Date]
    seen: Date | None
    others: list[Date]


class Post(Contract):
    first: Date
    last: Letter
    letters: IterableMap[Date, Letter]
    holidays: Set[Date]
    days: Vector[Date]

    @call
    def send(self, letter: Letter, others: list[Date]) -> Date:
        require(letter.sent not in self.holidays, "closed")
        if not self.days:
            self.first = letter.sent
        self.last = self.letters[letter.sent] = letter
        self.days.append(letter.sent)
        for day in others:
            self.holidays.add(day)
        self.emit(Sent(letter.sent, letter.seen, others))
        return self.first

    @view
    def pages(self, day: Date) -> u8:
        return self.letters[day].pages
