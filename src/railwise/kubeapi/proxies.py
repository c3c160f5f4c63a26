"""Whether a server is reached through a proxy: the variables that everybody knows, never for this machine itself."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # it is there, but not in the stubs


def proxy_for(server: str, environment: Mapping[str, str]) -> str:
    """Return the proxy's address for a server's, empty: none."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    if _is_loopback(host):
        return ""
    names = (f"{parts.scheme}_proxy", f"{parts.scheme}_proxy".upper())
    found = next((environment[name] for name in names if environment.get(name)), "")
    if not found:
        return ""
    kept_out = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    return "" if proxy_bypass_environment(host, {"no": kept_out}) or _inside(host, kept_out) else found


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _inside(host: str, kept_out: str) -> bool:
    """Return whether an address lies in one of the networks that are listed among the names."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    for part in kept_out.split(","):
        try:
            if address in ipaddress.ip_network(part.strip(), strict=False):
                return True
        except ValueError:
            continue
    return False
