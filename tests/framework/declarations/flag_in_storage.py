from enum import IntFlag

from chain import Contract


class Right(IntFlag):
    READ = 1
    WRITE = 2


class Game(Contract):
    rights: Right
