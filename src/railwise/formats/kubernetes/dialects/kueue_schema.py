"""The parts of Kueue's objects that decide, as typed structures (v1beta1 and v1beta2)."""

from __future__ import annotations

import msgspec

from railwise.formats.kubernetes.schema import Expression, Part, Quantity, TolerationPart


class ResourceQuota(Part, frozen=True):
    """The quota of one resource in one flavor."""

    name: str = ""
    nominal_quota: Quantity = 0
    borrowing_limit: Quantity | None = None
    lending_limit: Quantity | None = None


class FlavorQuotas(Part, frozen=True):
    """The quotas in one flavor."""

    name: str = ""
    resources: tuple[ResourceQuota, ...] = ()


class ResourceGroup(Part, frozen=True):
    """Resources that share their flavors."""

    covered_resources: tuple[str, ...] = ()
    flavors: tuple[FlavorQuotas, ...] = ()


class Preemption(Part, frozen=True):
    """Who may be evicted."""

    within_cluster_queue: str = "Never"
    reclaim_within_cohort: str = "Never"


class FairSharing(Part, frozen=True):
    """The weight among siblings."""

    weight: Quantity = 1


class Selector(Part, frozen=True):
    """A label selector."""

    match_labels: dict[str, str] = msgspec.field(default_factory=dict)
    match_expressions: tuple[Expression, ...] = ()


class ClusterQueueSpec(Part, frozen=True):
    """A ClusterQueue; ``cohort`` is what v1beta1 calls ``cohortName``."""

    resource_groups: tuple[ResourceGroup, ...] = ()
    cohort_name: str = ""
    cohort: str = ""
    namespace_selector: Selector | None = None
    preemption: Preemption = Preemption()
    fair_sharing: FairSharing = FairSharing()
    stop_policy: str = "None"


class CohortSpec(Part, frozen=True):
    """A Cohort; ``parent`` is what v1alpha1 calls ``parentName``."""

    parent_name: str = ""
    parent: str = ""
    resource_groups: tuple[ResourceGroup, ...] = ()
    fair_sharing: FairSharing = FairSharing()


class LocalQueueSpec(Part, frozen=True):
    """A namespace's way into a ClusterQueue."""

    cluster_queue: str = ""
    stop_policy: str = "None"


class FlavorSpec(Part, frozen=True):
    """Nodes of one kind."""

    node_labels: dict[str, str] = msgspec.field(default_factory=dict)
    tolerations: tuple[TolerationPart, ...] = ()
    topology_name: str = ""


class LevelSpec(Part, frozen=True):
    """A level of a topology; KAI's may have an alias."""

    node_label: str = ""
    alias: str = ""


class TopologySpec(Part, frozen=True):
    """A topology, of Kueue or of KAI: the two have the same form."""

    levels: tuple[LevelSpec, ...] = msgspec.field(default=())
