from chain import Contract, Key, model
from chain.types import u8


@model
class Seat:
    number: Key[u8]
    colour: u8


class Table(Contract):
    first: Seat
