"""What the PodGroups of all dialects say, whichever it is."""

from __future__ import annotations

from railwise.formats.kubernetes.dialects import kai, volcano
from railwise.formats.kubernetes.dialects.compatibility import ROWS
from railwise.formats.kubernetes.dialects.fields import walked
from railwise.formats.kubernetes.dialects.grouping import GroupRule
from railwise.formats.kubernetes.dialects.sources import KAI_POD_GROUP, Finding, Source


def rule_of(source: Source, findings: list[Finding]) -> GroupRule | None:
    """Return what a PodGroup says; None, and a finding, where it cannot be read."""
    findings += walked(source, ROWS.get(source.kind, ()))
    read = kai.group_rule if source.kind == KAI_POD_GROUP else volcano.group_rule
    return read(source, findings)
