"""The ledger of a chain in a node: what is long is read from the node when it is asked for.

Receipts and blocks are read page by page and kept until the chain goes back: until then they do not change. Words of storage
and queries are questions to the node's tables. Everything is decoded with the classes that are imported here, and all that
comes from a node is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from math import inf
from typing import Any, Final, NamedTuple, get_type_hints

from chain.crypto import rlp
from chain.crypto.accounts import Account
from chain.crypto.hashing import keccak
from chain.crypto.messagepack import decode
from chain.ledger.blocks import Block, BlockRow
from chain.ledger.file.growth import take_lasting
from chain.ledger.file.pages import Pages
from chain.ledger.file.rows import deserialize_row, unpack_changes
from chain.ledger.headers import Header, Headers
from chain.ledger.ledger import Ledger
from chain.ledger.past_states import PastState, PastStates
from chain.ledger.receipts import ReceiptRow
from chain.ledger.signing import SignedTransactions
from chain.ledger.sql import json_values as form
from chain.ledger.sql.json_values import to_hex
from chain.ledger.sql.result import QueryResult
from chain.ledger.sql.tables import Table, quoted
from chain.ledger.store import Store
from chain.ledger.timeline import StoredTimeline
from chain.machine.overlay import lay_over, overlay
from chain.machine.state import Changes, State
from chain.runtime.account_names import account_named
from chain.simulator.node_client import NodeClient, NodeUnreachable, explaining
from chain.values.inputs import text

_FEW: Final = 64  # changes that are redone here rather than read again
_NO_CUT: Final = (1 << 62, 1 << 62)
LISTS: Final = 6  # codes, named accounts, artifacts, slots, notes and creations
_LASTING: Final = 4  # of which the first are never undone


class Node(NamedTuple):
    """A node, and the mark of its chain: when the chain goes back, questions about the earlier one are refused."""

    client: NodeClient
    mark: str = ""

    def read(self, kind: str, *args: object) -> Any:
        """Return the rows that `chain_rows` or `chain_table` tells."""
        return self.ask(f"chain_{kind}", self.mark, *args)

    def ask(self, method: str, *params: object) -> Any:
        """Return the answer of a method that answers in MessagePack."""
        answer = self.client(method, params)
        with explaining():
            return decode(bytes.fromhex(answer[2:]))


# Tables


class NodeTables(Store):
    """The derived tables of a node. The names of views follow from the artifacts, so they are known here."""

    def __init__(self, ledger: Ledger, node: Node) -> None:
        super().__init__(ledger)
        self._node = node

    def ask(
        self, part: str, question: str, values: Sequence[object] = (), until: float = inf
    ) -> list[Any]:
        given = [[to_hex(value)] if isinstance(value, bytes) else value for value in values]
        while (rows := self._node.read("table", part, question, given)) is None:
            pass  # the node fills its tables bit by bit, and serves others meanwhile
        return list(rows)

    def index(self, name: str, text: str) -> None:
        """Make no index: the node has its own."""

    def catch_up(self, parts: Iterable[str] | None = None, seconds: float = inf) -> bool:
        return True

    def view_of(self, kind: str, key: object) -> str:
        if kind == "event":
            for type in self.ledger.event_types.types():
                if type.key == key and type.contract is None and not type.is_there:
                    name = type.spec.name
                    raise LookupError(
                        f"the ABI of {name} is not known in the node: ask chain.fork()"
                    )
        return super().view_of(kind, key)

    @property
    def view(self) -> Any:
        return NodeView(self._node)


class NodeView(NamedTuple):
    """The tables of a node as `chain.sql` sees them."""

    node: Node

    def query(
        self, question: str, values: Sequence[object], named: Mapping[str, object]
    ) -> QueryResult:
        text(question, "the question")
        if values and named:
            raise TypeError("pass values for '?' or for ':name', not for both")
        given: Any = {name: form.parameter(value) for name, value in named.items()}
        answer = self.node.client(
            "chain_sql", [question, given or [*map(form.parameter, values)], True]
        )
        return QueryResult(answer["columns"], answer["rows"])

    def rows(self, table: Table) -> list[tuple[Any, ...]]:
        """Return all rows of a table."""
        return [*map(tuple, self.query(f"select * from {quoted(table.name)}", (), {}))]


class NodePast(PastStates):
    """The states of the past of a chain in a node. They can be read until the chain goes back."""

    def base(self, moment: int) -> PastState:
        """Return the state at a moment, which is read word by word."""
        return PastState(copy(self._ledger), moment)

    def state(self, moment: int) -> State:
        state = self._ledger.state
        return overlay(self.base(moment), state.codes, state.slots)

    def fork(self, moment: int) -> State:
        """Return an independent state in memory, made of all changes up to a moment."""
        ledger, state = self._ledger, State()
        state.codes, state.slots = ledger.state.codes.copy(), ledger.state.slots.copy()
        state.accounts = dict(ledger.genesis)
        for changes in ledger.timeline[:moment]:
            state.redo_changes(changes)
        return state


# Hashes


class NodeHeaders(Headers):
    """The headers of the blocks of a node."""

    def __init__(self, ledger: Ledger, client: NodeClient) -> None:
        super().__init__(ledger)
        self._client = client

    def header(self, number: int) -> Header:
        raw: Any = rlp.decode(self._raw(number))
        kinds = get_type_hints(Header).values()
        fields: Any = [
            each if kind is bytes else int.from_bytes(each)
            for each, kind in zip(raw, kinds, strict=True)
        ]
        return Header._make(fields)

    def block_hash(self, number: int) -> bytes:
        return keccak(self._raw(number))

    def number_of(self, block_hash: bytes) -> int | None:
        block = self._client("eth_getBlockByHash", [to_hex(block_hash), False])
        return None if block is None else int(block["number"], 16)

    def copy(self, ledger: Ledger, blocks: int) -> Headers:
        return Headers(ledger)

    def _raw(self, number: int) -> bytes:
        return bytes.fromhex(self._client("debug_getRawHeader", [hex(number)])[2:])


class NodeTransactions(SignedTransactions):
    """The transactions of a node, which finds them by their hashes."""

    def __init__(self, ledger: Ledger, keys: Mapping[bytes, Account], client: NodeClient) -> None:
        super().__init__(ledger.receipts, ledger.blocks.rules.chain_id, keys)
        self._client = client

    def search(self, tx_hash: bytes, most: int) -> bool:
        found = self._client("chain_receipt", [to_hex(tx_hash)])
        if found is not None and found["position"] < len(self._receipts):
            self._positions[tx_hash] = found["position"]
        return True


# All together


class NodeLedger:
    """Takes what is new in a node into a ledger here."""

    def __init__(self, ledger: Ledger, keys: dict[bytes, Account], client: NodeClient) -> None:
        self._ledger, self._keys, self.node = ledger, keys, Node(client)
        self._receipts = Pages(lambda first, _: [*map(_receipt, self._rows("receipts", first))])
        self._blocks = Pages(lambda first, _: [*map(BlockRow._make, self._rows("blocks", first))])
        self._counts = [0] * LISTS
        self._kept = _NO_CUT  # blocks and receipts that remain since the last head
        self._reached: object
        self._begin_again()
        ledger.artifacts.is_copy = True
        ledger.headers = NodeHeaders(ledger, client)
        ledger.envelopes = NodeTransactions(ledger, keys, client)

    def _begin_again(self) -> None:
        """Forget all that can be undone."""
        self._counts[_LASTING:] = [0] * (LISTS - _LASTING)
        self._notes: dict[int, Changes] = {}
        self._creations: list[tuple[Any, ...]] = []
        self._moment, self._reached = -1, None  # of the state, and the lengths of the ledger
        self._blocks.forget(self._kept[0])
        self._receipts.forget(self._kept[1])
        self._ledger.creations.truncate(0)
        self._ledger.envelopes.truncate(0)

    @property
    def since(self) -> tuple[str, list[int]]:
        """The lengths that are known here, from which the node tells what is new."""
        return self.node.mark, self._counts

    def take(self, head: Any) -> bool:
        """Take what is new; return True if there is more. This may be interrupted, and repeated."""
        mark, kept, _, _, last, open_block, lengths, _, new, has_more = head
        self._kept = min(self._kept[0], kept[0]), min(self._kept[1], kept[1])
        if mark != self.node.mark:
            for callback in self._ledger.before_cut if self._kept < _NO_CUT else ():
                callback(*self._kept)
            self._begin_again()
            self._use(Node(self.node.client, mark))
        self._take_lists(*new)
        self._counts = [had + len(each) for had, each in zip(self._counts, new, strict=True)]
        if not has_more:
            self._reach(lengths, last)
            rules = self._ledger.blocks.rules
            self._ledger.open = (
                None if open_block is None else Block(rules, BlockRow._make(open_block))
            )
            for callback in self._ledger.on_truncated if self._kept < _NO_CUT else ():
                callback(*self._kept)
            self._kept = _NO_CUT
        return bool(has_more)

    def _use(self, node: Node) -> None:
        """Ask a node about the chain that has this mark now."""
        self.node, ledger = node, self._ledger
        ledger.store.close()
        ledger.use_tables(NodeTables(ledger, node))
        ledger.past = self._past = NodePast(ledger)

    def _take_lists(
        self, codes: Any, names: Any, artifacts: Any, slots: Any, notes: Any, creations: Any
    ) -> None:
        take_lasting(self._ledger, codes, slots, artifacts)
        for address, name in names:
            with suppress(ValueError):  # the key follows from the name: no key travels
                account = account_named(name)
                if account == address:
                    self._keys.setdefault(address, account)
        self._notes |= {moment: unpack_changes(changes) for moment, changes in notes}
        self._creations[self._counts[-1] :] = creations

    def _reach(self, lengths: Sequence[int], last: Sequence[Any]) -> None:
        """Let the ledger have so many blocks, changes and receipts."""
        ledger, before, (blocks, moments, receipts) = self._ledger, self._moment, lengths
        if self._reached == tuple(lengths):
            return
        self._blocks.length, self._receipts.length = blocks, receipts
        self._blocks.put(blocks - 1, BlockRow._make(last))
        notes = list(self._notes)
        timeline = StoredTimeline(receipts, self._changes, notes, self._notes.__getitem__)
        ledger.restore(self._blocks, self._receipts, timeline, notes)
        ledger.creations.restore(self._creations, receipts)
        if before < 0 or moments > before + _FEW:
            lay_over(ledger.state, self._past.base(moments))
        else:
            for changes in timeline[before:moments]:
                ledger.state.redo_changes(changes)
        self._moment, self._reached = moments, tuple(lengths)

    def _rows(self, kind: str, first: int) -> Any:
        """Return the rows from a place on, as many as the node gives at once."""
        found = self.node.read("rows", kind, first)
        if not found:
            raise NodeUnreachable(f"the node does not have row {first}")
        return found

    def _changes(self, position: int) -> Changes:
        return self._receipts[position].changes

    def put(self, position: int, packed: bytes) -> None:
        """Take a receipt that came with another answer."""
        self._receipts.put(position, _receipt(packed))


def _receipt(packed: bytes) -> ReceiptRow:
    with explaining():
        return deserialize_row(decode(packed))
