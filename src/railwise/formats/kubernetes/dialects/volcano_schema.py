"""The parts of Volcano's objects that decide, as typed structures."""

from __future__ import annotations

import msgspec

from railwise.formats.kubernetes.kinds import Number
from railwise.formats.kubernetes.schema import Part, Quantity, Template


class Guarantee(Part, frozen=True):
    """What a queue does not lend."""

    resource: dict[str, Quantity] = msgspec.field(default_factory=dict)


class GroupAffinity(Part, frozen=True):
    """Node groups that a queue has to use, or must not."""

    required: tuple[str, ...] = msgspec.field(name="requiredDuringSchedulingIgnoredDuringExecution", default=())


class QueueAffinity(Part, frozen=True):
    """Where a queue's work may go."""

    node_group_affinity: GroupAffinity = GroupAffinity()
    node_group_anti_affinity: GroupAffinity = GroupAffinity()


class QueueSpec(Part, frozen=True):
    """A queue."""

    parent: str = ""
    weight: Quantity = 1
    priority: int = 0
    reclaimable: bool = True
    capability: dict[str, Quantity] = msgspec.field(default_factory=dict)
    deserved: dict[str, Quantity] = msgspec.field(default_factory=dict)
    guarantee: Guarantee = Guarantee()
    affinity: QueueAffinity = QueueAffinity()


class Network(Part, frozen=True):
    """How close pods have to lie: a tier by number or by name."""

    mode: str = "hard"
    highest_tier_allowed: int | None = None
    highest_tier_name: str = ""


class SubGroupPolicy(Part, frozen=True):
    """Equal parts of a gang."""

    match_label_keys: tuple[str, ...] = ()
    sub_group_size: Number = 1
    min_sub_groups: Number = 0
    network_topology: Network | None = None


class PodGroupSpec(Part, frozen=True):
    """A PodGroup."""

    min_member: Number = 0
    min_task_member: dict[str, Number] = msgspec.field(default_factory=dict)
    queue: str = "default"
    priority_class_name: str = ""
    network_topology: Network | None = None
    sub_group_policy: tuple[SubGroupPolicy, ...] = ()


class PartitionPolicy(Part, frozen=True):
    """Equal parts of a task."""

    partition_size: Number = 0
    min_partitions: Number = 0
    network_topology: Network | None = None


class Task(Part, frozen=True):
    """Equal pods of a Job."""

    name: str = ""
    replicas: Number = 1
    min_available: Number | None = None
    template: Template = Template()
    partition_policy: PartitionPolicy | None = None


class JobSpec(Part, frozen=True):
    """A Job of Volcano."""

    scheduler_name: str = ""
    min_available: Number | None = None
    queue: str = "default"
    priority_class_name: str = ""
    running_estimate: str = ""
    network_topology: Network | None = None
    tasks: tuple[Task, ...] = ()
