"""The least that every object of the API has, and how bytes become objects of whatever kind a caller asks for.

Only the fields that a caller's structure names are decoded, straight from the bytes: that is ten times quicker than
making dictionaries of everything, and one tenth of the memory. An object that does not have the promised form is lost
alone: it is named, the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from railwise.formats.kubernetes.schema import without_nulls


class Metadata(Protocol):
    """What a structure's ``metadata`` needs to have."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def namespace(self) -> str:
        """The namespace, empty for kinds without."""

    @property
    def uid(self) -> str:
        """The identity: another one of the same name has another."""

    @property
    def resource_version(self) -> str:
        """The version, to be compared for equality and handed back, never interpreted."""


class KubeObject(Protocol):
    """Any structure that can be listed and watched."""

    @property
    def metadata(self) -> Metadata:
        """Who it is."""


T = TypeVar("T", bound=KubeObject)


class ObjectMeta(msgspec.Struct, rename="camel", kw_only=True, frozen=True, gc=False):
    """The least metadata; for kinds of which no more is of interest."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class PartialObject(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """An object of which only the identity is of interest."""

    metadata: ObjectMeta = ObjectMeta()


class Unreadable(NamedTuple):
    """An object that cannot be read: who, and what is wrong with it. It has none of the fields that were asked for."""

    namespace: str
    name: str
    uid: str
    message: str


class ListMeta(msgspec.Struct, rename="camel", frozen=True, kw_only=True):
    """Where a list stands: its version and, if there is more, how to go on."""

    resource_version: str = ""
    continue_: str = msgspec.field(name="continue", default="")


class Page(NamedTuple, Generic[T]):
    """A part of a list."""

    objects: list[T]
    unreadable: list[Unreadable]
    version: str
    more: str


class ListDecoder(Generic[T]):
    """Decodes lists of one kind: all at once, or one by one where one of them is broken."""

    def __init__(self, kind: type[T]) -> None:
        """Prepare the decoders."""
        whole: Any = msgspec.defstruct(
            "ListOf",
            [("metadata", ListMeta, ListMeta()), ("items", list[kind] | None, None)],  # type: ignore[valid-type]
        )
        self._whole = msgspec.json.Decoder(whole)
        self._raw = msgspec.json.Decoder(_RawList)
        self._one = ObjectDecoder(kind)

    def decode(self, data: bytes) -> Page[T]:
        """Return the objects of an answer.

        Raises:
            msgspec.DecodeError: it is no list at all.
        """
        try:
            found = self._whole.decode(data)
        except msgspec.ValidationError:
            return self._apart(data)
        meta = found.metadata
        return Page(found.items or [], [], meta.resource_version, meta.continue_)

    def _apart(self, data: bytes) -> Page[T]:
        found = self._raw.decode(data)
        objects: list[T] = []
        unreadable: list[Unreadable] = []
        for raw in found.items or ():
            one = self._one.decode(raw)
            if isinstance(one, Unreadable):
                unreadable.append(one)
            else:
                objects.append(one)
        return Page(objects, unreadable, found.metadata.resource_version, found.metadata.continue_)


class _RawList(msgspec.Struct):
    metadata: ListMeta = ListMeta()
    items: list[msgspec.Raw] | None = None


class ObjectDecoder(Generic[T]):
    """Decodes single objects; ``null`` counts as absent, as everywhere in the API."""

    def __init__(self, kind: type[T]) -> None:
        """Prepare the decoder."""
        self._kind = kind
        self._decode: Callable[[bytes | msgspec.Raw], T] = msgspec.json.Decoder(kind).decode

    def decode(self, data: bytes | msgspec.Raw) -> T | Unreadable:
        """Return the object, or who it is and what is wrong with it.

        Raises:
            msgspec.DecodeError: the bytes are no JSON.
        """
        try:
            return self._decode(data)
        except msgspec.ValidationError:
            plain = without_nulls(msgspec.json.decode(data))
        try:
            return msgspec.convert(plain, self._kind)
        except msgspec.ValidationError as error:
            return _unreadable(plain, str(error))


def _unreadable(plain: object, message: str) -> Unreadable:
    metadata = plain.get("metadata") if isinstance(plain, dict) else None
    known = metadata if isinstance(metadata, dict) else {}
    namespace, name, uid = (str(known.get(key, "")) for key in ("namespace", "name", "uid"))
    return Unreadable(namespace, name, uid, message)
