from chain import Contract, view
from chain.types import u8


class Game(Contract):
    @view
    def lock_my_one_token(self) -> u8: ...

    @view
    def deal_our_free_path(self) -> u8: ...
