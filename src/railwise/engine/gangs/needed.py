"""Which groups a workload needs at least: the cheapest of K of N."""

from __future__ import annotations

from railwise.engine.gangs.demand import Part


def needed_leaves(part: Part) -> list[Part]:
    """Return the leaves of the groups that are needed, the cheapest ones where there is a choice."""
    if part.shape is not None:
        return [part]
    options = [needed_leaves(child) for child in part.children]
    options.sort(key=_weight)
    return [leaf for option in options[: part.group.min_groups] for leaf in option]


def _weight(leaves: list[Part]) -> int:
    return sum(leaf.group.min_pods * (leaf.shape.gpu_thousandths() if leaf.shape else 0) for leaf in leaves)
