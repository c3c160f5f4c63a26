"""Volumes that pods claim, as far as they decide where pods may run.

A claim that is bound to a volume ties the pod to the nodes that can reach the volume: its node affinity, its zone, the
number of volumes a driver can attach, and whether another pod has it for itself. A claim that is not bound yet would
have to be bound by whoever chooses the node, which Railwise does not do: such a pod waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from railwise.formats.kubernetes.rules import Terms, both, selector_terms
from railwise.formats.kubernetes.schema import Meta, NodeSelector, Part, PodSpec
from railwise.model.errors import Fault
from railwise.model.requirement import Requirement

BOUND = "pv.kubernetes.io/bind-completed"
"""The annotation by which the API says that claim and volume belong together for good."""

ALONE = "ReadWriteOncePod"
ATTACHMENTS = "attachable-volumes/"
"""How the names of resources begin that count the volumes of a driver on a node."""

ZONES = {
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""Labels of volumes that name where they can be reached, and what nodes call the same today."""

IN_TREE = (
    "aws_elastic_block_store",
    "azure_disk",
    "gce_persistent_disk",
    "cinder",
    "vsphere_volume",
    "portworx_volume",
)


class ClaimSpec(Part, frozen=True):
    """What a PersistentVolumeClaim asks for and got."""

    volume_name: str = ""
    access_modes: tuple[str, ...] = ()


class Claim(Part, frozen=True):
    """A PersistentVolumeClaim."""

    metadata: Meta = Meta()
    spec: ClaimSpec = ClaimSpec()


class Driver(Part, frozen=True):
    """The CSI driver of a volume."""

    driver: str = ""


class VolumeAffinity(Part, frozen=True):
    """From which nodes a volume can be reached."""

    required: NodeSelector | None = None


class VolumeSpec(Part, frozen=True):
    """What a PersistentVolume is."""

    node_affinity: VolumeAffinity | None = None
    csi: Driver | None = None
    aws_elastic_block_store: dict[str, object] | None = None
    azure_disk: dict[str, object] | None = None
    gce_persistent_disk: dict[str, object] | None = None
    cinder: dict[str, object] | None = None
    vsphere_volume: dict[str, object] | None = None
    portworx_volume: dict[str, object] | None = None


class Volume(Part, frozen=True):
    """A PersistentVolume."""

    metadata: Meta = Meta()
    spec: VolumeSpec = VolumeSpec()


class DriverLimit(Part, frozen=True):
    """How many volumes a driver can attach; None: no limit."""

    count: int | None = None


class NodeDriver(Part, frozen=True):
    """A driver on a node."""

    name: str = ""
    allocatable: DriverLimit = DriverLimit()


class NodeDrivers(Part, frozen=True):
    """The drivers of a node."""

    drivers: tuple[NodeDriver, ...] = ()


class CSINode(Part, frozen=True):
    """A CSINode: what the drivers of a node can do."""

    metadata: Meta = Meta()
    spec: NodeDrivers = NodeDrivers()

    def limits(self) -> dict[str, int]:
        """Return how many volumes each driver can attach, as amounts of resources."""
        found = [(one.name, one.allocatable.count) for one in self.spec.drivers]
        return {f"{ATTACHMENTS}{name}": count for name, count in found if count is not None}


class VolumeRule(NamedTuple):
    """What a pod's volumes ask: node terms (none: any node), volumes to attach, and why it has to wait (empty: not)."""

    terms: Terms = ()
    attached: Mapping[str, int] = {}
    trouble: str = ""


NO_RULE = VolumeRule()


class Volumes:
    """Claims and volumes by name; ``held`` names the pods (uid) that run with a claim."""

    def __init__(self) -> None:
        """Know none."""
        self.claims: dict[tuple[str, str], Claim] = {}
        self.volumes: dict[str, Volume] = {}
        self.held: dict[tuple[str, str], set[str]] = {}

    def rule(self, spec: PodSpec, namespace: str, where: str, own: frozenset[str] = frozenset()) -> VolumeRule:
        """Return what the volumes of a pod ask; ``own`` are pods (uid) whose claims do not stand in its way."""
        if not spec.volumes:
            return NO_RULE
        terms: Terms = ()
        attached: dict[str, set[str]] = {}
        trouble = ""
        for path, name, refused in claimed(spec, where):
            trouble = trouble or refused
            if refused:
                continue
            claim = self.claims.get((namespace, name))
            volume = self.volumes.get(claim.spec.volume_name) if claim is not None else None
            trouble = trouble or self._trouble(path, name, claim, volume)
            if claim is None or volume is None:
                continue
            if ALONE in claim.spec.access_modes and self.held.get((namespace, name), set()) - own:
                trouble = trouble or f"{path}: another pod has the {ALONE} claim '{name}' in use"
            faults: list[Fault] = []
            for more in _reached(volume, faults):
                merged = both(terms, more)
                trouble = trouble or ("" if merged is not None else f"{path}: too many node terms")
                terms = terms if merged is None else merged
            trouble = trouble or next((fault.text() for fault in faults), "")
            if volume.spec.csi is not None:
                attached.setdefault(ATTACHMENTS + volume.spec.csi.driver, set()).add(volume.metadata.name)
        return VolumeRule(terms, {driver: len(names) for driver, names in attached.items()}, trouble)

    @staticmethod
    def _trouble(path: str, name: str, claim: Claim | None, volume: Volume | None) -> str:
        if claim is None:
            return f"{path}: there is no PersistentVolumeClaim '{name}'"
        if claim.metadata.deletion_timestamp is not None:
            return f"{path}: the PersistentVolumeClaim '{name}' is being deleted"
        if not claim.spec.volume_name or BOUND not in claim.metadata.annotations:
            return f"{path}: the PersistentVolumeClaim '{name}' is not bound, and Railwise does not bind claims"
        if volume is None:
            return f"{path}: there is no PersistentVolume '{claim.spec.volume_name}'"
        old = next((kind for kind in IN_TREE if getattr(volume.spec, kind) is not None), "")
        return f"{path}: PersistentVolumes of the in-tree kind {old} are not supported" if old else ""


def claimed(spec: PodSpec, where: str) -> Iterator[tuple[str, str, str]]:
    """Yield (path, claim, why it cannot be honoured) of every volume of a pod that decides where the pod may run."""
    for index, volume in enumerate(spec.volumes):
        path = f"{where}.volumes[{index}]"
        if volume.persistent_volume_claim is not None:
            yield f"{path}.persistentVolumeClaim", volume.persistent_volume_claim.claim_name, ""
        elif volume.ephemeral is not None:
            yield path, "", f"{path}.ephemeral: volumes that are bound for the pod are not supported"
        elif volume.csi is not None:
            continue
        else:
            kinds = (
                ("gcePersistentDisk", volume.gce_persistent_disk),
                ("awsElasticBlockStore", volume.aws_elastic_block_store),
                ("iscsi", volume.iscsi),
                ("rbd", volume.rbd),
            )
            for kind, value in kinds:
                if value is not None:
                    yield path, "", f"{path}.{kind}: volumes that exclude other pods are not supported"


def claims_of(spec: PodSpec) -> list[str]:
    """Return the names of the claims a pod uses."""
    sources = [volume.persistent_volume_claim for volume in spec.volumes]
    return [source.claim_name for source in sources if source is not None]


def _reached(volume: Volume, faults: list[Fault]) -> Iterator[Terms]:
    """Yield the alternatives of node terms, one of each must hold, from where a volume can be reached."""
    path = f"PersistentVolume {volume.metadata.name}"
    affinity = volume.spec.node_affinity
    if affinity is not None and affinity.required is not None:
        yield selector_terms(affinity.required, f"{path}.spec.nodeAffinity.required", faults)
    for label, today in ZONES.items():
        if label in volume.metadata.labels:
            zones = tuple(volume.metadata.labels[label].split("__"))
            yield tuple((Requirement(key, "In", zones),) for key in dict.fromkeys((label, today)))
