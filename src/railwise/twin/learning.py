"""What usually comes, learned from what came: the mix of pods, and the sizes of gangs in cards.

The mix is what single pods are packed by (``spec.policy.mix``), the sizes are what free nodes and racks are kept for
(``spec.policy.sizes``). Both are counts: no model, no training, and anybody can check them with a spreadsheet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from railwise.model.policy import MixPod
from railwise.model.workload import CARDS_NONE, CARDS_SHARE, CARDS_WHOLE, CardRequest, Group, Workload

CARD: Final = 1000
"""One card in thousandths."""

ALL: Final = 100
"""Percent of the pods that a mix without a cut covers."""

USUAL: Final = 95
"""Percent of the pods that the kinds of a mix cover: the cut of the study that introduced it."""


class Learned(NamedTuple):
    """What was learned from ``pods`` pods of ``workloads`` workloads.

    ``kinds`` are the kinds of pods before the cut; ``left_out`` counts pods whose cards are no plain share or whole
    cards (slices, shares by memory), which no mix describes. ``sizes`` are pairs (cards, workloads), ascending.
    """

    mix: tuple[MixPod, ...]
    sizes: tuple[tuple[int, int], ...]
    workloads: int
    pods: int
    kinds: int
    left_out: int


def learn(workloads: Iterable[Workload], percent: int = USUAL) -> Learned:
    """Return mix and sizes; the mix holds the commonest kinds that together make up ``percent`` of the pods.

    Kinds of equal count stand by more cpu, then more cards, then models, last names first.
    """
    kinds: Counter[tuple[int, int, tuple[str, ...]]] = Counter()
    sizes: Counter[int] = Counter()
    seen = left_out = 0
    for workload in workloads:
        seen += 1
        cards = 0
        for group in _leaves(workload.root):
            gpu = _thousandths(group.request.cards)
            if gpu is None:
                left_out += group.pods
                continue
            cpu = dict(group.request.resources).get("cpu", 0)
            kinds[gpu, cpu, group.card_rule.models if gpu else ()] += group.pods
            cards += group.pods * gpu
        if cards >= CARD and cards % CARD == 0:
            sizes[cards // CARD] += 1
    pods = sum(kinds.values())
    mix: list[MixPod] = []
    covered = 0
    for (gpu, cpu, models), count in sorted(kinds.items(), key=_commonest, reverse=True):
        if covered * ALL >= percent * pods:
            break
        mix.append(MixPod(count, gpu, cpu, models))
        covered += count
    return Learned(tuple(mix), tuple(sorted(sizes.items())), seen, pods, len(kinds), left_out)


def _commonest(item: tuple[tuple[int, int, tuple[str, ...]], int]) -> tuple[int, int, int, int, tuple[str, ...]]:
    (gpu, cpu, models), count = item
    return count, cpu, min(gpu, CARD), gpu, models


def _leaves(group: Group) -> list[Group]:
    return [leaf for child in group.groups for leaf in _leaves(child)] if group.groups else [group]


def _thousandths(cards: CardRequest) -> int | None:
    """Return what a pod asks of cards in thousandths, None where a mix cannot say it."""
    if cards.kind == CARDS_NONE:
        return 0
    if cards.kind == CARDS_WHOLE:
        return CARD * cards.count
    plain = cards.kind == CARDS_SHARE and cards.count == 1 and not (cards.memory or cards.memory_percent)
    return cards.fraction if plain and cards.fraction else None
