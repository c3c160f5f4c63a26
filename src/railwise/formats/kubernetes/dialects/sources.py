"""The kinds of other systems that are read, and our own: what each object is before anybody looks into it.

All of them are custom resources: a cluster may serve none of them, and what they hold is known to their readers alone.
So an object is kept as it stands, with who it is; a reader that cannot make sense of it loses that object and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.kubernetes.schema import Meta, Part
from railwise.model.queue import Queue
from railwise.model.topology import Topology

OWN, KUEUE, KAI, VOLCANO, UPSTREAM = "railwise", "kueue", "kai", "volcano", "upstream"
OPERATORS = "operators"
"""The dialects."""


class Kind(NamedTuple):
    """A kind as the API names it; ``versions`` that can be read, the newest first."""

    dialect: str
    kind: str
    group: str
    versions: tuple[str, ...]
    plural: str
    namespaced: bool = False

    def reads(self, api_version: str) -> bool:
        """Return whether an object that says so of itself is of this kind; empty: nothing said."""
        group, _, version = api_version.rpartition("/")
        return not api_version or (group == self.group and version in self.versions)


KUEUE_GROUP = "kueue.x-k8s.io"
_BETA = ("v1beta2", "v1beta1")

UPSTREAM_POD_GROUP = Kind(
    UPSTREAM, "PodGroup", "scheduling.k8s.io", ("v1beta1", "v1alpha2"), "podgroups", namespaced=True
)
OWN_QUEUE = Kind(OWN, "Queue", "railwise.dev", ("v1alpha1",), "queues")
OWN_TOPOLOGY = Kind(OWN, "Topology", "railwise.dev", ("v1alpha1",), "topologies")
KUEUE_TOPOLOGY = Kind(KUEUE, "Topology", KUEUE_GROUP, (*_BETA, "v1alpha1"), "topologies")
RESOURCE_FLAVOR = Kind(KUEUE, "ResourceFlavor", KUEUE_GROUP, _BETA, "resourceflavors")
CLUSTER_QUEUE = Kind(KUEUE, "ClusterQueue", KUEUE_GROUP, _BETA, "clusterqueues")
LOCAL_QUEUE = Kind(KUEUE, "LocalQueue", KUEUE_GROUP, _BETA, "localqueues", namespaced=True)
COHORT = Kind(KUEUE, "Cohort", KUEUE_GROUP, (*_BETA, "v1alpha1"), "cohorts")
WORKLOAD_CLASS = Kind(KUEUE, "WorkloadPriorityClass", KUEUE_GROUP, _BETA, "workloadpriorityclasses")
KAI_TOPOLOGY = Kind(KAI, "Topology", "kai.scheduler", ("v1alpha1",), "topologies")
KAI_QUEUE = Kind(KAI, "Queue", "scheduling.run.ai", ("v2",), "queues")
KAI_POD_GROUP = Kind(KAI, "PodGroup", "scheduling.run.ai", ("v2alpha2",), "podgroups", namespaced=True)
VOLCANO_QUEUE = Kind(VOLCANO, "Queue", "scheduling.volcano.sh", ("v1beta1",), "queues")
VOLCANO_POD_GROUP = Kind(VOLCANO, "PodGroup", "scheduling.volcano.sh", ("v1beta1",), "podgroups", namespaced=True)
VOLCANO_JOB = Kind(VOLCANO, "Job", "batch.volcano.sh", ("v1alpha1",), "jobs", namespaced=True)
HYPER_NODE = Kind(VOLCANO, "HyperNode", "topology.volcano.sh", ("v1alpha1",), "hypernodes")

_KUBEFLOW = "kubeflow.org"
_TRAINING = ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob")
TRAINING_JOBS = tuple(
    Kind(OPERATORS, kind, _KUBEFLOW, ("v1",), f"{kind.lower()}s", namespaced=True) for kind in _TRAINING
)
MPI_JOB = Kind(OPERATORS, "MPIJob", _KUBEFLOW, ("v2beta1", "v1"), "mpijobs", namespaced=True)
RAY_CLUSTER = Kind(OPERATORS, "RayCluster", "ray.io", ("v1", "v1alpha1"), "rayclusters", namespaced=True)

CATALOGUED = (
    *(OWN_QUEUE, OWN_TOPOLOGY),
    *(KUEUE_TOPOLOGY, RESOURCE_FLAVOR, CLUSTER_QUEUE, LOCAL_QUEUE, COHORT, WORKLOAD_CLASS),
    *(KAI_TOPOLOGY, KAI_QUEUE),
    *(VOLCANO_QUEUE, HYPER_NODE),
)
"""Kinds that say how the cluster is shared and built."""

OPERATOR_KINDS = (*TRAINING_JOBS, MPI_JOB, RAY_CLUSTER)
"""Kinds of operators that make the pods of one gang."""

GANG_KINDS = (KAI_POD_GROUP, VOLCANO_POD_GROUP, VOLCANO_JOB, *OPERATOR_KINDS)
"""Kinds that say what belongs together."""


def kind_of(kind: str, api_version: str) -> Kind | None:
    """Return the kind that an object of a dialect is of; None: it is of none of them."""
    group = api_version.rpartition("/")[0]
    return next((one for one in (*CATALOGUED, *GANG_KINDS) if (one.kind, one.group) == (kind, group)), None)


class Foreign(Part, frozen=True):
    """An object of a dialect as it stands; a WorkloadPriorityClass has its ``value`` beside ``spec``."""

    metadata: Meta = Meta()
    spec: object = None
    status: object = None
    value: object = None


class Source(NamedTuple):
    """An object of a dialect: its kind, where it was found (a document's path), and itself."""

    kind: Kind
    where: str
    object: Foreign

    def name(self) -> str:
        """Return its name."""
        return self.object.metadata.name


ERROR, REFUSED, IGNORED = "error", "refused", "ignored"
"""Grades: the object cannot be read; a rule of it cannot be honoured, so what depends on it waits; not looked at."""


class Finding(NamedTuple):
    """What is to be said about an object: how bad it is, where, and in words."""

    source: Source
    grade: str
    path: str
    text: str
    hint: str = ""

    def told(self) -> str:
        """Return it as one line."""
        return f"{self.source.where}{self.path}: {self.text}"


class Draft(NamedTuple):
    """A queue as its system knows it, (dialect, kind, name); its own ``name`` and ``parent`` come later."""

    key: ObjectName
    source: Source
    queue: Queue
    parent: ObjectName | None = None


class TopologyDraft(NamedTuple):
    """A topology that objects declare; ``first``: it wants to be the default.

    Where no labels name the domains, ``places`` returns those of a node by level, from its name and labels.
    """

    source: Source
    topology: Topology
    first: bool = False
    places: Callable[[str, Mapping[str, str]], dict[str, str]] | None = None
