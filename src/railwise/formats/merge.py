"""Several documents as one scenario: a cluster here, its workloads there, some manifests beside.

Each document adds to the others. What two of them say about the same thing must agree; which of two quotas is meant is
not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from railwise.formats.faults import Faults
from railwise.model.policy import Policy
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology

_TWICE = "leave one of them out, or give it another name; what runs on a cluster need not be given as a file too"

_Named = TypeVar("_Named", Topology, Queue)


def merge(base: Scenario, extra: Scenario, path: str, faults: Faults) -> Scenario:
    """Return both together; contradictions of ``extra``, which stands at ``path``, are noted as faults."""
    if extra.policy not in {Policy(), base.policy} and base.policy != Policy():
        faults.add(path, "two documents give a policy, and the two differ")
    if base.fabric and extra.fabric and base.fabric != extra.fabric:
        faults.add(path, "two documents name a fabric, and the two differ")
    _refuse_twice("node", (one.name for one in base.nodes), (one.name for one in extra.nodes), path, faults)
    _refuse_twice("workload", (one.name for one in base.workloads), (one.name for one in extra.workloads), path, faults)
    first = len(base.workloads)
    return Scenario(
        name=base.name or extra.name,
        seed=base.seed or extra.seed,
        topologies=_joined("topology", base.topologies, extra.topologies, path, faults),
        nodes=base.nodes + extra.nodes,
        queues=_joined("queue", base.queues, extra.queues, path, faults),
        workloads=base.workloads
        + tuple(replace(one, order=first + place) for place, one in enumerate(extra.workloads)),
        policy=base.policy if base.policy != Policy() else extra.policy,
        changes=base.changes + extra.changes,
        failures=base.failures + extra.failures,
        warnings=base.warnings + extra.warnings,
        fabric=base.fabric or extra.fabric,
    )


def _refuse_twice(kind: str, base: Iterable[str], extra: Iterable[str], path: str, faults: Faults) -> None:
    known = set(base)
    for name in extra:
        if name in known:
            faults.add(path, f"there is already a {kind} '{name}'", _TWICE)


def _joined(
    kind: str, base: tuple[_Named, ...], extra: tuple[_Named, ...], path: str, faults: Faults
) -> tuple[_Named, ...]:
    """Return both, what they have in common once."""
    known = {one.name: one for one in base}
    new = []
    for one in extra:
        if one.name not in known:
            new.append(one)
        elif known[one.name] != one:
            faults.add(path, f"there is already another {kind} '{one.name}'")
    return base + tuple(new)
