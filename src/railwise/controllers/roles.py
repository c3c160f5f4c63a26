"""What a pod is to this scheduler: ours to place, a fact about its node, or none of our business.

Strict where a plan for a folder of manifests may be generous: on a live cluster a pod belongs to exactly one scheduler,
the one it names. Two schedulers that both feel responsible give the same room away twice.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from railwise.formats.kubernetes.cards import CARD_RESOURCES, NVIDIA_SHARED
from railwise.formats.kubernetes.gangs import key_of, namespace
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.ownership import agent_node
from railwise.formats.kubernetes.pod_rules import between_pods
from railwise.formats.kubernetes.requests import demanded, ports
from railwise.formats.kubernetes.schema import Pod
from railwise.model.errors import Fault

ENDED = ("Succeeded", "Failed")
OCCUPANT = "occupant"
"""The kind under which pods that are not ours to move are kept."""


class Part(Enum):
    """The part a pod plays."""

    OURS = "ours"
    OCCUPANT = "occupant"
    AGENT = "agent"
    NONE = "none"


class Role(NamedTuple):
    """The part a pod plays, and in what: its gang (or itself, as an occupant), or the node it belongs to."""

    part: Part
    key: ObjectName | None = None
    node: str = ""


NO_ROLE = Role(Part.NONE)


def role_of(pod: Pod, scheduler: str, *, seen: bool = False) -> Role:
    """Return the role of a pod for the scheduler of that name.

    Ours are pods that name it, are not held by a gate, and are not going away. A pod on its way out keeps its room
    until it is gone, and so does every pod of another scheduler that runs. Agents (DaemonSet and static pods) belong to
    their node, unless they hold cards, or a rule between pods speaks of them (``seen``) or is theirs.
    """
    meta, spec = pod.metadata, pod.spec
    if pod.status.phase in ENDED:
        return NO_ROLE
    waits = spec.scheduler_name == scheduler and not spec.node_name and meta.deletion_timestamp is None
    node = None if waits else agent_node(pod)
    if node is not None and not seen and not _holds_cards(pod) and not between_pods(spec):
        return Role(Part.AGENT, None, node) if node else NO_ROLE
    going = meta.deletion_timestamp is not None
    if spec.scheduler_name == scheduler and not going and not spec.scheduling_gates:
        return Role(Part.OURS, key_of(meta, spec))
    if spec.node_name:
        return Role(Part.OCCUPANT, ObjectName(namespace(meta), OCCUPANT, meta.name))
    return NO_ROLE


def _holds_cards(pod: Pod) -> bool:
    demand = demand_of(pod)
    return any(demand.get(resource) for resource in (*CARD_RESOURCES, NVIDIA_SHARED))


def demand_of(pod: Pod) -> dict[str, int]:
    """Return what a pod asks for in fine units; quantities that cannot be read are left out."""
    unread: list[Fault] = []
    return demanded(pod.spec, "", unread) | ports(pod.spec)
