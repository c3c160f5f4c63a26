"""A small cluster in memory: the objects an API server would have, told to a cache as its watches would tell them."""

from __future__ import annotations

from typing import Any

import msgspec

from railwise.controllers.cache import Binding, ClusterCache
from railwise.engine.cycle import Engine
from railwise.formats.kubernetes.kinds import Job
from railwise.formats.kubernetes.schema import NodeObject, Pod
from railwise.model.plan import Plan

SCHEDULER = "railwise"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def node(name: str, gpus: int = 8, *, ready: bool = True, unschedulable: bool = False, **levels: str) -> NodeObject:
    room = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    found = {
        "metadata": {
            "name": name,
            "uid": f"n-{name}",
            "labels": {f"fabric.railwise.dev/{level}": domain for level, domain in levels.items()},
        },
        "spec": {"unschedulable": unschedulable},
        "status": {"allocatable": room, "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }
    return msgspec.convert(found, NodeObject)


def pod(name: str, gpus: int = 1, *, scheduler: str = SCHEDULER, on: str = "", **more: Any) -> Pod:
    """Return a pod; ``owner`` is ``Kind/name``, ``notes`` are annotations of ours without their prefix."""
    meta: dict[str, Any] = {
        "name": name,
        "namespace": more.pop("space", "a"),
        "uid": more.pop("uid", f"u-{name}"),
        "creationTimestamp": more.pop("created", "2026-01-01T00:00:00Z"),
        "labels": more.pop("labels", {}),
        "annotations": {f"railwise.dev/{key}": value for key, value in more.pop("notes", {}).items()},
    }
    owner = more.pop("owner", "")
    if owner:
        kind, _, owner_name = owner.partition("/")
        meta["ownerReferences"] = [{"kind": kind, "name": owner_name, "controller": True}]
    if more.pop("leaving", False):
        meta["deletionTimestamp"] = "2026-01-01T00:10:00Z"
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    spec: dict[str, Any] = {
        "schedulerName": scheduler,
        "nodeName": on,
        "containers": [{"name": "main", "resources": {"limits": limits}}],
        "priority": more.pop("priority", 0),
    }
    phase = more.pop("phase", "Pending")
    return msgspec.convert({"metadata": meta, "spec": spec | more, "status": {"phase": phase}}, Pod)


def job(name: str, parallelism: int, **notes: str) -> Job:
    annotations = {f"railwise.dev/{key}": value for key, value in notes.items()}
    template = {
        "metadata": {"annotations": annotations},
        "spec": {"schedulerName": SCHEDULER, "containers": [{"name": "main"}]},
    }
    spec = {"parallelism": parallelism, "completions": parallelism, "template": template}
    return msgspec.convert({"metadata": {"name": name, "namespace": "a", "uid": f"j-{name}"}, "spec": spec}, Job)


class World:
    """A cache and an engine that follows it, round by round."""

    def __init__(self, *nodes: NodeObject) -> None:
        self.clock = Clock()
        self.cache = ClusterCache(SCHEDULER, steady=self.clock)
        self.cache.replace_nodes(nodes)
        self.engine: Engine | None = None
        self.engines = 0
        self.told = 0
        self.plan: Plan | None = None

    def round(self) -> list[Binding]:
        """Decide once and return what is to be bound."""
        events = self.cache.events()
        if events is None or self.engine is None:
            self.engine = Engine(self.cache.begin())
            self.engines += 1
            events = []
        self.told = len(events)
        self.plan = self.engine.cycle(events, self.cache.clock.now())
        return self.cache.decided(self.plan)

    def put(self, *pods: Pod) -> None:
        for one in pods:
            self.cache.pods.put(one)

    def confirm(self, binding: Binding) -> None:
        """Let the server say that a pod is bound."""
        before = self.cache.pods.pods[binding.pod.uid]
        spec = msgspec.structs.replace(before.spec, node_name=binding.node)
        self.put(msgspec.structs.replace(before, spec=spec))

    def settle(self, rounds: int = 20) -> dict[str, str]:
        """Bind all that is decided until nothing is, and return where the pods of ours run, by name."""
        for _ in range(rounds):
            bindings = self.round()
            if not bindings:
                break
            for binding in bindings:
                self.confirm(binding)
        return self.places()

    def places(self) -> dict[str, str]:
        return {
            one.metadata.name: one.spec.node_name
            for one in self.cache.pods.pods.values()
            if one.spec.node_name and one.spec.scheduler_name == SCHEDULER
        }

    def believed(self) -> dict[str, str]:
        """Return where the engine believes pods to be: workload and rank, to node."""
        assert self.engine is not None
        found = {}
        for record in self.engine.records.values():
            for placed in self.engine.describe(record, None).pods:
                found[placed.name] = placed.node
        return found

    def reasons(self) -> dict[str, str]:
        assert self.plan is not None
        return {entry.name: entry.reason.code.value for entry in self.plan.workloads if entry.reason is not None}
