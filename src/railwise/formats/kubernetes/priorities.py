"""How important a workload is, and whether it may be evicted: by its pods, by a class, by the rule of its system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from railwise.formats.kubernetes.dialects.catalog import Catalog
from railwise.formats.kubernetes.schema import PodSpec

OF_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""Priority classes that every cluster has."""

NEVER_FROM = 100
"""Work of KAI with this priority or a higher one is not evicted unless it says that it may be."""


class Classes(Protocol):
    """What is known of priorities."""

    classes: Mapping[str, int]
    default_priority: int
    catalog: Catalog


def priority_of(spec: PodSpec, named: str, known: Classes, where: str, warnings: list[str]) -> int:
    """Return the priority: of the class that a label or PodGroup names, else the pod's own.

    ``named`` is a PriorityClass, or ``dialect/NAME`` for a class of another system.
    """
    dialect, _, of = named.rpartition("/")
    if not of and spec.priority is not None:
        return spec.priority
    name = of or spec.priority_class_name
    if not name:
        return known.default_priority
    value = known.catalog.classes.get((dialect, name)) if dialect else known.classes.get(name, OF_SYSTEM.get(name))
    if value is None:
        kind = "WorkloadPriorityClass" if dialect else "PriorityClass"
        warnings.append(f"{where}: no {kind} '{name}' in the input: priority 0")
        return 0
    return value


def may_go(said: str, priority: int) -> bool:
    """Return whether a workload may be evicted; ``by-priority`` is KAI's rule where nothing is said."""
    return priority < NEVER_FROM if said == "by-priority" else said != "false"
