"""Small requests that arrive whole, answered as soon as they are read: without a task, a scope and messages of ASGI.

A program sends all its requests with the same head. Once a head was read by the HTTP parser and led to a plain request, the
same bytes mean a plain request again. What is not plain, or takes long, goes the way of all requests.
"""

from __future__ import annotations

from typing import Final, Protocol, TypeAlias

Headers: TypeAlias = list[tuple[bytes, bytes]]

_END: Final = b"\r\n\r\n"
# Kept for all connections; those of one program differ only in the length of the body.
_MOST_HEADS: Final = 1_000
# They change how a request is read or answered.
_SPECIAL: Final = frozenset({b"expect", b"transfer-encoding", b"upgrade"})
_STAYS: Final = b"keep-alive"


class MustWait(Exception):
    """A request cannot be answered at once. Nothing has been changed."""


class Direct(Protocol):
    """An application that answers plain requests directly."""

    def allow(self, headers: dict[bytes, bytes]) -> Headers | None:
        """Return the headers of every answer to a request with these headers, None if it is refused."""

    def answer_at_once(self, body: bytes) -> bytes | None:
        """Return the answer to a request, None to a notification; or raise `MustWait`."""


class PlainRequests:
    """The heads of plain requests that are known, and what begins their answers."""

    def __init__(self, app: Direct) -> None:
        self._app = app
        # Head to the length of the body, the start of an answer, and an empty answer.
        self._heads: dict[bytes, tuple[int, bytes, bytes]] = {}

    def answer(self, data: bytes) -> bytes | None:
        """Return the whole answer to what has arrived, None if that is not one plain request that takes a short time."""
        end = data.find(_END) + len(_END)
        known = self._heads.get(data[:end])
        if known is None or len(data) - end != known[0]:
            return None
        _, start, nothing = known
        try:
            body = self._app.answer_at_once(data[end:])
        except MustWait:
            return None
        return nothing if body is None else b"%b%d\r\n\r\n%b" % (start, len(body), body)

    def learn(self, data: bytes, method: bytes, url: bytes, version: str, headers: Headers) -> None:
        """Keep the head of a request that arrived whole, if it is plain. The parser has read it."""
        end = data.find(_END) + len(_END)
        by_name = dict(headers)
        length = by_name.get(b"content-length", b"")
        is_plain = method == b"POST" and url == b"/" and version == "1.1"
        if not is_plain or len(by_name) < len(headers) or not _SPECIAL.isdisjoint(by_name):
            return
        if by_name.get(b"connection", _STAYS).lower() != _STAYS:
            return
        if not length.isdigit() or int(length) != len(data) - end:
            return
        allowed = self._app.allow(by_name)
        if allowed is None:
            return
        shown = b"".join([b"%b: %b\r\n" % header for header in allowed])
        if len(self._heads) >= _MOST_HEADS:
            self._heads.clear()
        self._heads[data[:end]] = (
            int(length),
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n%bcontent-length: " % shown,
            b"HTTP/1.1 204 No Content\r\n%b\r\n" % shown,
        )
