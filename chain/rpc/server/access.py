"""Access control: tools on this machine are allowed, and web pages only from this machine or from listed origins.

A browser sends requests to a local port for any page. It adds the page's origin, which the page cannot forge. If a foreign
name was pointed at this machine (DNS rebinding), the browser sends that name as the host. So unknown names are refused.
An IP address is not a name, so it is accepted as a host.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from chain.foundation.dataclass import dataclass

ANY: Final = "*"
_NO_ORIGIN: Final = "null"  # a browser's origin for a page from a file or a sandbox


@dataclass(frozen=True)
class AccessPolicy:
    """The host names and page origins that are allowed in addition to those of this machine."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    def knows_host(self, host: str) -> bool:
        """Return True if the node may be called by this host name."""
        name = _name(f"//{host}")
        if name is None:
            return False
        return ANY in self.hosts or name in self.hosts or _is_local(name) or _is_number(name)

    def knows_origin(self, origin: str) -> bool:
        """Return True if pages from this origin are allowed: local or listed ones. `scheme://*` lists a whole scheme.

        Pages of a browser extension are not local. An origin that is not a URL is the name of a tool: no browser sends that.
        """
        if "://" not in origin and origin != _NO_ORIGIN:
            return True
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
