"""A fabric's map as a document (``kind: FabricMap``): to look at, to compare with, and to start from the next time.

Names of domains live in the map alone, so a map that is stored is what keeps racks from being renamed by a restart.
What is read back is believed as far as it goes: names, places and links; a document of somebody else is refused.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from railwise.fabric.elements import Port
from railwise.fabric.fabric_map import Device, Map, MapDomain, Rail, ScaleUpDomain
from railwise.fabric.findings import Finding
from railwise.fabric.observations import ScaleUp
from railwise.fabric.wiring import Edge, Evidence
from railwise.formats.document import load
from railwise.model.errors import Fault, InputError

API_VERSION: Final = "railwise.dev/v1alpha1"
KIND: Final = "FabricMap"
ENDS: Final[tuple[Literal["a", "b"], ...]] = ("a", "b")


class Witness(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A source that tells of an edge in its report on a device, at the end ``a`` or ``b``, since when (µs)."""

    source: str
    device: str
    end: Literal["a", "b"]
    since: int = 0


class Link(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """An edge: its ends as ``device/port``, who says so, and how long ago (µs) the freshest of them confirmed it."""

    a: str
    b: str
    age: int = 0
    evidence: list[Witness] = []


class Said(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What a source says of a device's GPUs."""

    source: str
    device: str
    domains: list[ScaleUp] = []


class Heard(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """When (µs) a source last confirmed a device."""

    source: str
    device: str
    time: int


class MapDocument(msgspec.Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """The whole document."""

    api_version: str = API_VERSION
    kind: str = KIND
    time: int = 0
    levels: list[str] = []
    devices: list[Device] = []
    domains: list[MapDomain] = []
    places: dict[str, dict[str, str]] = {}
    rails: dict[str, list[Rail]] = {}
    dead_rails: dict[str, list[int]] = {}
    scale_up: list[ScaleUpDomain] = []
    links: list[Link] = []
    findings: list[Finding] = []
    said: list[Said] = []
    heard: list[Heard] = []
    retired: list[str] = []


def map_document(drawn: Map) -> dict[str, Any]:
    """Return a map as plain values, in an order that depends on nothing but the map."""
    document = MapDocument(
        time=drawn.time,
        levels=list(drawn.levels),
        devices=[drawn.devices[name] for name in sorted(drawn.devices)],
        domains=list(drawn.domains),
        places={server: dict(drawn.places[server]) for server in sorted(drawn.places)},
        rails={name: list(drawn.rails[name]) for name in sorted(drawn.rails)},
        dead_rails={name: sorted(rails) for name, rails in sorted(drawn.dead_rails.items()) if rails},
        scale_up=list(drawn.scale_up),
        links=[_link(edge, drawn.age(edge)) for edge in drawn.links()],
        findings=list(drawn.findings),
        said=[Said(*key, list(drawn.said[key])) for key in sorted(drawn.said)],
        heard=[Heard(*key, drawn.heard[key]) for key in sorted(drawn.heard)],
        retired=list(drawn.retired),
    )
    plain = msgspec.to_builtins(document, str_keys=True)
    plain["findings"] = [_finding(one) for one in drawn.findings]
    return dict(plain)


def read_map(data: bytes, source: str) -> Map:
    """Return the map of a document. Raises InputError for what is none."""
    documents = load(data, source)
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != KIND or value.get("apiVersion") != API_VERSION:
        message = f"expected one document of kind {KIND} ({API_VERSION})"
        raise InputError([Fault("kind", message, "`railwise discover -o json` writes one")], source)
    findings = value.pop("findings", [])
    try:
        document = msgspec.convert(value, MapDocument)
        known = tuple(_read_finding(one) for one in findings)
    except (msgspec.ValidationError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError([Fault("", f"no map: {error}", "`railwise discover -o json` writes one")], source) from None
    edges = {}
    for link in document.links:
        told = (Evidence(one.source, one.device, ENDS.index(one.end), one.since) for one in link.evidence)
        edge = Edge(_port(link.a), _port(link.b), tuple(told))
        edges[edge.a] = edges[edge.b] = edge
    return Map(
        time=document.time,
        devices={device.name: device for device in document.devices},
        edges=edges,
        levels=tuple(document.levels),
        domains=tuple(document.domains),
        places=document.places,
        rails={name: tuple(rails) for name, rails in document.rails.items()},
        dead_rails={name: frozenset(rails) for name, rails in document.dead_rails.items()},
        scale_up=tuple(document.scale_up),
        said={(one.source, one.device): tuple(one.domains) for one in document.said},
        findings=known,
        heard={(one.source, one.device): one.time for one in document.heard},
        retired=tuple(document.retired),
    )


def _link(edge: Edge, age: int) -> Link:
    told = [Witness(one.source, one.device, ENDS[one.side], one.since) for one in sorted(edge.evidence)]
    return Link(edge.a.text(), edge.b.text(), age, told)


def _finding(one: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": one.kind.value, "subject": one.subject}
    plain |= {"ports": list(one.ports)} if one.ports else {}
    plain |= {"expected": list(one.expected)} if any(one.expected) else {}
    plain |= {"inferred": True} if one.inferred else {}
    return plain | ({"facts": dict(one.facts)} if one.facts else {})


def _read_finding(plain: dict[str, Any]) -> Finding:
    facts = [[str(key), str(fact)] for key, fact in dict(plain.get("facts", {})).items()]
    ordered = [plain["kind"], plain["subject"], plain.get("ports", []), plain.get("expected", [])]
    return msgspec.convert([*ordered, plain.get("inferred", False), facts], Finding)


def _port(text: str) -> Port:
    device, _, name = text.partition("/")
    return Port(device, name)
