from chain import Contract
from chain.types import u64


class Game(Contract):
    rounds: u64
    value: u64
