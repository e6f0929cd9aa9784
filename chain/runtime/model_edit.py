"""Models opened in place: their lists are those of the storage, read and written item by item.

Ordinarily a model is read and written as a whole, which is right for small ones. If a call touches a few items of a list of
hundreds, it is better to open the model. Until the scope ends, no other code in the transaction may open or write that model,
because one write would overwrite the other.

    with self.world.in_place(UnionFind, board_id) as union_find:
        union_find.nodes_parents[7] = 3
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

from chain.machine.frame import Frame, TransactionContext
from chain.machine.gas import WARM
from chain.spec.models import ModelSpec, model_spec
from chain.storage.unit_of_work import UnitOfWork

M = TypeVar("M")

OpenKey = tuple[bytes, int]  # the address of a world, and the slot of an open model there


class OpenModel(Generic[M]):
    """The scope in which a model is open. Its members that are no lists are written when it ends, if others are assigned."""

    __slots__ = (
        "_before",
        "_context",
        "_key",
        "_keys",
        "_model",
        "_require_writer",
        "_spec",
        "_words",
        "_work",
    )

    def __init__(
        self,
        spec: ModelSpec,
        words: tuple[Frame, Frame],
        key: OpenKey,
        keys: tuple[object, ...],
        require_writer: Callable[[str], object],
        context: TransactionContext,
    ) -> None:
        self._spec, self._key, self._keys = spec, key, keys
        self._words = words
        self._require_writer, self._context = require_writer, context

    def __enter__(self) -> M:
        spec = self._spec
        if self._key in self._context.open_models:
            raise TypeError(
                f"{spec.name}{self._keys} is open already: use the model of that 'with', or end it first"
            )
        words = BorrowedWords(*self._words, partial(self._require_writer, spec.name))
        work = self._work = UnitOfWork(words, spec.open_layout, self._key[1], spec.name)
        self._before = [
            work._take(index)
            if layout.is_changeable
            else layout.take(work, work._place_of(index)[1])
            for index, layout in enumerate(spec.open_layout.layouts)
        ]
        self._model: M = spec.build(self._keys, self._before[1:])
        self._context.open_models |= {self._key}
        return self._model

    def __exit__(self, problem: type[BaseException] | None, *_: object) -> None:
        self._context.open_models -= {self._key}
        if problem is None:
            self._write()
        else:  # what was done in the lists stays done, as in any list
            self._work.flush()
        self._work.words.is_open = False

    def _write(self) -> None:
        """Write the members that changed."""
        spec, model, work = model_spec(type(self._model)), self._model, self._work
        if len(vars(model)) != spec.size:
            spec.require_members(model)
        for index, value in enumerate(spec.values_of(model), 1):
            if value is not self._before[index]:
                work._assign(index, value)
        work.flush()
        if work.words.is_written and not self._before[0]:
            work._assign(0, True)
            work.flush()


class BorrowedWords:
    """The words of the world, which a system reads and writes over a longer time. Each access is charged on its own."""

    __slots__ = (
        "_frame",
        "_require_writer",
        "_words",
        "address",
        "data_slot",
        "is_open",
        "is_written",
        "peek",
        "refusal",
        "static",
    )

    def __init__(self, frame: Frame, words: Frame, require_writer: Callable[[], object]) -> None:
        self._frame, self._words, self._require_writer = frame, words, require_writer
        self.is_written = False
        self.data_slot, self.peek, self.refusal = words.data_slot, words.peek, frame.refusal
        self.address, self.static, self.is_open = words.address, frame.static, True

    def read_again(self, words: dict[int, int]) -> bool:
        return False

    @property
    def unpaid(self) -> Any:
        return self._words.unpaid

    def sload(self, slot: int) -> int:
        frame, words = self._frame, self._words
        words.gas = frame.gas - WARM
        try:
            return words.sload(slot)
        finally:
            frame.gas = words.gas

    def sstore(self, slot: int, word: int) -> None:
        if not self.is_open:
            raise TypeError("this model is no longer open: change it inside the 'with'")
        if not self.is_written:
            self._require_writer()
            self.is_written = True
        frame, words = self._frame, self._words
        words.gas = frame.gas - WARM
        try:
            words.sstore(slot, word)
        finally:
            frame.gas = words.gas
