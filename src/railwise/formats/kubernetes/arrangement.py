"""How the parts of a gang lie inside one another: flat as a rule, deeper where some of them have a rule in common.

A rule of ours on a template speaks of each group. Others speak of larger wholes: Kueue's of all copies of a JobSet's
Job together, or of two PodSets that belong together; KAI's PodGroups name subgroups inside subgroups. Each of these
becomes a group that holds groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from railwise.formats.kubernetes.annotations import Wishes
from railwise.formats.kubernetes.dialects.grouping import Branch
from railwise.formats.kubernetes.gangs import Gang
from railwise.model.workload import Group, TopologyRule

NO_RULE = TopologyRule()


def arranged(
    gang: Gang, groups: Sequence[Group], said: Sequence[Wishes], rule_of: Callable[[Branch], TopologyRule]
) -> tuple[tuple[Group, ...], TopologyRule, str]:
    """Return the groups below the root, the rule they have in common (empty: none), and what cannot be honoured."""
    if gang.branches:
        return _branched(gang, groups, rule_of), NO_RULE, ""
    together = {wishes.together for wishes in said}
    if together != {""}:
        if len(together) > 1:
            return tuple(groups), NO_RULE, "PodSets that lie together with others, beside such that do not"
        return tuple(replace(group, topology=NO_RULE) for group in groups), said[0].rule, ""
    if gang.key.kind == "jobset" and any(wishes.podset for wishes in said):
        return _by_podset(groups, said)
    return tuple(groups), NO_RULE, ""


def _by_podset(groups: Sequence[Group], said: Sequence[Wishes]) -> tuple[tuple[Group, ...], TopologyRule, str]:
    """Return the copies of each Job below one group, where their rule is one of all of them."""
    sets: dict[str, list[tuple[Group, Wishes]]] = {}
    for group, wishes in zip(groups, said, strict=True):
        sets.setdefault(group.name.rpartition("-")[0], []).append((group, wishes))
    found: list[Group] = []
    for name, copies in sets.items():
        rule = copies[0][1].rule
        if len(copies) == 1 or not copies[0][1].podset:
            found += [group for group, _ in copies]
            continue
        bare = [replace(group, topology=TopologyRule(rule.name, wishes.slice)) for group, wishes in copies]
        if len(sets) == 1:
            return tuple(bare), rule, ""
        found.append(Group(name=name, topology=rule, groups=tuple(bare), min_groups=len(bare)))
    return tuple(found), NO_RULE, ""


def _branched(gang: Gang, groups: Sequence[Group], rule_of: Callable[[Branch], TopologyRule]) -> tuple[Group, ...]:
    """Return the groups in their branches; a branch of which nothing is there is left out."""
    below: dict[str, list[Branch]] = {}
    for branch in gang.branches.values():
        below.setdefault(branch.parent, []).append(branch)
    leaves: dict[str, list[Group]] = {}
    for part, group in zip(gang.parts, groups, strict=True):
        leaves.setdefault(part.branch, []).append(group)

    def within(name: str) -> tuple[Group, ...]:
        found = list(leaves.get(name, ()))
        for branch in below.get(name, ()):
            inner = within(branch.name)
            if inner:
                least = min(branch.min_groups or len(inner), len(inner))
                found.append(Group(name=branch.name, topology=rule_of(branch), groups=inner, min_groups=least))
        return tuple(found)

    return within("")


def paths(groups: Sequence[Group], above: str = "") -> dict[str, str]:
    """Return the path of each group that has pods, by its name."""
    found: dict[str, str] = {}
    for group in groups:
        path = f"{above}/{group.name}" if above else group.name
        if group.groups:
            found.update(paths(group.groups, path))
        else:
            found[group.name] = path
    return found
