"""Segments: whether ranks can be dealt to the nodes so that each run of ranks lies in one domain, and how many are cut.

Pods of one group are equal, so ranks may be dealt freely; only how many pods lie in each domain matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from tests.oracle.question import Part, Question

Domain = tuple[object, ...]


def fewest_cut(question: Question, part: Part, pods: Counter[int]) -> int | None:
    """Return the fewest segments outside one preferred domain, over all ways to deal ranks; None: no way is allowed."""
    segment = part.group.segment
    if segment is None or not pods:
        return 0
    total = sum(pods.values())
    full, rest = divmod(total, segment.size)
    holder: Domain | None
    regions = _regions(question, part, pods)
    if regions is None:
        return None
    sums = {region: sum(shares.values()) for region, shares in regions.items()}
    if part.segment_required is not None:
        with_rest = [region for region, count in sums.items() if count % segment.size]
        if len(with_rest) != (1 if rest else 0):
            return None
        holder = with_rest[0] if rest else None
    else:
        holder = () if rest else None
    if part.segment_preferred is None:
        return 0
    segments = full + (1 if rest else 0)
    inside = 0
    for region, shares in regions.items():
        inside += _most_inside(shares, segment.size, rest if region == holder else 0)
    return segments - inside


def _regions(question: Question, part: Part, pods: Counter[int]) -> dict[Domain, Counter[Domain]] | None:
    """Return the pods per preferred domain inside each required one (all in one region without a required level)."""
    regions: dict[Domain, Counter[Domain]] = defaultdict(Counter)
    for index, count in pods.items():
        place = question.cluster.machines[index]
        region: Domain = ()
        if part.segment_required is not None:
            if not part.names(place, part.segment_required):
                return None
            region = part.domain(place, part.segment_required)
        inner: Domain = ()
        if part.segment_preferred is not None:
            inner = part.domain(place, part.segment_preferred)
        regions[region][inner] += count
    return regions


def _most_inside(shares: Counter[Domain], size: int, rest: int) -> int:
    """Return how many segments of one region can lie inside one preferred domain; ``rest`` 0: only full ones."""
    most = sum(count // size for count in shares.values())
    if rest:
        for domain, count in shares.items():
            if count >= rest:
                others = sum(many // size for other, many in shares.items() if other != domain)
                most = max(most, others + (count - rest) // size + 1)
    return most


def cut_by_ranks(question: Question, part: Part, nodes: dict[int, int]) -> tuple[int, int]:
    """Return how many segments leave one required, and one preferred domain, when rank i lies on ``nodes[i]``."""
    segment = part.group.segment
    if segment is None:
        return 0, 0
    broken = cut = 0
    for number in sorted({rank // segment.size for rank in nodes}):
        mine = [index for rank, index in nodes.items() if rank // segment.size == number]
        places = [question.cluster.machines[index] for index in mine]
        depth = part.segment_required
        if depth is not None:
            same = len({part.domain(place, depth) for place in places}) == 1
            broken += not (same and all(part.names(place, depth) for place in places))
        depth = part.segment_preferred
        if depth is not None:
            cut += len({part.domain(place, depth) for place in places}) > 1
    return broken, cut
