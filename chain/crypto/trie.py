"""Ethereum's Merkle Patricia trie as a persistent structure: a change makes new nodes along its path and shares all others.

So an old root stays valid as long as something refers to it, and an undo only drops the newer root. Many changes are inserted
at once, in sorted order, so that every node on their paths is created and hashed only once. A path is the key as a string of
hexadecimal digits, one for each nibble. No key may be a prefix of another, as in all tries of Ethereum, so a branch has no
value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from chain.crypto import rlp
from chain.crypto.hashing import keccak

EMPTY_ROOT: Final = keccak(rlp.EMPTY)
_DIGITS: Final = "0123456789abcdef"
_INDEX: Final = {digit: index for index, digit in enumerate(_DIGITS)}
# The size of a reference that is a hash; a shorter reference is the node itself.
_HASHED: Final = 33

Node: TypeAlias = "Leaf | Extension | Branch"


class Item(NamedTuple):
    """A value to store at a path; the value b"" removes the entry. `payload` is any object to keep beside the value."""

    path: str
    value: bytes
    payload: object = None


class Leaf:
    """The end of a path, and the value that is stored there."""

    __slots__ = ("path", "payload", "ref", "value")

    def __init__(self, path: str, value: bytes, kept: Any) -> None:
        self.path, self.value, self.payload = path, value, kept
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        return rlp.wrap(_pack(self.path, 2) + rlp.encode(self.value))

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        if len(items) == 1 and items[0].path[depth:] == self.path:  # the most frequent change
            _, value, payload = items[0]
            return Leaf(self.path, value, payload) if value else None
        own_item = Item(items[0].path[:depth] + self.path, self.value, self.payload)
        merged = {own_item.path: own_item}
        merged.update([(item.path, item) for item in items])
        return update(None, sorted(merged.values()) if len(merged) > 1 else items, depth)

    def descend(self, path: str) -> tuple[Node | None, str]:
        return None, path

    def below(self, path: str) -> Node:
        return Leaf(path + self.path, self.value, self.payload)


class Extension:
    """A part of the path without forks, and the branch behind it."""

    __slots__ = ("child", "path", "ref")

    def __init__(self, path: str, child: Node) -> None:
        self.path, self.child = path, child
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        return rlp.wrap(_pack(self.path, 0) + self.child.ref)

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        path = self.path
        common = min(_agreed(path, item.path[depth:]) for item in (items[0], items[-1]))
        if common == len(path):
            return _prepend(path, self.child.insert(items, depth + common))
        children: list[Node | None] = [None] * 16
        children[_INDEX[path[common]]] = _prepend(path[common + 1 :], self.child)
        return _prepend(path[:common], _split_into_branch(children, items, depth + common))

    def descend(self, path: str) -> tuple[Node | None, str]:
        if path.startswith(self.path):
            return self.child, path[len(self.path) :]
        return None, path

    def below(self, path: str) -> Node:
        return Extension(path + self.path, self.child)


class Branch:
    """A fork of paths: one child for each next digit."""

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
        return self.children[_INDEX[path[0]]], path[1:]

    def below(self, path: str) -> Node:
        return Extension(path, self)


def update(node: Node | None, items: Sequence[Item], depth: int = 0) -> Node | None:
    """Return the trie with `items` inserted.

    The items are sorted, with one for each path. They share the first `depth` digits, which lead to `node`.
    """
    if node is not None:
        return node.insert(items, depth) if items else node
    if len(items) > 1:
        items = [item for item in items if item.value]
    if not items:
        return None
    first, value, payload = items[0]
    path = first[depth:]
    if len(items) == 1:
        return Leaf(path, value, payload) if value else None
    common = _agreed(path, items[-1].path[depth:])
    return _prepend(path[:common], _split_into_branch([None] * 16, items, depth + common))


def _split_into_branch(
    children: list[Node | None], items: Sequence[Item], depth: int
) -> Node | None:
    """Insert `items` into the children of a branch, and return the resulting node."""
    start = 0
    while start < len(items):
        digit = items[start].path[depth]
        end = start + 1
        while end < len(items) and items[end].path[depth] == digit:
            end += 1
        index = _INDEX[digit]
        children[index] = update(children[index], items[start:end], depth + 1)
        start = end
    empty = children.count(None)
    if empty < 15:
        return Branch(children)
    index = next((i for i, child in enumerate(children) if child is not None), 0)
    return _prepend(_DIGITS[index], children[index])


def _prepend(path: str, node: Node | None) -> Node | None:
    return node.below(path) if path and node is not None else node


def root(node: Node | None) -> bytes:
    """Return the root hash, which identifies the whole trie."""
    if node is None:
        return EMPTY_ROOT
    return node.ref[1:] if len(node.ref) == _HASHED else keccak(node.ref)


def find(node: Node | None, path: str) -> Leaf | None:
    """Return the leaf at `path`; None if there is none."""
    while node is not None:
        if isinstance(node, Leaf):
            return node if node.path == path else None
        node, path = node.descend(path)
    return None


def proof(node: Node | None, path: str) -> list[bytes]:
    """Return the encoded nodes from the root towards `path`: they prove the value there, or its absence."""
    nodes = [step for step, _ in _walk(node, path)]
    return [step.encode() for i, step in enumerate(nodes) if i == 0 or len(step.ref) == _HASHED]


def _walk(node: Node | None, path: str) -> Iterator[tuple[Node, str]]:
    """Yield the nodes towards `path`, each with the remaining digits."""
    while node is not None:
        yield node, path
        node, path = node.descend(path)


def _agreed(path: str, other: str) -> int:
    """Return the length of the common prefix."""
    for position, (digit, other_digit) in enumerate(zip(path, other, strict=False)):
        if digit != other_digit:
            return position
    return min(len(path), len(other))


def _reference(encoded: bytes) -> bytes:
    """Return the reference to a node in its parent: its hash, or the node itself if that is shorter."""
    return encoded if len(encoded) < 32 else b"\xa0" + keccak(encoded)


@lru_cache(maxsize=4096)  # the same leaves change again and again
def _pack(path: str, kind: int) -> bytes:
    """Return a path as bytes, with a prefix for the node type (`kind`: 0 an extension, 2 a leaf) and for odd lengths."""
    digits = f"{kind + 1}{path}" if len(path) % 2 else f"{kind}0{path}"
    return rlp.encode(bytes.fromhex(digits))
