"""Who may ask: tools on this machine, and web pages only from it or from where the owner said.

A browser sends requests to a local port for any page that wants it to. It tells the page's origin, which no page can
forge; and where a foreign name has been pointed at this machine (DNS rebinding), it tells that name as the host. So a
name that is not known is refused, while an address in numbers is no name.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

ANY: Final = "*"


@dataclass(frozen=True)
class AccessPolicy:
    """Names that are welcome besides those of this machine."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def knows_host(self, host: str) -> bool:
        """Whether the node may be called by this name."""
        name = _name(f"//{host}")
        if name is None:
            return False
        return ANY in self.hosts or name in self.hosts or _is_local(name) or _is_number(name)

    def knows_origin(self, origin: str) -> bool:
        """Whether a page from there may ask: one of this machine, or one that was listed. An extension is no page of it."""
        if ANY in self.origins or origin in self.origins:
            return True
        if f"{origin.partition('://')[0]}://{ANY}" in self.origins:
            return True
        name = _name(origin)
        return name is not None and _is_local(name)


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _is_local(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return _is_number(name) and ip_address(name).is_loopback


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
