"""The end of the exact search: what is settled only when a whole domain holds everything."""

from __future__ import annotations

from railwise.engine.gangs.demand import Part
from railwise.engine.search.settle import NODES, ONE_LAME_NODE, PODS, SHORT, WHOLE, Carry, Settlement, domain_at


def finish(settle: Settlement, carry: Carry, level: int, domain: int) -> int | None:
    """Return the cost of all that is left when everything lies in the given domain, None where a rule is broken."""
    cost = _free_around(settle, level, domain)
    for part in settle.apart:
        if part.distinct <= level and not _alone(settle, part):
            return None
    spread: dict[int, dict[int, int]] = {part.index: {} for part in settle.foreign}
    short: set[int] = set()
    for (tag, place, where, kind), value in carry:
        if tag == WHOLE:
            cost += settle.fields.loss * _loss_upwards(settle, place, where, kind, value)
        elif tag == NODES and value == ONE_LAME_NODE:
            cost -= settle.fields.dead
        elif tag == SHORT:
            short.add(place)
        elif tag == PODS:
            spread[place][where] = spread[place].get(where, 0) + value
    for part in settle.segments:
        if part.segment_preferred > level:
            cost += settle.fields.cut * -(-settle.totals[part.index] // part.segment_size)
            if part.index in short:
                cost -= settle.fields.cut
    for part in settle.foreign:
        extra = _foreign(settle, part, spread[part.index])
        if extra is None:
            return None
        cost += extra
    return cost


def _free_around(settle: Settlement, level: int, domain: int) -> int:
    """Return the field of free slots of the domain itself and the wider ones around it."""
    if not settle.problem.demand.uses_cards or level < 0:
        return 0
    tree_state = settle.state.trees[settle.tree_index]
    tree = tree_state.tree
    cost = 0
    if level == tree.depth:
        if level == 0:
            return 0
        domain = tree.domain_of[level - 1][tree.order[domain]]
        level -= 1
    while level >= 0:
        cost += settle.fields.free[level] * tree_state.free[level][domain]
        domain = tree.tiers[level].parent[domain]
        level -= 1
    return cost


def _alone(settle: Settlement, part: Part) -> bool:
    """Return whether a part that must be spread is small enough to lie in one domain of its level all the same."""
    if part.shape is not None:
        return settle.totals[part.index] + len(part.fixed) <= 1
    placed = [child for child in part.children if child.index in settle.problem.chosen]
    return len(placed) <= 1


def _loss_upwards(settle: Settlement, place: int, domain: int, kind: int, broken: int) -> int:
    tree_index, level = divmod(place, 64)
    total = settle.whole_loss(tree_index, level, domain, kind, broken)
    if settle.state.policy.largest_gang:
        tiers = settle.state.trees[tree_index].tree.tiers
        while level > 0:
            domain = tiers[level].parent[domain]
            level -= 1
            total += settle.whole_loss(tree_index, level, domain, kind, broken)
    return total


def _foreign(settle: Settlement, part: Part, pods: dict[int, int]) -> int | None:
    """Return the cost of a part's rules about another topology, None where one is broken; ``pods`` by finest domain."""
    tree = settle.state.trees[part.tree].tree
    finest = max(part.required, part.preferred, part.segment_required, part.segment_preferred)
    if finest < 0:
        return 0
    counts = dict(pods)
    for leaf in part.leaves():
        for node in leaf.fixed.values():
            where = domain_at(tree.domain_of, tree.depth, finest, node)
            counts[where] = counts.get(where, 0) + 1
    if part.required >= 0 and len(_at(settle, part, counts, finest, part.required)) > 1:
        return None
    if part.segment_required >= 0 and not _segments_whole(part, _at(settle, part, pods, finest, part.segment_required)):
        return None
    cost = 0
    if part.parent is not None and part.preferred >= 0:
        for level in range(part.preferred + 1):
            domains = len(_at(settle, part, counts, finest, level))
            if domains > 1:
                cost += settle.fields.above + settle.fields.group_count[min(level, settle.tree.depth)] * domains
    if part.segment_preferred > part.segment_required:
        whole = _whole_segments(part, _at(settle, part, pods, finest, part.segment_preferred))
        cost += settle.fields.cut * (-(-sum(pods.values()) // part.segment_size) - whole)
    return cost


def _at(settle: Settlement, part: Part, pods: dict[int, int], finest: int, level: int) -> dict[int, int]:
    """Return pods per domain of a level no narrower than ``finest``."""
    tree = settle.state.trees[part.tree].tree
    counts: dict[int, int] = {}
    for where, count in pods.items():
        domain = where
        for step in range(finest, level, -1):
            domain = tree.domain_of[step - 1][domain] if step == tree.depth else tree.tiers[step].parent[domain]
        counts[domain] = counts.get(domain, 0) + count
    return counts


def _segments_whole(part: Part, counts: dict[int, int]) -> bool:
    size = part.segment_size
    short = sum(counts.values()) % size
    odd = [count % size for count in counts.values() if count % size]
    return odd == ([short] if short else [])


def _whole_segments(part: Part, counts: dict[int, int]) -> int:
    size = part.segment_size
    short = sum(counts.values()) % size
    whole = sum(count // size for count in counts.values())
    return whole + (1 if short and any(count % size >= short for count in counts.values()) else 0)
