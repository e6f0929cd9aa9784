from enum import Flag

from chain import Contract, call


class Right(Flag):
    READ = 1
    WRITE = 2


class Game(Contract):
    @call
    def grant(self, rights: list[Right]) -> None: ...
