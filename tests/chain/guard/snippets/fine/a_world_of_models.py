from chain import Address, Key, System, call, model
from chain.runtime.system import WorldModels
from chain.types import felt252, u8


@model
class Board:
    id: Key[felt252]
    cells: list[u8]
    owner: Address


def clear(world: WorldModels, id: felt252) -> None:
    board = world.read(Board, id)
    board.cells.clear()
    board.cells = [0] * 8
    board.cells[3] += 1
    world.write(board)


class Game(System):
    board_ids: felt252

    @call
    def open(self) -> None:
        self.board_ids += 1
        with self.world.in_place(Board, self.board_ids) as board:
            board.cells.append(1)
        clear(self.world, self.board_ids)
