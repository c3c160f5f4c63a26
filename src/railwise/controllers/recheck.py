"""Whether a pod still fits the node it was put on, asked once more before it is bound, of the newest news.

A plan is made of what was known when its round began; a bind may leave seconds later. What the API server has said of
the node and of its pods since then is not in the engine yet. So where there was such news, the node is made anew from
the objects, everything on it is booked, and the one ``fits()`` is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable

from railwise.controllers.gang_book import LiveGang
from railwise.engine.cluster.occupy import occupy
from railwise.engine.cluster.state import ClusterState
from railwise.engine.search.beside import Around, Labels, allows
from railwise.formats.kubernetes.gangs import Member
from railwise.formats.kubernetes.occupants import occupant
from railwise.formats.kubernetes.schema import Pod
from railwise.formats.kubernetes.workloads import Surroundings
from railwise.model.node import Node
from railwise.model.policy import Policy
from railwise.model.workload import Group


def still_fits(gang: LiveGang, uid: str, node: Node, others: Iterable[Pod], around: Surroundings) -> bool:
    """Return whether a pod (by uid) of a gang fits a node beside others, with the rules between pods on that node."""
    group = _group_of(gang, uid)
    if group is None:
        return False
    state = ClusterState((node,), (), Policy())
    beside = Around(Labels(state), ())
    for pod in others:
        there = occupant(Member(pod.metadata.name, pod), pod.metadata.name, 0, around).workload.root
        occupy(state, state.shapes.of_group(there), 0, ())
        if there.pod_rules is not None:
            beside.add(there.pod_rules, 0)
    if not state.fits(state.shapes.of_group(group), 0):
        return False
    rules = group.pod_rules
    return rules is None or allows(beside.apart(rules), 0)


def _group_of(gang: LiveGang, uid: str) -> Group | None:
    """Return the group of the gang's workload to which a pod belongs."""
    path = next((group for (group, _), live in gang.pods.items() if live.uid == uid), None)
    if gang.told is None or path is None:
        return None
    found: Group | None = gang.told.root
    for name in path.split("/") if path else ():
        found = next((child for child in found.groups if child.name == name), None) if found is not None else None
    return found if found is not None and not found.groups else None
