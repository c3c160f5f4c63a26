"""A whole document: a cluster, its queues and its workloads, and what happens to them."""

from __future__ import annotations

from dataclasses import dataclass

from railwise.model.failure import Failure
from railwise.model.node import Node
from railwise.model.policy import Change, Policy
from railwise.model.queue import Queue
from railwise.model.topology import Topology
from railwise.model.workload import Workload


@dataclass(frozen=True)
class Scenario:
    """A cluster with its queues and workloads, all names resolved and all quantities integers.

    ``topologies[0]`` is the default one (empty: a flat cluster). Nodes stand in document order. ``warnings`` name odd
    facts that load all the same. ``fabric`` is the path of a document of kind Fabric (empty: none), ``effects`` what
    changes of its cables and switches mean for nodes and uplinks, in order of time. ``failures``
    are drawn while it is simulated.
    """

    name: str = ""
    seed: int = 0
    topologies: tuple[Topology, ...] = ()
    nodes: tuple[Node, ...] = ()
    queues: tuple[Queue, ...] = ()
    workloads: tuple[Workload, ...] = ()
    policy: Policy = Policy()
    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()
    fabric: str = ""
    effects: tuple[Change, ...] = ()
    failures: tuple[Failure, ...] = ()
