"""A gang as its PodGroup wants it: what it needs, where its parts lie, and what is said of each of them."""

from __future__ import annotations

from collections import Counter

from railwise.formats.kubernetes.dialects.grouping import Branch, GroupRule
from railwise.formats.kubernetes.dialects.sayings import Said
from railwise.formats.kubernetes.gangs import ALL, ONE, Gang
from railwise.formats.kubernetes.kinds import PodGroup

CLAIMS = "resourceClaims of a PodGroup are not supported; ask for GPUs as an extended resource"


def said_upstream(where: str, group: PodGroup) -> dict[str, Said]:
    """Return what a PodGroup of Kubernetes' own says beside its policy and its level."""
    found = {}
    if group.spec.priority_class_name:
        found["priority-class"] = Said(group.spec.priority_class_name, f"{where}.spec.priorityClassName")
    if group.spec.resource_claims:
        found["refused"] = Said(CLAIMS, f"{where}.spec.resourceClaims")
    return found


def obey(gang: Gang, rule: GroupRule) -> None:
    """Lay the rule of a PodGroup on a gang whose pods have been laid in.

    Pods of one subgroup that are not equal become groups inside one group, all of which are needed.
    """
    gang.where, gang.meta, gang.whole = rule.where, rule.meta, True
    gang.says = rule.says
    gang.min_count = rule.min_count
    gang.needs = ALL if rule.min_count else ONE
    gang.min_groups = rule.min_groups
    gang.branches = dict(rule.branches)
    several = Counter(part.group for part in gang.parts)
    for part in gang.parts:
        own = rule.parts.get(part.group)
        if own is None:
            continue
        if several[part.group] > 1:
            name = part.group
            gang.branches[name] = Branch(name, own.branch, own.says)
            part.name, part.branch = f"{name}-{part.name}" if part.name == name else part.name, name
            part.min_count = part.pods = len(part.members)
        else:
            part.says, part.branch = own.says, own.branch
            part.min_count = own.min_count or 1
