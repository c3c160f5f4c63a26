"""Our own Queue and Topology: the same fields as in a scenario, read by the same tables.

A queue that is tried in a scenario can be applied to a cluster as it stands, and the other way round. The API server
refuses most of what is wrong by the schema of the CRD; what an older schema let in is a finding on the object.
"""

from __future__ import annotations

from collections.abc import Sequence

from railwise.formats.faults import Faults
from railwise.formats.kubernetes.dialects.sources import ERROR, OWN, Draft, Finding, Source, TopologyDraft
from railwise.formats.kubernetes.levels import HOSTNAME_LABEL
from railwise.formats.kubernetes.names import ObjectName
from railwise.formats.scenario.queues import QUEUE_RECORD, build_queues
from railwise.formats.scenario.topology import TOPOLOGY_RECORD, build_topologies
from railwise.model.topology import NODE_LEVEL

QUEUE = "queue"


def read_queues(sources: Sequence[Source], findings: list[Finding]) -> list[Draft]:
    """Return the queues; one that cannot be read is a finding."""
    drafts = []
    for source in sources:
        faults = Faults()
        record = QUEUE_RECORD.read(_named(source), "", faults)
        if _sound(source, faults, findings) and record is not None:
            (queue,) = build_queues([record], "spec", faults)
            parent = ObjectName(OWN, QUEUE, queue.parent) if queue.parent else None
            drafts.append(Draft(ObjectName(OWN, QUEUE, source.name()), source, queue, parent))
    return drafts


def read_topologies(sources: Sequence[Source], findings: list[Finding]) -> list[TopologyDraft]:
    """Return the topologies; each level needs the node label that names its domains."""
    drafts = []
    for source in sources:
        faults = Faults()
        named = _named(source)
        first = named.pop("default", False)
        if not isinstance(first, bool):
            faults.add("default", "expected true or false")
        record = TOPOLOGY_RECORD.read(named, "", faults)
        if record is not None and faults.count() == 0:
            (topology,) = build_topologies([record], "", faults)
            _check_labels(record["levels"], faults)
            if faults.count() == 0:
                drafts.append(TopologyDraft(source, topology, first is True))
        _sound(source, faults, findings)
    return drafts


def _check_labels(levels: Sequence[object], faults: Faults) -> None:
    seen: set[str] = set()
    for index, level in enumerate(levels):
        label = level.get("label", "") if isinstance(level, dict) else ""
        name = level.get("name", "") if isinstance(level, dict) else level
        if name == NODE_LEVEL:
            continue
        if not label:
            faults.add(f"levels[{index}]", "expected a label: nodes say by it which domain they are in")
        elif label in seen or label == HOSTNAME_LABEL:
            faults.add(f"levels[{index}].label", f"'{label}' cannot tell the domains of this level apart")
        seen.add(label)


def _named(source: Source) -> dict[str, object]:
    spec = source.object.spec
    return {**(spec if isinstance(spec, dict) else {}), "name": source.name()}


def _sound(source: Source, faults: Faults, findings: list[Finding]) -> bool:
    """Return whether nothing was wrong; what was is found on the object."""
    for fault in faults.found:
        path = f".metadata.{fault.path}" if fault.path == "name" else f".spec.{fault.path.removeprefix('[0].')}"
        findings.append(Finding(source, ERROR, path, fault.message, fault.hint))
    return not faults.found
