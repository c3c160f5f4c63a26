"""The topologies of a cluster: those that objects declare beside those that are found by labels, none of them twice.

The first topology is the default, so its choice decides where everything goes that names none. Rules, so that the
answer can be predicted:

- Our own Topology objects come first (one with ``default: true`` before the others, then by name). One named
  ``fabric`` or ``nvlink`` takes the place of what would be found under that name.
- Then what is found by labels, or named by ``--levels``. What was found is left out where a declared topology has all
  its labels: the declared one then stands in its place.
- Then those of other systems, by name. Two with the same labels in the same order are one topology under two names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from railwise.formats.kubernetes.dialects.sources import OWN, TopologyDraft
from railwise.formats.kubernetes.levels import FABRIC, Labels, find_topologies, places
from railwise.model.topology import Topology

Placing = Callable[[str, Mapping[str, str]], dict[str, str]]


@dataclass(frozen=True)
class Trees:
    """The topologies, the first of which is the default.

    ``names`` lead from (dialect, name of the object) to a topology; ``members`` hold, by topology, how nodes are placed
    where labels do not tell.
    """

    topologies: tuple[Topology, ...] = ()
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    members: Mapping[str, Placing] = field(default_factory=dict)

    def places(self, name: str, labels: Labels) -> dict[str, dict[str, str]]:
        """Return the domains of a node, per topology and level; a topology without any is left out."""
        found = places(self.topologies, labels)
        for topology, place in self.members.items():
            named = place(name, labels)
            if named:
                found[topology] = named
        return found


NO_TREES = Trees()
"""Those of a cluster that has none."""


def trees_of(drafts: Sequence[TopologyDraft], nodes: Sequence[Labels], levels: str = "") -> Trees:
    """Return the topologies of a cluster whose nodes have these labels; ``levels`` as for ``find_topologies``.

    Raises InputError if ``levels`` cannot be read.
    """
    found = find_topologies(nodes, levels)
    own = [draft for draft in drafts if draft.source.kind.dialect == OWN]
    others = [draft for draft in drafts if draft.source.kind.dialect != OWN]
    if levels.strip():
        return _joined(own, found, others)
    found = tuple(one for one in found if one.name not in {draft.topology.name for draft in own})
    fabric = next((one for one in found if one.name == FABRIC), None)
    covering = [draft for draft in drafts if fabric is not None and _covers(draft, fabric)]
    if covering:
        found = tuple(one for one in found if one is not fabric)
        if covering[0] in others:
            own.append(covering[0])
            others.remove(covering[0])
    return _joined(own, found, others)


def _labels(topology: Topology) -> tuple[str, ...]:
    return tuple(level.label for level in topology.levels)


def _covers(draft: TopologyDraft, found: Topology) -> bool:
    """Return whether a declared topology says more than a found one; of equal ones ours stays, or the found one."""
    said, seen = set(_labels(draft.topology)), set(_labels(found))
    return seen < said or (seen == said and draft.source.kind.dialect == OWN)


def _joined(before: Sequence[TopologyDraft], found: Sequence[Topology], after: Sequence[TopologyDraft]) -> Trees:
    topologies: list[Topology] = []
    names: dict[tuple[str, str], str] = {}
    members: dict[str, Placing] = {}

    def declare(draft: TopologyDraft) -> None:
        dialect, topology = draft.source.kind.dialect, draft.topology
        same = next((one for one in topologies if draft.places is None and _labels(one) == _labels(topology)), None)
        if same is None:
            name = topology.name
            if name in {one.name for one in topologies} | {one.name for one in found}:
                name = f"{dialect}.{name}"
            same = Topology(name, topology.levels, topology.node_uplink)
            topologies.append(same)
            if draft.places is not None:
                members[name] = draft.places
        names[dialect, draft.topology.name] = same.name

    for draft in sorted(before, key=lambda draft: not draft.first):
        declare(draft)
    topologies.extend(found)
    for draft in after:
        declare(draft)
    return Trees(tuple(topologies), names, members)
