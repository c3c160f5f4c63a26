"""The figures of a live scheduler: how fast it decides and binds, who waits where, and what is left.

Histograms have buckets fine enough for a p50 and a p99. What changes with every decision but is looked at every few
seconds (queues, slots) is worked out when somebody asks, from the engine's own books.
"""

from __future__ import annotations

import time
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from railwise.controllers.clocks import MICROSECOND
from railwise.engine.cycle import Engine
from railwise.engine.slots import slots_left
from railwise.model.plan import Plan, State
from railwise.model.workload import Group

DECIDING: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
BINDING: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
WAITING: Final = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 604_800)
RATIOS: Final = (1.0, 1.01, 1.05, 1.1, 1.2, 1.35, 1.5, 2, 3, 5, 10)

FRESH: Final = 15.0
"""Seconds for which the slots that were counted last are good enough."""

MOST: Final = 100_000
"""Bindings on their way whose beginning is remembered."""

RULES: Final = (
    ("preempted", "priority"),
    ("quota", "quota"),
    ("fair share", "fair-share"),
    ("surplus", "surplus"),
)
"""A word in what an eviction says of itself, and the rule that it stands for."""


def rule_of(why: str) -> str:
    """Return by which rule somebody had to go, as one word."""
    return next((rule for word, rule in RULES if word in why), "other")


def _wanted(group: Group) -> int:
    """Return how many pods a group asks for."""
    return group.pods + sum(_wanted(child) for child in group.groups)


class Books(Collector):
    """Queues, reasons and slots as they are when somebody asks."""

    def __init__(self, engine: Callable[[], Engine | None], steady: Callable[[], float] = time.monotonic) -> None:
        """Keep where the engine is found; None: there is none yet."""
        self._engine = engine
        self._steady = steady
        self._slots: dict[str, dict[int, int]] = {}
        self._counted = float("-inf")

    def collect(self) -> Iterator[Metric]:
        """Yield waiting workloads and pods by queue, nodes, and the slots left by level and size."""
        engine = self._engine()
        waiting: Tally[str] = Tally()
        pods: Tally[str] = Tally()
        for record in list(engine.workloads.waiting.values()) if engine is not None else []:
            queue = record.workload.queue
            waiting[queue] += 1
            pods[queue] += max(_wanted(record.workload.root) - len(record.pods), 0)
        families = (
            ("railwise_queue_waiting_workloads", "Workloads that wait, by queue.", waiting),
            ("railwise_queue_waiting_pods", "Pods that are wanted and do not run, by queue.", pods),
        )
        for name, text, counts in families:
            family = GaugeMetricFamily(name, text, labels=["queue"])
            for queue in sorted(counts):
                family.add_metric([queue], counts[queue])
            yield family
        nodes = len(engine.state.nodes) if engine is not None else 0
        yield GaugeMetricFamily("railwise_nodes", "Nodes that are known.", value=nodes)
        running = len(engine.records) - len(engine.workloads.waiting) if engine is not None else 0
        yield GaugeMetricFamily("railwise_running_workloads", "Workloads that lack nothing.", value=running)
        text = "Gangs of so many whole free nodes that still fit inside one domain of a level, at once."
        left = GaugeMetricFamily("railwise_slots_left", text, labels=["level", "nodes"])
        for level, sizes in self._left(engine).items():
            for size, number in sizes.items():
                left.add_metric([level, str(size)], number)
        yield left

    def _left(self, engine: Engine | None) -> dict[str, dict[int, int]]:
        if engine is not None and self._steady() - self._counted >= FRESH:
            self._slots, self._counted = slots_left(engine.state), self._steady()
        return self._slots


class SchedulerMetrics:
    """The figures of one scheduler; it calls this as things happen, and sets ``incomplete`` itself."""

    def __init__(self, registry: CollectorRegistry, steady: Callable[[], float] = time.monotonic) -> None:
        """Register everything."""
        self.engine: Engine | None = None
        self._steady = steady
        self._begun: dict[str, float] = {}
        registry.register(Books(lambda: self.engine, steady))
        self._rounds: Final = Counter("railwise_rounds", "Rounds of decisions.", registry=registry)
        self._engines: Final = Counter(
            "railwise_engine_builds", "Times that the engine was made anew from everything.", registry=registry
        )
        self._deciding: Final = Histogram(
            "railwise_decision_seconds", "Seconds that a round took to decide.", buckets=DECIDING, registry=registry
        )
        self._decisions: Final = Counter(
            "railwise_decisions",
            "Workloads that were decided on, by result; placed / (placed + pending) is the success rate.",
            ["result"],
            registry=registry,
        )
        self._refused: Final = Counter(
            "railwise_refusals", "Workloads that were told to wait, by reason code.", ["code"], registry=registry
        )
        self._binding: Final = Histogram(
            "railwise_bind_seconds",
            "Seconds from a decision until its pod was bound (in gate mode: let through), waits for victims included.",
            buckets=BINDING,
            registry=registry,
        )
        self._bound: Final = Counter("railwise_bound_pods", "Pods that were bound.", registry=registry)
        self._failed: Final = Counter(
            "railwise_bind_failures", "Binds that failed, by outcome.", ["outcome"], registry=registry
        )
        self._evicted: Final = Counter(
            "railwise_evicted_workloads",
            "Workloads that had to give up pods, by rule: priority, quota, fair-share, surplus or other.",
            ["rule"],
            registry=registry,
        )
        self._moved: Final = Counter("railwise_moved_workloads", "Workloads that were moved.", registry=registry)
        self._stayed: Final = Counter(
            "railwise_evictions_refused", "Pods that could not be evicted, or did not go.", registry=registry
        )
        self._waits: Final = Histogram(
            "railwise_gang_wait_seconds",
            "Seconds from the creation of a gang until it was placed.",
            buckets=WAITING,
            registry=registry,
        )
        self._ratio: Final = Histogram(
            "railwise_communication_ratio",
            "Predicted time of a step at the place given, over that at the best place; only where traffic is declared.",
            buckets=RATIOS,
            registry=registry,
        )
        self.incomplete: Final = Gauge(
            "railwise_incomplete_gangs", "Gangs that wait for pods that nobody has made yet.", registry=registry
        )

    def began(self, engine: Engine) -> None:
        """Hear that there is a new engine."""
        self.engine = engine
        self._engines.inc()

    def idle(self) -> None:
        """Hear of a round in which nothing was new, so that nothing was decided."""
        self._rounds.inc()

    def decided(self, plan: Plan, seconds: float) -> None:
        """Hear of a round and how long it took."""
        self._rounds.inc()
        self._deciding.observe(seconds)
        codes: Tally[str] = Tally()
        placed = []
        for entry in plan.workloads:
            if entry.reason is not None:
                codes[entry.reason.code.value] += 1
            elif entry.state is State.PLACED:
                placed.append(entry)
        for code, number in codes.items():
            self._refused.labels(code).inc(number)
        if codes:
            self._decisions.labels("pending").inc(codes.total())
        if placed:
            self._decisions.labels("placed").inc(len(placed))
        records = self.engine.records if self.engine is not None else {}
        for entry in placed:
            record = records.get(entry.name)
            if record is not None:
                self._waits.observe(max(plan.time - record.workload.submit, 0) / MICROSECOND)
            if entry.best_seconds > 0:
                self._ratio.observe(entry.seconds_per_step / entry.best_seconds)
        for eviction in plan.evictions:
            self._evicted.labels(rule_of(eviction.why)).inc()
        self._moved.inc(len(plan.moves))

    def binding(self, uids: list[str]) -> None:
        """Hear which pods are to be bound from now on."""
        now = self._steady()
        for uid in uids:
            self._begun[uid] = now
        while len(self._begun) > MOST:
            del self._begun[next(iter(self._begun))]

    def bound(self, uid: str) -> None:
        """Hear that a pod was bound."""
        self._bound.inc()
        begun = self._begun.pop(uid, None)
        if begun is not None:
            self._binding.observe(self._steady() - begun)

    def failed(self, uid: str, outcome: str) -> None:
        """Hear that a bind failed."""
        self._begun.pop(uid, None)
        self._failed.labels(outcome).inc()

    def stayed(self) -> None:
        """Hear that a pod could not be evicted."""
        self._stayed.inc()
