"""Where nodes are, from labels that clouds and NVIDIA's feature discovery put on them.

A cloud names, for each node, the parts of its network that the node is below, but no cable. So each name is taken for
a switch: a node hangs on the lowest, that on the next. What comes out is the tree that the cloud tells, among whatever
other sources tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from railwise.fabric.elements import Role
from railwise.fabric.observations import SERVER, SWITCH, Observation, Report, ScaleUp, Speaker, clean

PORT: Final = "fabric"
"""The port by which a node hangs on the lowest part that its cloud names."""


class Convention(NamedTuple):
    """The labels of one vendor: parts of the network, the nearest first, and the domain of the cards."""

    levels: tuple[str, ...] = ()
    domain: str = ""
    cards: str = ""


CONVENTIONS: Final[Mapping[str, Convention]] = {
    "gfd": Convention(domain="nvidia.com/gpu.clique", cards="nvidia.com/gpu.count"),
    "aws": Convention(
        tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (3, 2, 1)), "topology.k8s.aws/ultraserver-id"
    ),
    "gke": Convention(("cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-block")),
    "oci": Convention(("oci.oraclecloud.com/host.rack_id", "oci.oraclecloud.com/host.network_block_id")),
}
_ROLES: Final = (Role.LEAF, Role.SPINE, Role.SUPER_SPINE)
_CLIQUE: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9]{1,10}", re.IGNORECASE)


def relevant(kind: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of one vendor that say anything."""
    convention = CONVENTIONS[kind]
    keys = (*convention.levels, convention.domain, convention.cards)
    return {key: labels[key] for key in keys if key and labels.get(key)}


def label_reports(kind: str, nodes: Mapping[str, Mapping[str, str]]) -> list[Report]:
    """Return what the labels of all ``nodes`` say, a report each, and one for each part of the network they name."""
    convention = CONVENTIONS[kind]
    names = _names(convention, nodes)
    reports = []
    below: dict[str, set[tuple[str, str]]] = {}
    above: dict[str, set[str]] = {}
    roles: dict[str, str] = {}
    for node in sorted(nodes):
        labels = relevant(kind, nodes[node])
        chain = _chain(convention, labels, names)
        heard = []
        if chain:
            heard = [Observation(PORT, chain[0], remote_port=clean(node), kind=SWITCH)]
            below.setdefault(chain[0], set()).add((clean(node), PORT))
        for place, name in enumerate(chain):
            roles.setdefault(name, _ROLES[min(place, len(_ROLES) - 1)])
            above.setdefault(name, set()).update(chain[place + 1 : place + 2])
        domains = _domains(kind, convention, labels)
        if labels:
            reports.append(Report(kind, Speaker(node, SERVER), 0, tuple(heard), scale_up=domains, links=bool(chain)))
    for part, parents in sorted(above.items()):
        for parent in parents:
            below.setdefault(parent, set()).add((part, parent))
    for part in sorted(above):
        heard = [Observation(end, end, remote_port=port, kind="") for end, port in sorted(below.get(part, ()))]
        heard += [Observation(parent, parent, remote_port=part, kind=SWITCH) for parent in sorted(above[part])]
        reports.append(Report(kind, Speaker(part, SWITCH, role=roles[part]), 0, tuple(heard)))
    return reports


def _names(convention: Convention, nodes: Mapping[str, Mapping[str, str]]) -> dict[tuple[int, str], str]:
    """Return a name for each part of the network: its own, with its level where two levels have it."""
    parts = {
        (level, nodes[node][key])
        for node in nodes
        for level, key in enumerate(convention.levels)
        if nodes[node].get(key)
    }
    count = Counter(value for _, value in parts)
    return {
        (level, value): clean(value if count[value] == 1 and value not in nodes else f"{value}-tier-{level}")
        for level, value in parts
    }


def _chain(convention: Convention, labels: Mapping[str, str], names: Mapping[tuple[int, str], str]) -> Sequence[str]:
    """Return the parts of the network a node is below, the nearest first; a gap ends it, for what is above is open."""
    chain = []
    for level, key in enumerate(convention.levels):
        if key not in labels:
            break
        chain.append(names[level, labels[key]])
    return chain


def _domains(kind: str, convention: Convention, labels: Mapping[str, str]) -> tuple[ScaleUp, ...]:
    domain = labels.get(convention.domain, "")
    if not domain or (kind == "gfd" and not _CLIQUE.fullmatch(domain)):
        return ()
    cards = labels.get(convention.cards, "")
    count = int(cards) if cards.isdecimal() and len(cards) < 5 else 0  # noqa: PLR2004 # no node has 10,000 cards
    return (ScaleUp(clean(domain).lower() if kind == "gfd" else clean(domain), "nvlink", count),)
