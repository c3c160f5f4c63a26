"""What a workload says against itself. Such a workload waits with ``InvalidRequest``; its neighbours do not suffer.

It is told from the workload as read, not from the document, so that a scenario written out and read again waits for the
same reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from railwise.model.card_models import is_known_profile
from railwise.model.quantity import format_thousandths
from railwise.model.workload import CARDS_MIG, CARDS_SHARE, CARDS_TIME_SLICE, CardRequest, Group

CARD = 1000
WHOLE_PERCENT = 100


def contradiction(roots: Iterable[Group]) -> str:
    """Return the first contradiction in any of the group trees; empty: none."""
    for root in roots:
        for path, group in _walk(root, ""):
            problem = _of_group(group)
            if problem:
                return f"group {path}: {problem}" if path else problem
    return ""


def _walk(group: Group, path: str) -> Iterator[tuple[str, Group]]:
    yield path, group
    for child in group.groups:
        yield from _walk(child, f"{path}/{child.name}" if path else child.name)


def _of_group(group: Group) -> str:
    if group.min_pods > group.pods:
        return f"minPods {group.min_pods} is more than pods {group.pods}"
    if group.min_groups > len(group.groups):
        return f"minGroups {group.min_groups} is more than the {len(group.groups)} groups there are"
    return _of_cards(group.request.cards)


def _of_cards(cards: CardRequest) -> str:
    if cards.kind == CARDS_MIG:
        for profile, _ in cards.slices:
            if not is_known_profile(profile):
                return f"no known card has the MIG profile {profile}"
        return ""
    if cards.kind not in {CARDS_SHARE, CARDS_TIME_SLICE}:
        return ""
    if cards.fraction > CARD:
        return f"gpu {format_thousandths(cards.fraction)} is neither whole cards nor a part of one"
    if cards.fraction and (cards.memory or cards.memory_percent or cards.compute):
        return "gpu-memory and gpu-compute are asked of whole numbers of cards, not of a part of one"
    if not cards.count:
        return "a part of no card is asked for"
    for percent, key in ((cards.memory_percent, "gpu-memory"), (cards.compute, "gpu-compute")):
        if percent > WHOLE_PERCENT:
            return f"{key} {percent}% is more than a card has"
    return ""
