from chain import Key, System, call, model
from chain.types import u64


@model
class Tree:
    id: Key[u64]
    height: u64


class Orchard(System):
    @call
    def grow(self, id: u64) -> None:
        self.world.in_place(Tree, id)
        with self.world.in_place(Tree, id) as tree:
            tree.height += 1
