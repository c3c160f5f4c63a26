"""What a watch tells: first everything there is, then each change; after a gap everything again.

A consumer keeps its picture of the cluster by two rules. A ``Snapshot`` replaces all it knew: what is not in it has
gone. A ``Change`` concerns one object. There is no third case: bookmarks, expired versions, reconnects and servers that
stream their lists all end in these two.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from railwise.kubeapi.answers import refusal
from railwise.kubeapi.errors import UnreadableError
from railwise.kubeapi.objects import KubeObject, ObjectDecoder, PartialObject, Unreadable

T = TypeVar("T", bound=KubeObject)

INITIAL_END = "k8s.io/initial-events-end"
"""The annotation of the bookmark after which a streamed list is complete."""


class ChangeKind(Enum):
    """What became of an object. A server may call a change an addition after a reconnect: look at the object."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


class Change(NamedTuple, Generic[T]):
    """One object has changed; a deleted one comes in its last form."""

    kind: ChangeKind
    object: T


class Spoiled(NamedTuple):
    """One object has changed to something that cannot be read; nothing else is known of it now."""

    kind: ChangeKind
    object: Unreadable


class Snapshot(NamedTuple, Generic[T]):
    """Everything there is as of one moment; ``unreadable`` objects exist too."""

    objects: list[T]
    unreadable: list[Unreadable]


class Bookmark(NamedTuple):
    """Nothing has changed up to a version; ``complete``: a streamed list ends here."""

    version: str
    complete: bool


class Envelope(msgspec.Struct):
    """An event before its object is looked at."""

    type: str
    object: msgspec.Raw


class _Marked(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Bookmarked(msgspec.Struct):
    metadata: _Marked


class EventDecoder(Generic[T]):
    """Decodes lines of a watch on one kind."""

    def __init__(self, kind: type[T]) -> None:
        """Prepare the decoders: one pass for what is as promised, a closer look at what is not."""
        event: Any = msgspec.defstruct("EventOf", [("type", str), ("object", kind)])
        self._quick = msgspec.json.Decoder(event)
        self._envelope = msgspec.json.Decoder(Envelope)
        self._object = ObjectDecoder(kind)
        self._bookmark = msgspec.json.Decoder(_Bookmarked)
        self._identity = msgspec.json.Decoder(PartialObject)

    def decode(self, line: bytes) -> tuple[Change[T] | Spoiled | Bookmark, str]:
        """Return what a line tells and the version it stands for (empty: unknown).

        Raises:
            StatusError: the server ends the watch with an error.
            UnreadableError: the line is no event.
        """
        try:
            found = self._quick.decode(line)
            if found.type in ChangeKind.__members__:
                return Change(ChangeKind[found.type], found.object), found.object.metadata.resource_version
        except msgspec.ValidationError:
            pass
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnreadableError(f"a watch sent something that is no JSON: {error}") from None
        try:
            return self._closely(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UnreadableError(f"a watch sent something that is no event: {error}") from None

    def _closely(self, line: bytes) -> tuple[Change[T] | Spoiled | Bookmark, str]:
        event = self._envelope.decode(line)
        if event.type == "BOOKMARK":
            mark = self._bookmark.decode(event.object).metadata
            complete = (mark.annotations or {}).get(INITIAL_END) == "true"
            return Bookmark(mark.resource_version, complete), mark.resource_version
        if event.type == "ERROR":
            raise refusal("WATCH", 200, bytes(event.object))
        if event.type not in ChangeKind.__members__:
            raise UnreadableError(f"a watch sent an event of type '{event.type[:40]}'")
        one = self._object.decode(event.object)
        kind = ChangeKind[event.type]
        if isinstance(one, Unreadable):
            return Spoiled(kind, one), _version(self._identity, event.object)
        return Change(kind, one), one.metadata.resource_version


def _version(identity: msgspec.json.Decoder[PartialObject], raw: msgspec.Raw) -> str:
    try:
        return identity.decode(raw).metadata.resource_version
    except msgspec.ValidationError:
        return ""
