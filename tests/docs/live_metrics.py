"""Tables of the figures that live controllers serve, from what they register."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

from railwise.cli.operating import leading
from railwise.controllers.metrics import SchedulerMetrics
from railwise.kubeapi.measured import Measured


def of_scheduler() -> Iterator[str]:
    """Return the table of what a scheduler tells of itself."""
    registry = CollectorRegistry()
    SchedulerMetrics(registry)
    leading(registry)
    return _table(registry)


def of_api() -> Iterator[str]:
    """Return the table of what is told of the API server."""
    registry = CollectorRegistry()
    Measured(logging.getLogger("railwise"), registry)
    return _table(registry)


def _table(registry: CollectorRegistry) -> Iterator[str]:
    labels = {
        next(iter(found.describe())).name: found._labelnames  # noqa: SLF001 -- the library shows them nowhere else
        for found in registry._collector_to_names  # noqa: SLF001
        if isinstance(found, MetricWrapperBase)
    }
    yield "| metric | kind | labels | meaning |"
    yield "|---|---|---|---|"
    for family in sorted(registry.collect(), key=lambda one: one.name):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        names = labels.get(family.name, getattr(family, "_labelnames", ()))
        shown = ", ".join(f"`{label}`" for label in names) or "–"
        yield f"| `{name}` | {family.type} | {shown} | {family.documentation} |"
