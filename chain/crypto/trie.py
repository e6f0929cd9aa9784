"""Ethereum's Merkle Patricia trie as a persistent structure: a change makes new nodes along its path and shares all others.

So an old root stays valid as long as something refers to it, and an undo only drops the newer root. Many changes are inserted
at once, in sorted order, so that every node on their paths is created and hashed only once. A path is the key as a string of
hexadecimal digits, one for each nibble; a node has it as bytes, after the digits that show whether the node is a leaf and
whether the path is odd. No key may be a prefix of another, as in all tries of Ethereum, so a branch has no
value of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from chain.crypto import rlp
from chain.crypto.hashing import keccak
from chain.foundation.light_hashes import keccak_256

EMPTY_ROOT: Final = keccak(rlp.EMPTY)
_DIGITS: Final = "0123456789abcdef"
_INDEX: Final = {digit: index for index, digit in enumerate(_DIGITS)}
# The size of a reference that is a hash; a shorter reference is the node itself.
_HASHED: Final = 33

Node: TypeAlias = "Leaf | Extension | Branch"
# A value to store at a path, and any object to keep beside it. The value b"" removes the entry.
Item: TypeAlias = tuple[str, bytes, object]


class Leaf:
    """The end of a path, and the value that is stored there."""

    __slots__ = ("path", "payload", "ref", "value")

    def __init__(self, path: str, value: bytes, payload: Any, key: bytes = b"") -> None:
        self.path, self.value, self.payload = path, value, payload
        encoded = rlp.wrap((key or leaf_key(path)) + rlp.encode(value))
        self.ref = encoded if len(encoded) < 32 else b"\xa0" + keccak_256(encoded).digest()

    def encode(self) -> bytes:
        return rlp.wrap(leaf_key(self.path) + rlp.encode(self.value))

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        path, value, payload = items[0]
        if len(items) == 1 and path[depth:] == self.path:  # the most frequent change
            return Leaf(self.path, value, payload, _recent_leaf_key(self.path)) if value else None
        own_path = path[:depth] + self.path
        merged = {own_path: (own_path, self.value, self.payload)}
        merged.update([(item[0], item) for item in items])
        return update(None, sorted(merged.values()), depth)

    def below(self, path: str) -> Node:
        return Leaf(path + self.path, self.value, self.payload)


class Extension:
    """A part of the path without forks, and the branch behind it."""

    __slots__ = ("child", "path", "ref")

    def __init__(self, path: str, child: Node) -> None:
        self.path, self.child = path, child
        self.ref = _reference(self.encode())

    def encode(self) -> bytes:
        packed = bytes.fromhex(("1" if len(self.path) & 1 else "00") + self.path)
        return rlp.wrap(rlp.encode(packed) + self.child.ref)

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        path = self.path
        common = min(_agreed(path, item[0], depth) for item in (items[0], items[-1]))
        if common == len(path):
            return _prepend(path, self.child.insert(items, depth + common))
        children: list[Node | None] = [None] * 16
        children[_INDEX[path[common]]] = _prepend(path[common + 1 :], self.child)
        return _prepend(path[:common], _branch_with(children, items, depth + common))

    def below(self, path: str) -> Node:
        return Extension(path + self.path, self.child)


class Branch:
    """A fork of paths: one child for each next digit."""

    __slots__ = ("children", "ref")

    def __init__(self, children: Sequence[Node | None]) -> None:
        self.children = tuple(children)
        encoded = _encode_branch(children)
        self.ref = encoded if len(encoded) < 32 else b"\xa0" + keccak_256(encoded).digest()

    def encode(self) -> bytes:
        return _encode_branch(self.children)

    def insert(self, items: Sequence[Item], depth: int) -> Node | None:
        return _branch_with(list(self.children), items, depth)

    def below(self, path: str) -> Node:
        return Extension(path, self)


def update(node: Node | None, items: Sequence[Item], depth: int = 0) -> Node | None:
    """Return the trie with `items` inserted.

    The items are sorted, with one for each path. They share the first `depth` digits, which lead to `node`.
    """
    if node is not None:
        return node.insert(items, depth) if items else node
    if len(items) > 1:
        items = [item for item in items if item[1]]
    if not items:
        return None
    path, value, payload = items[0]
    if len(items) == 1:
        return Leaf(path[depth:], value, payload) if value else None
    last = items[-1][0]
    if path[depth] != last[depth]:
        return _branch_with([None] * 16, items, depth)
    common = _agreed(path[depth:], last, depth)
    return _prepend(path[depth : depth + common], _branch_with([None] * 16, items, depth + common))


def _branch_with(children: list[Node | None], items: Sequence[Item], depth: int) -> Node | None:
    """Insert `items` into the children of a branch, and return the resulting node."""
    start, count, last = 0, len(items), items[-1][0][depth]
    while start < count:
        digit, end = items[start][0][depth], start + 1
        if digit == last:
            end = count
        while end < count and items[end][0][depth] == digit:
            end += 1
        index = _INDEX[digit]
        child, run = children[index], items[start:end]
        children[index] = (
            update(None, run, depth + 1) if child is None else child.insert(run, depth + 1)
        )
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
    depth = 0
    while node is not None:
        if isinstance(node, Leaf):
            return node if node.path == path[depth:] else None
        node, depth = _descend(node, path, depth)
    return None


def proof(node: Node | None, path: str) -> list[bytes]:
    """Return the encoded nodes from the root towards `path`: they prove the value there, or its absence."""
    nodes: list[Node] = []
    depth = 0
    while node is not None:
        nodes.append(node)
        node, depth = _descend(node, path, depth)
    return [step.encode() for i, step in enumerate(nodes) if i == 0 or len(step.ref) == _HASHED]


def _descend(node: Node, path: str, depth: int) -> tuple[Node | None, int]:
    """Return the next node towards `path`, and its depth; None if there is none."""
    if isinstance(node, Branch):
        return node.children[_INDEX[path[depth]]], depth + 1
    if isinstance(node, Extension) and path.startswith(node.path, depth):
        return node.child, depth + len(node.path)
    return None, depth


def _agreed(path: str, whole: str, depth: int) -> int:
    """Return the length of the common prefix of a path and of what follows the first `depth` digits of another."""
    length = 0
    for digit, other_digit in zip(path, whole[depth:], strict=False):
        if digit != other_digit:
            break
        length += 1
    return length


def _reference(encoded: bytes) -> bytes:
    """Return the reference to a node in its parent: its hash, or the node itself if that is shorter."""
    return encoded if len(encoded) < 32 else b"\xa0" + keccak_256(encoded).digest()


def leaf_key(path: str) -> bytes:
    """Return the encoding of the path of a leaf: its bytes, after a digit or two that show whether it is odd."""
    return rlp.encode(bytes.fromhex(("3" if len(path) & 1 else "20") + path))


_recent_leaf_key: Final = lru_cache(maxsize=4096)(
    leaf_key
)  # the same leaves change again and again


def _encode_branch(children: Sequence[Node | None]) -> bytes:
    parts = [b"\x80" if child is None else child.ref for child in children]
    return rlp.wrap(b"".join(parts) + b"\x80")
