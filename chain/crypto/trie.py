"""Ethereum's Merkle Patricia trie, persistent: a change makes new nodes along its way and shares all the others.

So an old root stays good for as long as someone holds it, and to go back is to forget the newer one. Many changes are
put in at once, sorted, and every node on their ways is made and hashed only once. A path is the key as a text of
hexadecimal digits, one a nibble. No key may be the beginning of another, as in every trie of Ethereum's, so a branch
has no value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from chain.crypto import rlp
from chain.crypto.hashing import keccak

EMPTY_ROOT: Final = keccak(rlp.EMPTY)
_DIGITS: Final = "0123456789abcdef"
_HASHED: Final = 33  # the size of a reference that is a hash; what is shorter is the node itself

Node: TypeAlias = "Leaf | Extension | Branch"


class Item(NamedTuple):
    """What shall stand at a path; no value (b"") takes away what stands there. `kept` is found again with the value."""

    path: str
    value: bytes
    payload: Any = None


class Leaf:
    """The end of a path, and its value."""

    __slots__ = ("path", "payload", "ref", "value")

    def __init__(self, path: str, value: bytes, kept: Any) -> None:
        self.path, self.value, self.payload = path, value, kept
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        return rlp.wrap(_pack(self.path, 2) + rlp.encode(self.value))

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        here = Item(items[0].path[:depth] + self.path, self.value, self.payload)
        merged = {here.path: here}
        merged.update([(item.path, item) for item in items])
        return update(None, sorted(merged.values()) if len(merged) > 1 else items, depth)

    def descend(self, path: str) -> tuple[Node | None, str]:
        return None, path

    def below(self, path: str) -> Node:
        return Leaf(path + self.path, self.value, self.payload)


class Extension:
    """A stretch of the path on which nothing forks, and the branch behind it."""

    __slots__ = ("child", "path", "ref")

    def __init__(self, path: str, child: Node) -> None:
        self.path, self.child = path, child
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        return rlp.wrap(_pack(self.path, 0) + self.child.ref)

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        path = self.path
        agreed = min(_agreed(path, item.path[depth:]) for item in (items[0], items[-1]))
        if agreed == len(path):
            return _prepend(path, self.child.insert(items, depth + agreed))
        children: list[Node | None] = [None] * 16
        children[int(path[agreed], 16)] = _prepend(path[agreed + 1 :], self.child)
        return _prepend(path[:agreed], _split_into_branch(children, items, depth + agreed))

    def descend(self, path: str) -> tuple[Node | None, str]:
        if path.startswith(self.path):
            return self.child, path[len(self.path) :]
        return None, path

    def below(self, path: str) -> Node:
        return Extension(path + self.path, self.child)


class Branch:
    """Where paths part: a child for each next digit."""

    __slots__ = ("children", "ref")

    def __init__(self, children: Sequence[Node | None]) -> None:
        self.children = tuple(children)
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        parts = [rlp.EMPTY if child is None else child.ref for child in self.children]
        return rlp.wrap(b"".join(parts) + rlp.EMPTY)

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        return _split_into_branch(list(self.children), items, depth)

    def descend(self, path: str) -> tuple[Node | None, str]:
        return self.children[int(path[0], 16)], path[1:]

    def below(self, path: str) -> Node:
        return Extension(path, self)


def update(node: Node | None, items: Sequence[Item], depth: int = 0) -> Node | None:
    """The trie with `items` put in: sorted, one a path, all alike in the first `depth` digits, which led to `node`."""
    if node is not None:
        return node.insert(items, depth) if items else node
    items = [item for item in items if item.value]
    if not items:
        return None
    first, value, kept = items[0]
    path = first[depth:]
    if len(items) == 1:
        return Leaf(path, value, kept)
    agreed = _agreed(path, items[-1].path[depth:])
    return _prepend(path[:agreed], _split_into_branch([None] * 16, items, depth + agreed))


def _split_into_branch(
    children: list[Node | None], items: Sequence[Item], depth: int
) -> Node | None:
    """Put `items` into the children of a branch; what becomes of it."""
    for digit, group in groupby(items, lambda item: item.path[depth]):
        place = int(digit, 16)
        children[place] = update(children[place], list(group), depth + 1)
    empty = children.count(None)
    if empty < 15:
        return Branch(children)
    place = next((i for i, child in enumerate(children) if child is not None), 0)
    return _prepend(_DIGITS[place], children[place])


def _prepend(path: str, node: Node | None) -> Node | None:
    return node.below(path) if path and node is not None else node


def root(node: Node | None) -> bytes:
    """The hash that stands for the whole trie."""
    if node is None:
        return EMPTY_ROOT
    return node.ref[1:] if len(node.ref) == _HASHED else keccak(node.ref)


def find(node: Node | None, path: str) -> Leaf | None:
    for step, rest in _walk(node, path):
        if isinstance(step, Leaf) and step.path == rest:
            return step
    return None


def proof(node: Node | None, path: str) -> list[bytes]:
    """The nodes from the root towards `path`: they show what stands there, or that nothing does."""
    way = [step for step, _ in _walk(node, path)]
    return [step.encode() for i, step in enumerate(way) if i == 0 or len(step.ref) == _HASHED]


def _walk(node: Node | None, path: str) -> Iterator[tuple[Node, str]]:
    """The nodes towards `path`, each with the digits still to go."""
    while node is not None:
        yield node, path
        node, path = node.descend(path)


def _agreed(path: str, other: str) -> int:
    """How many digits both begin with."""
    for place, (digit, another) in enumerate(zip(path, other, strict=False)):
        if digit != another:
            return place
    return min(len(path), len(other))


def _reference(encoded: bytes) -> bytes:
    """How a node stands in its parent: by its hash, or as it is where that is shorter."""
    return encoded if len(encoded) < 32 else b"\xa0" + keccak(encoded)


def _pack(path: str, kind: int) -> bytes:
    """A path as bytes behind its kind (0 a stretch, 2 an end) and whether it is odd."""
    digits = f"{kind + 1}{path}" if len(path) % 2 else f"{kind}0{path}"
    return rlp.encode(bytes.fromhex(digits))
