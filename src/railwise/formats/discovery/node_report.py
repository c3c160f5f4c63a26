"""What a node's agent says of its node, as an object of the API (``kind: NodeReport``) and back.

The writer bounds what it says; the reader believes nothing: an agent runs on a machine where jobs of others run, and
may be anybody. It is heard about its own node only, whatever stands in its report: neighbours at its ports, its NICs,
the domain of its cards. Names of racks, rails of switches and roles are not its to tell. Texts are cleaned on both
sides, and what is beyond the bounds is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from railwise.fabric.elements import NO_RAIL
from railwise.fabric.observations import SERVER, SWITCH, Observation, Report, ScaleUp, SeenPort, Speaker, clean
from railwise.formats.fabric.terms import MOST_RAILS

GROUP: Final = "railwise.dev"
VERSION: Final = "v1alpha1"
PLURAL: Final = "nodereports"
KIND: Final = "NodeReport"

SOURCES: Final = ("lldpd", "nvml", "nvidia-smi", "kfd", "affinity")

MOST_NEIGHBOURS: Final = 512
MOST_PORTS: Final = 256
MOST_DOMAINS: Final = 64
MOST_ALIASES: Final = 4
MOST_NEAR: Final = 64
LONGEST_REASON: Final = 255
LARGEST: Final = 128 * 1024
"""Bytes of one source's facts; the API server refuses more than about ten times as much."""


class NodeFacts(NamedTuple):
    """What is said of a node: reports by source, why other sources tell nothing, and how many facts were left out."""

    reports: tuple[Report, ...]
    failures: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


class _Said(msgspec.Struct, rename="camel", omit_defaults=True):
    name: str = ""
    links: bool = False
    neighbours: list[dict[str, Any]] = []
    ports: list[dict[str, Any]] = []
    scale_up: list[dict[str, Any]] = []
    failed: str = ""


class _Spec(msgspec.Struct, rename="camel", omit_defaults=True):
    every_seconds: int = 0
    beat: str = ""
    aliases: list[str] = []
    chassis: list[str] = []
    sources: list[_Said] = []
    left_out: int = 0


def report_spec(facts: NodeFacts, every: int, beat: str) -> dict[str, Any]:
    """Return the ``spec`` of a report; ``every`` is the seconds between two signs of life, ``beat`` the latest one."""
    spec = _Spec(every, beat, left_out=facts.left_out)
    for report in facts.reports:
        said = _Said(report.source, report.links)
        rows = (
            (said.neighbours, [_row(one) for one in report.observations], MOST_NEIGHBOURS),
            (said.ports, [_row(one) for one in report.ports], MOST_PORTS),
            (said.scale_up, [_row(one) for one in report.scale_up], MOST_DOMAINS),
        )
        room = LARGEST
        for into, wanted, most in rows:
            for row in wanted[:most]:
                room -= len(msgspec.json.encode(row))
                if room < 0:
                    break
                into.append(row)
            spec.left_out += len(wanted) - len(into)
        spec.sources.append(said)
        spec.aliases = _merged(spec.aliases, report.speaker.aliases)
        spec.chassis = _merged(spec.chassis, report.speaker.chassis)
    spec.sources += [_Said(name, failed=clean(reason)[:LONGEST_REASON]) for name, reason in facts.failures]
    return dict(msgspec.to_builtins(spec))


def read_spec(node: str, value: Mapping[str, Any]) -> NodeFacts:
    """Return what a report says of the node it is named after. Raises ValueError for what is no report at all."""
    try:
        spec = msgspec.convert(dict(value), _Spec)
    except msgspec.ValidationError as error:
        raise ValueError(clean(str(error))) from None
    speaker = Speaker(node, SERVER, aliases=_texts(spec.aliases), chassis=_texts(spec.chassis))
    reports = []
    failures = []
    left_out = max(spec.left_out, 0)
    for said in spec.sources[: 2 * len(SOURCES)]:
        if said.name not in SOURCES:
            left_out += 1
        elif said.failed:
            failures.append((said.name, clean(said.failed)))
        else:
            parts = (
                [_neighbour(row) for row in said.neighbours[:MOST_NEIGHBOURS]],
                [_port(row) for row in said.ports[:MOST_PORTS]],
                [_domain(row) for row in said.scale_up[:MOST_DOMAINS]],
            )
            heard, ports, domains = parts
            links = said.name == "lldpd"
            observations = tuple(heard) if links else ()
            reports.append(Report(said.name, speaker, 0, observations, tuple(ports), tuple(domains), links))
    return NodeFacts(tuple(reports), tuple(failures), left_out)


def _row(one: Observation | SeenPort | ScaleUp) -> dict[str, Any]:
    """Return the fields that say anything, under the names that objects of the API have."""
    plain = one._asdict() if isinstance(one, tuple) else {key: getattr(one, key) for key in one.__slots__}
    row: dict[str, Any] = {}
    for key, value in plain.items():
        name = _CAMEL.get(key, key)
        if value == _DEFAULTS[type(one)].get(key):
            continue
        if isinstance(value, str):
            row[name] = clean(value)
        elif isinstance(value, tuple):
            row[name] = [clean(item) if isinstance(item, str) else item for item in value[:MOST_NEAR]]
        else:
            row[name] = value
    return row


def _neighbour(row: Mapping[str, Any]) -> Observation:
    kind = _text(row, "kind")
    return Observation(
        port=_text(row, "port"),
        name=_text(row, "name"),
        chassis=_text(row, "chassis"),
        remote_port=_text(row, "remotePort"),
        port_kind=_text(row, "portKind"),
        description=_text(row, "description"),
        mac=_text(row, "mac"),
        addresses=_texts(row.get("addresses")),
        kind=kind if kind in (SWITCH, SERVER) else "",
    )


def _port(row: Mapping[str, Any]) -> SeenPort:
    near = row.get("gpus")
    gpus = [one for one in near if type(one) is int and 0 <= one < MOST_NEAR] if isinstance(near, list) else []
    return SeenPort(
        name=_text(row, "name"),
        mac=_text(row, "mac"),
        aliases=_texts(row.get("aliases")),
        up=row.get("up") is not False,
        rail=_number(row, "rail", NO_RAIL, MOST_RAILS - 1),
        gpus=tuple(gpus[:MOST_NEAR]),
        speed=_number(row, "speed", 0, 10_000_000),
        pci=_text(row, "pci"),
    )


def _domain(row: Mapping[str, Any]) -> ScaleUp:
    kind = _text(row, "kind")
    return ScaleUp(
        domain=_text(row, "domain"),
        kind=kind if kind == "xgmi" else "nvlink",
        gpus=_number(row, "gpus", 0, 1024),
        chassis=_text(row, "chassis"),
        tray=_text(row, "tray"),
        health=_text(row, "health"),
    )


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return clean(value) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    found = [clean(one) for one in value[:MOST_ALIASES] if isinstance(one, str)] if isinstance(value, list) else []
    return tuple(one for one in found if one)


def _number(row: Mapping[str, Any], key: str, otherwise: int, most: int) -> int:
    value = row.get(key)
    return value if type(value) is int and 0 <= value <= most else otherwise


def _merged(known: Sequence[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*known, *(clean(one) for one in more)]))[:MOST_ALIASES]


_CAMEL: Final = {"remote_port": "remotePort", "port_kind": "portKind"}
_DEFAULTS: Final[dict[type, dict[str, Any]]] = {
    Observation: Observation("")._asdict(),
    SeenPort: SeenPort("")._asdict(),
    ScaleUp: {key: getattr(ScaleUp(""), key) for key in ScaleUp.__slots__} | {"kind": None},
}
