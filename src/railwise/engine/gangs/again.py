"""The same demand on another state (an empty one), as if nothing of it ran."""

from __future__ import annotations

from dataclasses import replace

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.model.workload import Group, Selection, TopologyRule


def read_again(demand: Demand, state: ClusterState, *, everywhere: bool) -> Demand:
    """Read a demand for another state; ``everywhere`` drops selectors and tolerations (there are no taints there)."""
    return read_demand(demand.workload, _fresh(demand.root.group, everywhere=everywhere), state, demand.alternative)


def _fresh(group: Group, *, everywhere: bool) -> Group:
    selection = Selection() if everywhere else group.selection
    groups = tuple(_fresh(child, everywhere=everywhere) for child in group.groups)
    return replace(group, selection=selection, running=None, groups=groups)


def without_selection(group: Group) -> Group:
    """Return the group without any selector, affinity or toleration."""
    groups = tuple(without_selection(child) for child in group.groups)
    return replace(group, selection=Selection(), groups=groups)


def without_rules(group: Group) -> Group:
    """Return the group without any rule about topology: for booking pods that run although a rule cannot be read."""
    groups = tuple(without_rules(child) for child in group.groups)
    return replace(group, topology=TopologyRule(), segment=None, groups=groups)
