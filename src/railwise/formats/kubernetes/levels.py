"""Which node labels name the domains of a cluster: found from the labels in common use, or named by the user.

Every provider and every discovery tool writes keys of its own, so a scheduler that reads only its own keys is blind on
the cluster people have. The families below are those met in the field, each from widest to narrowest. Rules, so that
the answer can be predicted:

- The topology ``fabric`` takes the family that labels most nodes; the first in the table wins a tie. Levels that no
  node has are left out. Region and zone come before it wherever nodes have them, since a fabric lies inside a zone.
- The topology ``nvlink`` takes, in the same way, the family that names NVLink domains.
- ``fabric.railwise.dev/LEVEL`` and ``nvlink.railwise.dev/LEVEL`` may name any levels: the fewer the domains, the wider
  the level; equal numbers go by name, core, spine and leaf groups in this order.
- A node without the label names no domain at that level: it is out only for rules about that level.
- A level given by name (``zone=topology.kubernetes.io/zone,rack=example.com/rack``, or bare labels, whose last part
  becomes the name) replaces what would be found for ``fabric``.
- ``kubernetes.io/hostname`` is the node itself, and so is a host label that no two nodes share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from railwise.model.errors import Fault, InputError
from railwise.model.topology import NO_LEVEL, NODE_LEVEL, Level, Topology

FABRIC = "fabric"
NVLINK = "nvlink"

HOSTNAME_LABEL = "kubernetes.io/hostname"
GCE_HOST_LABEL = "cloud.google.com/gce-topology-host"
NO_CLUSTER_UUID = "00000000-0000-0000-0000-000000000000."
"""How the GPU labeller begins a clique that spans no NVLink fabric: equal on every node, and no domain."""

Labels = Mapping[str, str]


class Family(NamedTuple):
    """Labels that belong together: pairs (level, label), widest first, or the prefix of numbered or free ones."""

    levels: tuple[tuple[str, str], ...] = ()
    prefix: str = ""


def _named(prefix: str, *levels: str) -> Family:
    return Family(tuple((level, prefix + level) for level in levels))


WIDE = (
    (("region", "topology.kubernetes.io/region"), ("region", "failure-domain.beta.kubernetes.io/region")),
    (("zone", "topology.kubernetes.io/zone"), ("zone", "failure-domain.beta.kubernetes.io/zone")),
)
"""Region and zone, each under its present and its former key."""

FABRIC_FAMILIES = (
    Family(prefix="fabric.railwise.dev/"),
    Family(prefix="fabric.topograph.run/tier-"),
    _named("network.topology.nvidia.com/", "core", "spine", "leaf"),
    _named("unifabric.io/scale-out-", "core", "spine", "leaf"),
    Family(tuple((f"layer-{layer}", f"topology.k8s.aws/network-node-layer-{layer}") for layer in (1, 2, 3))),
    _named("cloud.google.com/gce-topology-", "block", "subblock", "host"),
    Family((("block", "oci.oraclecloud.com/host.network_block_id"), ("rack", "oci.oraclecloud.com/host.rack_id"))),
    Family((("unit", "crusoe.ai/pod.id"),)),
    _named("volcano.sh/", "hypercluster", "hypernode", "tor"),
    _named("cloud.provider.com/topology-", "block", "rack"),
    _named("topology.kubernetes.io/", "block", "rack"),
)

NVLINK_FAMILIES = (
    Family(prefix="nvlink.railwise.dev/"),
    Family((("clique", "nvidia.com/gpu.clique"),)),
    Family((("domain", "accelerator.topograph.run/domain"), ("sub-domain", "accelerator.topograph.run/sub-domain"))),
    Family((("domain", "network.topology.nvidia.com/accelerator"),)),
    Family((("domain", "unifabric.io/scale-up"),)),
    Family((("domain", "topology.k8s.aws/ultraserver-id"),)),
)

_OWN = {"core-group": 0, "spine-group": 1, "leaf-group": 2, "rack": 3}
"""The levels that a map of the wiring has, widest first."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_LABEL = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_TIER = re.compile(r"0|[1-9][0-9]{0,2}")
_PATH = "levels"
_FORM = "write them from widest to narrowest, as in zone=topology.kubernetes.io/zone,rack=example.com/rack"


def _domain(labels: Labels, label: str) -> str:
    """Return the domain a node names under a label; empty: none."""
    value = labels.get(label, "")
    return "" if value.startswith(NO_CLUSTER_UUID) else value


def _suffixes(prefix: str, nodes: Sequence[Labels]) -> set[str]:
    return {label[len(prefix) :] for labels in nodes for label in labels if label.startswith(prefix) and labels[label]}


def _expanded(family: Family, nodes: Sequence[Labels]) -> tuple[tuple[str, str], ...]:
    """Return the family's levels that at least one node has, widest first."""
    if not family.prefix:
        return tuple(pair for pair in family.levels if any(_domain(labels, pair[1]) for labels in nodes))
    found = _suffixes(family.prefix, nodes)
    if family.prefix.endswith("-"):
        tiers = sorted((tier for tier in found if _TIER.fullmatch(tier)), key=int, reverse=True)
        return tuple((f"tier-{tier}", family.prefix + tier) for tier in tiers)
    names = [name for name in found if _NAME.fullmatch(name) and name not in (NODE_LEVEL, NO_LEVEL)]
    width = {name: len({_domain(labels, family.prefix + name) for labels in nodes} - {""}) for name in names}
    names = sorted((name for name in names if width[name]), key=lambda name: (width[name], _OWN.get(name, -1), name))
    return tuple((name, family.prefix + name) for name in names)


def _is_the_node(label: str, nodes: Sequence[Labels]) -> bool:
    values = [labels[label] for labels in nodes if labels.get(label)]
    return label == GCE_HOST_LABEL and len(set(values)) == len(values)


def _best(families: Sequence[Family], nodes: Sequence[Labels]) -> tuple[tuple[str, str], ...]:
    """Return the levels of the family that labels most nodes; the earlier one of equals, empty if none does."""
    best: tuple[tuple[str, str], ...] = ()
    most = 0
    for family in families:
        levels = _expanded(family, nodes)
        count = sum(any(_domain(labels, label) for _, label in levels) for labels in nodes) if levels else 0
        if count > most:
            best, most = levels, count
    return tuple(pair for pair in best if not _is_the_node(pair[1], nodes))


def _wide(nodes: Sequence[Labels]) -> list[tuple[str, str]]:
    levels: list[tuple[str, str]] = []
    for keys in WIDE:
        level = _best([Family((key,)) for key in keys], nodes)
        levels.extend(level)
    return levels


def parse_levels(text: str) -> tuple[Level, ...]:
    """Return the levels that ``name=label,…`` or ``label,…`` names, widest first; the node's own label is left out.

    Raises InputError with every fault: a malformed name or label, a name used twice, a reserved name.
    """
    faults: list[Fault] = []
    levels: list[Level] = []
    for index, item in enumerate(part.strip() for part in text.split(",")):
        path = f"{_PATH}[{index}]"
        name, equals, label = item.partition("=")
        if not equals:
            name, label = item.rpartition("/")[2].lower(), item
        if label == HOSTNAME_LABEL:
            continue
        if not _LABEL.fullmatch(label):
            faults.append(Fault(path, f"'{label}' is no label key", _FORM))
        elif not _NAME.fullmatch(name) or name in (NODE_LEVEL, NO_LEVEL):
            faults.append(Fault(path, f"'{name}' is no name for a level", _FORM))
        elif name in [level.name for level in levels]:
            faults.append(Fault(path, f"a second level named '{name}'", "give it another name: name=label"))
        else:
            levels.append(Level(name, label))
    if faults:
        raise InputError(faults)
    return tuple(levels)


def named_levels(labels: Sequence[tuple[str, str]]) -> tuple[Level, ...]:
    """Return levels for pairs (label, name), widest first; without a name it is the last part of the label.

    The node's own label is left out. A name that is taken, or is none, gives way to the whole label.
    """
    levels: list[Level] = []
    for label, alias in labels:
        if label == HOSTNAME_LABEL:
            continue
        name = alias or label.rpartition("/")[2].lower()
        if not _NAME.fullmatch(name) or name in (NODE_LEVEL, NO_LEVEL, *(level.name for level in levels)):
            name = label.replace("/", ".")
        levels.append(Level(name, label))
    return tuple(levels)


def is_label(text: str) -> bool:
    """Return whether a text has the form of a label's key."""
    return _LABEL.fullmatch(text) is not None


def find_topologies(nodes: Sequence[Labels], levels: str = "") -> tuple[Topology, ...]:
    """Return the topologies that the labels of the nodes describe: ``fabric`` and ``nvlink``, as far as there are any.

    ``levels`` names the levels of ``fabric`` instead of looking for them. Raises InputError if it cannot be read.
    """
    topologies = []
    if levels.strip():
        fabric = parse_levels(levels)
    else:
        narrow = _best(FABRIC_FAMILIES, nodes)
        taken = {name for name, _ in narrow}
        wide = [pair for pair in _wide(nodes) if pair[0] not in taken]
        fabric = tuple(Level(name, label) for name, label in (*wide, *narrow))
    if fabric:
        topologies.append(Topology(FABRIC, fabric))
    nvlink = _best(NVLINK_FAMILIES, nodes)
    if nvlink:
        topologies.append(Topology(NVLINK, tuple(Level(name, label) for name, label in nvlink)))
    return tuple(topologies)


def places(topologies: Sequence[Topology], labels: Labels) -> dict[str, dict[str, str]]:
    """Return the domains that a node's labels name, per topology and level; a topology without any is left out."""
    found = {}
    for topology in topologies:
        named = {level.name: _domain(labels, level.label) for level in topology.levels}
        named = {level: domain for level, domain in named.items() if domain}
        if named:
            found[topology.name] = named
    return found


def unused_levels(topologies: Sequence[Topology], nodes: Sequence[Labels]) -> list[str]:
    """Return a warning for each level whose label no node has: most likely its key is misspelt."""
    return [
        f"no node has the label {level.label}: level '{level.name}' of topology '{topology.name}' is empty"
        for topology in topologies
        for level in topology.levels
        if level.label and nodes and not any(labels.get(level.label) for labels in nodes)
    ]
