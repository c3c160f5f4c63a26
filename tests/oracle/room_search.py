"""Whether the minimum of a workload fits somewhere beside what runs: every distribution over the nodes, until one does.

Pods that run already stay where they are and bind the rest by the rules about the whole.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from railwise.model.workload import Group
from tests.oracle.cluster import leaves
from tests.oracle.question import Part, Question
from tests.oracle.segments import fewest_cut
from tests.oracle.vector import together


def runs(group: Group) -> list[int]:
    """Return the ranks of a leaf group that run."""
    running = group.running
    return [] if running is None else [rank for rank, node in enumerate(running.nodes) if node is not None]


def fits_somewhere(question: Question) -> bool:
    """Return whether some choice of needed groups has a place."""
    return any(_search(question, counts) for counts in _needed(question.root))


def _needed(group: Group) -> list[tuple[int, ...]]:
    """Return the pods that are missing per leaf, for every smallest choice of groups."""
    if not group.groups:
        return [(max(group.min_pods - len(runs(group)), 0),)]
    children = list(range(len(group.groups)))
    running = [n for n in children if any(runs(leaf) for _, leaf in leaves(group.groups[n]))]
    free = [n for n in children if n not in running]
    found = []
    for extra in combinations(free, max(group.min_groups - len(running), 0)):
        parts = []
        for number, child in enumerate(group.groups):
            none = tuple(0 for _ in leaves(child))
            parts.append(_needed(child) if number in running or number in extra else [none])
        found += [tuple(count for part in way for count in part) for way in product(*parts)]
    return found


def _search(question: Question, counts: tuple[int, ...]) -> bool:
    """Try every distribution of so many pods per leaf over the nodes, the rules of the whole and the parts kept."""
    spread = _fixed(question)

    def go(place: int, left: tuple[int, ...]) -> bool:
        if not any(left):
            return _segments(question, spread)
        if place == len(question.order):
            return False
        index = question.order[place]
        for vector in product(*(range(need, -1, -1) for need in left)):
            if any(vector) and question.hold(index, vector) is None:
                continue
            for number, pods in enumerate(vector):
                spread[number][index] = spread[number].get(index, 0) + pods
            good = (not any(vector) or _kept(question, spread)) and go(
                place + 1, tuple(need - got for need, got in zip(left, vector, strict=True))
            )
            for number, pods in enumerate(vector):
                spread[number][index] -= pods
            if good:
                return True
        return False

    return go(0, counts)


def _kept(question: Question, spread: list[dict[int, int]]) -> bool:
    """Return whether the pods so far keep the rules about required and distinct domains."""
    for part in question.parts:
        used = [index for own in part.own for index, pods in spread[own].items() if pods]
        for depth in (part.required, part.distinct, part.segment_required):
            if depth is not None and not all(part.names(question.cluster.machines[i], depth) for i in used):
                return False
        if part.required is not None:
            homes = {part.domain(question.cluster.machines[i], part.required) for i in used}
            if len(homes) > 1:
                return False
        if part.distinct is not None and not _apart(question, part.distinct, part, spread):
            return False
    return True


def _fixed(question: Question) -> list[dict[int, int]]:
    found: list[dict[int, int]] = []
    for group in question.leaf_groups:
        pods: dict[int, int] = {}
        for rank in runs(group):
            assert group.running is not None
            index = question.cluster.by_name[str(group.running.nodes[rank])].index
            pods[index] = pods.get(index, 0) + 1
        found.append(pods)
    return found


def _apart(question: Question, depth: int, part: Part, spread: list[dict[int, int]]) -> bool:
    units = part.children or ()
    seen: dict[object, object] = {}
    for own in part.own:
        for index, pods in spread[own].items():
            domain = part.domain(question.cluster.machines[index], depth)
            if not units and pods > 1:
                return False
            if pods:
                unit: object = next((child for child in units if own in child), (own, index))
                if seen.setdefault(domain, unit) != unit:
                    return False
    return True


def _segments(question: Question, spread: list[dict[int, int]]) -> bool:
    found = tuple(Counter(pods) for pods in spread)
    return all(
        part.group.segment is None or fewest_cut(question, part, together(found, part.own)) is not None
        for part in question.parts
    )
