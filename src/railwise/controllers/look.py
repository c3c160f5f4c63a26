"""One look at a live cluster, by lists alone: what a scheduler that starts now would be told, as a document.

Questions to a cluster (why does this wait, what would go where) need no process that follows it, and no right but to
read. So the same cache that a scheduler keeps is filled once; what comes out is a scenario like any other, that can be
decided on, drawn, or written to a file. Times are µs before the look. Names of workloads are as short as they can be
without being ambiguous, as in every other input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from railwise.controllers.cache import LIVE_POLICY, ClusterCache
from railwise.controllers.clocks import LiveClock
from railwise.controllers.feeds import Feeds
from railwise.controllers.gang_book import SETTLE, Lacking, LiveGang
from railwise.controllers.gate_cache import GateCache
from railwise.controllers.roles import OCCUPANT
from railwise.formats.kubernetes.gangs import namespace
from railwise.formats.kubernetes.levels import unused_levels
from railwise.formats.kubernetes.names import ObjectName, short_names
from railwise.formats.kubernetes.objects import NOTHING_KNOWN, Known
from railwise.formats.kubernetes.ownership import agent_node
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.client import Client
from railwise.kubeapi.objects import Unreadable
from railwise.kubeapi.resources import Resource
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario

PodKey = tuple[str, str]
"""Namespace and name of a pod."""


@dataclass(frozen=True)
class Look:
    """A cluster as it was at one moment.

    ``pods`` says of which workload a pod is, ``waiting`` which workloads are not in the scenario since pods of them are
    missing, ``others`` why a pod is of none. ``known`` is by what further objects are read.
    ``remarks`` are about what could not be read.
    """

    scenario: Scenario
    pods: Mapping[PodKey, str] = field(default_factory=dict)
    waiting: Mapping[str, Lacking] = field(default_factory=dict)
    others: Mapping[PodKey, str] = field(default_factory=dict)
    known: Known = NOTHING_KNOWN
    remarks: tuple[str, ...] = ()


class _Patience:
    """Seconds that pass when they are told to: nothing more is waited for once everything was listed."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class _Past(LiveClock):
    """A clock by which nothing happens after the look, however the clocks of machines differ."""

    def since(self, stamp: object) -> int:
        """Return µs from the look to a time stamp, never positive."""
        return min(super().since(stamp), 0)


async def look_at(client: Client, scheduler: str, levels: str = "", policy: Policy = LIVE_POLICY) -> Look:
    """Read a cluster for the scheduler of that name, and for the gate; ``levels`` names labels (``find_topologies``).

    Raises:
        ApiError: nodes or pods may not be read, or the server cannot be reached.
        InputError: ``levels`` cannot be read.
    """
    remarks: list[str] = []

    def spoiled(resource: Resource, what: Unreadable) -> None:
        remarks.append(f"{resource.kind} {what.namespace}/{what.name} cannot be read: {what.message}")

    def closed(resource: Resource) -> None:
        remarks.append(f"{resource.label()} may not be listed: what they say is not known here")

    patience = _Patience()
    cache = GateCache(levels, steady=patience, policy=policy, scheduler=scheduler)
    await Feeds(client, cache, spoiled).once(closed)
    patience.seconds += 2 * SETTLE
    cache.clock = _Past()
    return look_of(cache, remarks)


def look_of(cache: ClusterCache, remarks: Sequence[str] = ()) -> Look:
    """Return what a cache that was just filled says, as a look."""
    found = cache.begin()
    gangs = cache.pods.gangs.values()
    names = short_names([_key(gang) for gang in gangs])
    short = {gang.name: names[_key(gang)] for gang in gangs}
    pods = {
        (namespace(one.metadata), one.metadata.name): short[gang.name]
        for gang in gangs
        for one in gang.members.values()
    }
    others = {}
    for one in cache.pods.pods.values():
        key = namespace(one.metadata), one.metadata.name
        if key not in pods:
            others[key] = _not_ours(one, cache.pods.scheduler)
    ordered = sorted(found.workloads, key=lambda one: one.order)
    workloads = tuple(replace(one, name=short[one.name], order=place) for place, one in enumerate(ordered))
    empty = unused_levels(found.topologies, [node.labels for node in found.nodes])
    return Look(
        replace(found, workloads=workloads, warnings=()),
        pods,
        {short[name]: lack for name, lack in cache.lacking.items()},
        others,
        Known((), cache.nodes.offers, cache.queues.catalog, cache.nodes.trees, cache.queues.classes),
        (
            *remarks,
            *found.warnings,
            *(text for _, text in cache.ignored),
            *(one.told() for one in (*cache.queues.catalog.findings, *cache.makers.told()[1])),
            *empty,
        ),
    )


def _key(gang: LiveGang) -> ObjectName:
    """Return the object that a workload is named after."""
    return gang.key if gang.key.kind != OCCUPANT else ObjectName(gang.key.namespace, "pod", gang.key.name)


def _not_ours(pod: Pod, scheduler: str) -> str:
    """Return why a pod is no part of a workload, to follow its name."""
    if agent_node(pod) is not None:
        return "belongs to its node, as every pod of a DaemonSet does"
    if pod.metadata.deletion_timestamp is not None:
        return "is going away"
    if pod.spec.scheduler_name != scheduler:
        return f"is left to the scheduler '{pod.spec.scheduler_name}'"
    return "is held back by a scheduling gate"
