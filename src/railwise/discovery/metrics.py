"""What the live discovery tells Prometheus: how old each source is, what is found wrong, how often labels move."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector as MetricSource

from railwise.discovery.publishing.publisher import Published
from railwise.discovery.tables import Standing, Tables
from railwise.fabric.fabric_map import LEAF_GROUP, Map
from railwise.fabric.findings import Kind
from railwise.fabric.observations import SERVER

MICROSECONDS: Final = 1_000_000
CONVERGE: Final = (0.5, 1, 2, 3, 5, 10, 30, 60)


class SourceAges(MetricSource):
    """Ages are as of the moment somebody asks, so they are worked out then."""

    def __init__(self, tables: Tables, clock: object) -> None:
        """Keep what is looked at; ``clock`` returns µs."""
        self._tables: Final = tables
        self._clock: Final = clock

    def collect(self) -> Iterator[Metric]:
        """Yield, a kind of source each: devices told of, silent devices, and the age of the oldest word."""
        now = self._clock()  # type: ignore[operator] # a function without arguments
        by_kind: dict[str, list[Standing]] = {}
        for (source, _), standing in self._tables.standing().items():
            by_kind.setdefault(source.partition(":")[0], []).append(standing)
        names = {
            "railwise_discovery_devices": "Devices that a kind of source tells of.",
            "railwise_discovery_silent_devices": "Devices of which a kind of source tells nothing now.",
            "railwise_discovery_oldest_seconds": "Seconds since the most silent device was last confirmed.",
        }
        families = [GaugeMetricFamily(name, text, labels=["source"]) for name, text in names.items()]
        for kind, standings in sorted(by_kind.items()):
            told = [one for one in standings if one.confirmed >= 0]
            silent = sum(one.silent_since > 0 for one in standings)
            oldest = max(((now - one.confirmed) / MICROSECONDS for one in told), default=0.0)
            for family, value in zip(families, (len(told), silent, oldest), strict=True):
                family.add_metric([kind], value)
        yield from families


class DiscoveryMetrics:
    """The figures of one running discovery."""

    def __init__(self, tables: Tables, clock: object, registry: CollectorRegistry) -> None:
        """Register everything."""
        registry.register(SourceAges(tables, clock))
        text = "Servers, switches, links and leaf groups of the map."
        self._map: Final = Gauge("railwise_fabric_objects", text, ["kind"], registry=registry)
        text = "What is found wrong with the fabric."
        self._findings: Final = Gauge("railwise_fabric_findings", text, ["kind"], registry=registry)
        text = "Objects written, by place."
        self._written: Final = Counter("railwise_published_changes", text, ["place"], registry=registry)
        text = "Objects that could not be written, by place."
        self._failed: Final = Counter("railwise_published_failures", text, ["place"], registry=registry)
        text = "Seconds from the first word of a change to what it changes being written, holding down included."
        self._converged: Final = Histogram("railwise_converge_seconds", text, buckets=CONVERGE, registry=registry)
        text = "Seconds from a map to its labels."
        self._seconds: Final = Histogram("railwise_publish_seconds", text, buckets=CONVERGE, registry=registry)

    def converged(self, seconds: float) -> None:
        """Take how long it took from the first word of a change to everything that it changed being written."""
        self._converged.observe(seconds)

    def drawn(self, one: Map) -> None:
        """Take the figures of a new map."""
        servers = sum(device.kind == SERVER for device in one.devices.values())
        counts: Mapping[str, int] = {
            "servers": servers,
            "switches": len(one.devices) - servers,
            "links": len(one.links()),
            "leaf-groups": sum(domain.level == LEAF_GROUP for domain in one.domains),
        }
        for kind, number in counts.items():
            self._map.labels(kind).set(number)
        found = Tally(finding.kind for finding in one.findings)
        for kind in Kind:
            self._findings.labels(kind.value).set(found[kind])

    def published(self, place: str, result: Published, seconds: float) -> None:
        """Take what became of a map at one place."""
        self._written.labels(place).inc(len(result.changed))
        self._failed.labels(place).inc(len(result.failed) + len(result.passed_over))
        self._seconds.observe(seconds)
