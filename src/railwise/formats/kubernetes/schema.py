"""The parts of Kubernetes objects that decide where a pod may go, as typed structures.

A manifest is untyped text and a snapshot of a live cluster holds thousands of objects, so both are converted in one
place, strictly: a field that decides has the type the API gives it, every other field is ignored, as ``kubectl`` would.
What does not fit is a fault with its path; one object yields at most one such fault, because nothing below it is known.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from railwise.model.errors import Fault

Quantity = str | int | float
"""A quantity as written: text, or the bare number that YAML makes of ``cpu: 2``."""

T = TypeVar("T")

_WHERE = re.compile(r" - at `\$(?P<path>[^`]*)`$")


class Part(msgspec.Struct, rename="camel", kw_only=True, frozen=True, omit_defaults=True):
    """The common form of all parts: camel case outside, unknown fields ignored."""


class Owner(Part, frozen=True):
    """A reference to the object that made this one."""

    kind: str = ""
    name: str = ""
    controller: bool = False


class Meta(Part, frozen=True):
    """``metadata``: time stamps stay as they stand, because YAML readers disagree about their type."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[Owner, ...] = ()
    creation_timestamp: object = None
    deletion_timestamp: object = None

    def controller(self) -> Owner | None:
        """Return the controlling owner, if there is one."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class TolerationPart(Part, frozen=True):
    """A toleration."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


class Expression(Part, frozen=True):
    """One expression of a node selector term."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class Term(Part, frozen=True):
    """One term of a node selector: all of its expressions."""

    match_expressions: tuple[Expression, ...] = ()
    match_fields: tuple[Expression, ...] = ()


class NodeSelector(Part, frozen=True):
    """A node selector: one of its terms."""

    node_selector_terms: tuple[Term, ...] = ()


class NodeAffinity(Part, frozen=True):
    """Node affinity; preferences do not decide and are not read."""

    required: NodeSelector | None = msgspec.field(name="requiredDuringSchedulingIgnoredDuringExecution", default=None)


class LabelSelector(Part, frozen=True):
    """Labels of pods or namespaces: everything must hold."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[Expression, ...] = ()


class PodAffinityTerm(Part, frozen=True):
    """Pods beside which a pod must, or must not, run: in one domain of ``topology_key``."""

    topology_key: str = ""
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class PodAffinity(Part, frozen=True):
    """Affinity or anti-affinity between pods; preferences do not decide and are not read."""

    required: tuple[PodAffinityTerm, ...] = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=()
    )


class Affinity(Part, frozen=True):
    """The three kinds of affinity."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class Resources(Part, frozen=True):
    """What a container asks for."""

    requests: dict[str, Quantity] = {}
    limits: dict[str, Quantity] = {}


class ContainerPort(Part, frozen=True):
    """A port of a container; ``host_port`` 0: none of the node."""

    host_port: int = 0
    protocol: str = "TCP"
    host_ip: str = msgspec.field(name="hostIP", default="")


class Container(Part, frozen=True):
    """A container; ``restart_policy: Always`` makes an init container a sidecar."""

    name: str = ""
    restart_policy: str = ""
    ports: tuple[ContainerPort, ...] = ()
    resources: Resources = Resources()


class Named(Part, frozen=True):
    """Anything of which only the name is of interest (gates, claims, spread keys, pod groups)."""

    name: str = ""


class SpreadConstraint(Part, frozen=True):
    """A topology spread constraint."""

    topology_key: str = ""
    when_unsatisfiable: str = "DoNotSchedule"
    max_skew: int = 1
    min_domains: int = 1
    label_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"


class ClaimSource(Part, frozen=True):
    """A PersistentVolumeClaim by name."""

    claim_name: str = ""


class PodVolume(Part, frozen=True):
    """A volume of a pod, as far as it decides where the pod may run; its own name does not."""

    persistent_volume_claim: ClaimSource | None = None
    ephemeral: dict[str, object] | None = None
    gce_persistent_disk: dict[str, object] | None = None
    aws_elastic_block_store: dict[str, object] | None = None
    iscsi: dict[str, object] | None = None
    rbd: dict[str, object] | None = None
    csi: dict[str, object] | None = None


class SchedulingGroup(Part, frozen=True):
    """Membership in an upstream PodGroup."""

    pod_group_name: str = ""


class PodSpec(Part, frozen=True):
    """What a pod asks for and where it stands."""

    node_name: str = ""
    scheduler_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity = Affinity()
    tolerations: tuple[TolerationPart, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    resources: Resources | None = None
    overhead: dict[str, Quantity] = {}
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str = ""
    volumes: tuple[PodVolume, ...] = ()
    scheduling_gates: tuple[Named, ...] = ()
    topology_spread_constraints: tuple[SpreadConstraint, ...] = ()
    resource_claims: tuple[Named, ...] = ()
    scheduling_group: SchedulingGroup | None = None


class Template(Part, frozen=True):
    """A pod template."""

    metadata: Meta = Meta()
    spec: PodSpec = PodSpec()


class Condition(Part, frozen=True):
    """A status condition."""

    type: str = ""
    status: str = ""


class PodStatus(Part, frozen=True):
    """The state of a pod."""

    phase: str = ""
    start_time: object = None


class Pod(Part, frozen=True):
    """A pod."""

    metadata: Meta = Meta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class TaintPart(Part, frozen=True):
    """A taint."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(Part, frozen=True):
    """The wishes of the cluster's owner about a node."""

    unschedulable: bool = False
    taints: tuple[TaintPart, ...] = ()


class NodeStatus(Part, frozen=True):
    """What a node has and how it is."""

    allocatable: dict[str, Quantity] = {}
    capacity: dict[str, Quantity] = {}
    conditions: tuple[Condition, ...] = ()


class NodeObject(Part, frozen=True):
    """A node."""

    metadata: Meta = Meta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


def without_nulls(value: object) -> object:
    """Return the value without members that are null: the API reads ``field: null`` as if the field were absent."""
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_nulls(member) for member in value]
    return value


def converted(kind: type[T], value: object, where: str, faults: list[Fault]) -> T | None:
    """Return the object as the given structure; None, and a fault under ``where``, if a field has another type."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        plain = without_nulls(value)  # rare, and a copy of the whole object: only where the object as it is will not do
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        match = _WHERE.search(text)
        path, message = (match["path"], text[: match.start()]) if match else ("", text)
        faults.append(Fault(where + path, message, "kubectl explain shows the fields and types of a kind"))
        return None
