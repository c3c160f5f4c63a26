"""What a source has to tell: whom one device hears at each of its ports, and whether the source itself is well.

Sources differ in everything else (a stream, a sample, a file, a REST answer), so they all end in these few messages,
and what is made of them is decided elsewhere. A source that fails says so; it never takes back what it told before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from railwise.fabric.observations import SWITCH, Report
from railwise.formats.lldp.record import LldpRecord

Records = tuple[LldpRecord, ...]


class Whole(NamedTuple):
    """Everything that ``device`` hears, by port: ports that are not named hear nobody. ``kind``: switch or server."""

    source: str
    device: str
    ports: Mapping[str, Records]
    kind: str = SWITCH


class Changed(NamedTuple):
    """Whom ``device`` hears at some of its ports now; the others are as they were."""

    source: str
    device: str
    ports: Mapping[str, Records]


class State(NamedTuple):
    """How ``device`` itself stands: whether traffic is kept off it because somebody works on it."""

    source: str
    device: str
    maintenance: bool


class Told(NamedTuple):
    """Everything about ``device`` from a source that draws up reports itself."""

    source: str
    device: str
    report: Report


class Failed(NamedTuple):
    """The source does not tell anything at the moment, and why; ``retry`` is in seconds from now (0: never)."""

    source: str
    device: str
    reason: str
    retry: float = 0.0


class Gone(NamedTuple):
    """Nobody will tell anything of ``device`` by this source any more, as its node has gone; what was told stands."""

    source: str
    device: str


Hearing = Whole | Changed | State | Told | Failed | Gone
Sink = Callable[[Hearing], None]
"""Takes what sources tell, at once and in order."""


class Source(Protocol):
    """Something that tells about one or more devices."""

    @property
    def name(self) -> str:
        """How the source is called in findings, metrics and messages."""
        ...

    async def once(self, sink: Sink) -> None:
        """Tell everything once and return; what cannot be had is a ``Failed``."""
        ...

    async def watch(self, sink: Sink) -> None:
        """Tell everything and then every change, through all failures, until cancelled."""
        ...
