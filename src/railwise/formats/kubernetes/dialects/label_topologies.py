"""Topologies whose levels are node labels: Kueue's and KAI's objects have the same form, KAI's levels also names."""

from __future__ import annotations

from collections.abc import Sequence

from railwise.formats.kubernetes.dialects.kueue_schema import TopologySpec
from railwise.formats.kubernetes.dialects.reading import spec_of
from railwise.formats.kubernetes.dialects.sources import ERROR, Finding, Source, TopologyDraft
from railwise.formats.kubernetes.levels import is_label, named_levels
from railwise.model.topology import Topology

MOST_LEVELS = 16


def read_topologies(sources: Sequence[Source], findings: list[Finding]) -> list[TopologyDraft]:
    """Return the topologies; one without levels but the node is none and says nothing."""
    drafts = []
    for source in sources:
        spec = spec_of(source, TopologySpec, findings)
        if spec is None:
            continue
        labels = [(level.node_label, level.alias) for level in spec.levels]
        wrong = next((index for index, (label, _) in enumerate(labels) if not is_label(label)), None)
        if wrong is not None:
            text = f"'{labels[wrong][0][:80]}' is no label of a node"
            findings.append(Finding(source, ERROR, f".spec.levels[{wrong}].nodeLabel", text))
        elif len(labels) > MOST_LEVELS or len({label for label, _ in labels}) < len(labels):
            findings.append(Finding(source, ERROR, ".spec.levels", f"expected at most {MOST_LEVELS} different labels"))
        elif named_levels(labels):
            drafts.append(TopologyDraft(source, Topology(source.name(), named_levels(labels))))
    return drafts
