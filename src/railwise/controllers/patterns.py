"""Pods that look alike are read once: a thousand copies of one job's pod differ in name, age and place only.

Reading a pod (quantities, annotations, selectors) takes longer than placing it. What is read depends on its spec, its
annotations and labels, and the cluster around it; so the workload of the first pod of a kind serves as the pattern for
all others of its namespace, as long as the cluster's levels, cards and queues stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import msgspec

from railwise.formats.kubernetes.gangs import namespace
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.storage import claims_of
from railwise.formats.kubernetes.workloads import Built, LivePod, Surroundings
from railwise.model.workload import Group, Running, Workload

MOST = 4096
"""So many patterns are kept; then all are forgotten."""

Key = tuple[str, bool, bytes, frozenset[tuple[str, str]], frozenset[tuple[str, str]]]


class Pattern(NamedTuple):
    """A workload that was read, and its fields by name: quicker to make another of than by ``replace``."""

    built: Built
    fields: dict[str, Any]


class Patterns:
    """Workloads of single pods, by what they look like."""

    def __init__(self) -> None:
        """Know none yet."""
        self._known: dict[Key, Pattern] = {}
        self._cluster: tuple[object, object, object] = (None, None, None)
        self._epoch = 0

    def read(self, pod: Pod, name: str, order: int, around: Surroundings, first: Callable[[], Built]) -> Built:
        """Return the workload of a pod that is a gang of its own.

        ``pod`` names the node it runs on, or is being bound to; ``first`` reads it where it is the first of its kind.
        """
        cluster, epoch = (around.trees, around.offers, around.catalog), around.selectors.epoch
        if epoch != self._epoch or any(one is not other for one, other in zip(cluster, self._cluster, strict=True)):
            self._known.clear()
            self._cluster, self._epoch = cluster, epoch
        if around.offers.mixed() or claims_of(pod.spec):
            return first()
        key = _key(pod)
        pattern = self._known.get(key)
        if pattern is None:
            built = first()
            if not built.faults:
                if len(self._known) >= MOST:
                    self._known.clear()
                whole = built.workload
                self._known[key] = Pattern(built, {one.name: getattr(whole, one.name) for one in fields(whole)})
            return built
        return _copy(pattern, pod, name, order, around)


def _key(pod: Pod) -> Key:
    meta = pod.metadata
    bare = msgspec.structs.replace(pod.spec, node_name="", scheduling_gates=())
    return (
        namespace(meta),
        bool(pod.spec.node_name),
        msgspec.json.encode(bare),
        frozenset(meta.annotations.items()),
        frozenset(meta.labels.items()),
    )


def _copy(pattern: Pattern, pod: Pod, name: str, order: int, around: Surroundings) -> Built:
    """Return the pattern with what is this pod's own: name, age, place."""
    meta, node = pod.metadata, pod.spec.node_name
    submit = around.clock.since(meta.creation_timestamp)
    running = None
    if node and node in around.known_nodes:
        since = around.clock.since(pod.status.start_time) if pod.status.start_time else submit
        running = Running((node,), since)
    root: Group = pattern.fields["root"]
    if running is not None or root.running is not None:
        root = replace(root, running=running)
    workload = Workload(**{**pattern.fields, "name": name, "order": order, "submit": submit, "root": root})
    (place,) = pattern.built.pods
    return Built(workload, {place: LivePod(namespace(meta), meta.name, meta.uid)}, [], pattern.built.warnings)
