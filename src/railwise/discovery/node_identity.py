"""Which node an agent runs on: what its own token says, which the API server holds against everything it writes.

A token that a kubelet hands to a pod is bound to that pod and names its node. The agent only reads that name, so that
it and the server speak of the same node; whether it is true is decided by the server, from the token's signature.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from railwise.model.errors import Fault, InputError

_HINT = "in a pod, the token of a service account names the node since Kubernetes 1.32; elsewhere give --node NAME"


class NodeIdentity(NamedTuple):
    """A node's name and, where the token tells it, its uid."""

    name: str
    uid: str = ""


def node_of_headers(headers: Mapping[str, str], named: str = "") -> NodeIdentity:
    """Return the node of a token in request headers; ``named`` is what the user says, for tokens that name none.

    Raises:
        InputError: neither tells a node, or the two differ.
    """
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    found = _claimed(token) if scheme == "Bearer" else None
    if found is None or not found.name:
        if not named:
            raise InputError([Fault("--node", "which node is this?", _HINT)])
        return NodeIdentity(named)
    if named and named != found.name:
        message = f"the token is that of a pod on {found.name}, so nothing can be written about {named}"
        raise InputError([Fault("--node", message, "leave --node out")])
    return found


class _Node(msgspec.Struct):
    name: str = ""
    uid: str = ""


class _Bound(msgspec.Struct):
    node: _Node = msgspec.field(default_factory=_Node)


class _Claims(msgspec.Struct):
    bound: _Bound = msgspec.field(name="kubernetes.io", default_factory=_Bound)


def _claimed(token: str) -> NodeIdentity | None:
    """Return the node in a token's claims; None for what is no such token."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 # header, claims, signature
        return None
    try:
        raw = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        node = msgspec.json.decode(raw, type=_Claims).bound.node
    except (binascii.Error, msgspec.DecodeError, UnicodeDecodeError, ValueError):
        return None
    return NodeIdentity(node.name, node.uid)
