"""What the gNMI service needs to know of a switch system: which paths it serves, how, and in which words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from railwise.gnmi.gnmi_pb2 import JSON, JSON_IETF, Encoding, ModelData, Path, TypedValue, Update
from railwise.lab.virtual_switch import VirtualSwitch


class RefusedError(Exception):
    """The question cannot be answered; ``code`` is the name of a gRPC status."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the status and what to say."""
        super().__init__(message)
        self.code = code


class Change(NamedTuple):
    """What one notification says: values that hold now, and paths that no longer do."""

    updates: tuple[Update, ...] = ()
    deletes: tuple[Path, ...] = ()


class Area(NamedTuple):
    """A served part of a switch: the words of the dialect (``kind``), one port or all of them, the path asked for."""

    kind: str
    port: str
    path: Path


class Dialect(Protocol):
    """One switch system."""

    @property
    def models(self) -> Sequence[ModelData]:
        """The models it speaks."""
        ...

    @property
    def encodings(self) -> Sequence[Encoding]:
        """The encodings it speaks."""
        ...

    @property
    def gets(self) -> bool:
        """Whether Get is served at all."""
        ...

    @property
    def rewrites(self) -> float:
        """After so many seconds everything is told again as if it had changed (0: never)."""
        ...

    def area(self, path: Path, prefix: Path) -> Area:
        """Return what a path names; RefusedError where the system serves nothing there."""
        ...

    def can_stream(self, area: Area, *, on_change: bool) -> None:
        """Raise RefusedError if the area cannot be streamed in that mode."""
        ...

    def everything(self, switch: VirtualSwitch, area: Area, clock: int) -> list[Change]:
        """Return the whole area as it is; ``clock`` is whole seconds, for systems that stamp what they say."""
        ...

    def changed(self, switch: VirtualSwitch, area: Area, ports: Iterable[str], clock: int) -> list[Change]:
        """Return what an on-change stream says after these ports have changed."""
        ...

    def rewritten(self, switch: VirtualSwitch, area: Area, clock: int) -> Iterable[Change]:
        """Yield what is told again every ``rewrites`` seconds."""
        ...

    def since(self, before: list[Change], now: list[Change]) -> list[Change]:
        """Return what a poll or a sample says: what it was before, what it is now."""
        ...


def json_update(path: Path, document: bytes) -> Update:
    """Return a value in JSON."""
    return Update(path=path, val=TypedValue(json_ietf_val=document))


def whole_path(path: Path, prefix: Path) -> list[tuple[str, dict[str, str]]]:
    """Return the elements below the root, (name without a module prefix, keys) each."""
    return [(one.name.rpartition(":")[2], dict(one.key)) for one in [*prefix.elem, *path.elem]]


JSON_ENCODINGS: tuple[Encoding, ...] = (JSON, JSON_IETF)
"""JSON, and JSON as the IETF writes it."""
