"""What free room is worth to the pods that usually come.

A free card is of no use to a pod that finds no cpu beside it, or asks for another model; half a card is of none to one
that asks for 0.6. So room is judged by the mix of pods that was observed: for each kind of pod, what it could use of a
node, weighted by how often the kind comes. Two figures are kept, both exact integers:

- *reach*: the free thousandths of all cards that could take one such pod, if the node can hold one at all. This is the
  complement of the expected fragmentation of Weng et al. (FGD, USENIX ATC 2023): what they count as fragmented, for a
  pod, is the free room of a node less this;
- *fill*: what as many such pods as fit would take together. It knows what *reach* does not: that cpu runs out, and that
  a card of 0.9 holds no second pod of 0.5.

Memory counts for fitting only.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from railwise.engine.cluster.fit import whole_banks
from railwise.engine.cluster.room import FULL_COMPUTE, Bank, Chosen, NodeSpec, Room
from railwise.engine.cluster.shapes import KIND_SHARE, KIND_WHOLE, UNLIMITED, Shape
from railwise.engine.cluster.shares import after_share, choices, share_cards
from railwise.model.policy import MixPod

CARD: Final = 1000
"""One card in thousandths."""

POWERS: Final = (1, 2, 4, 8)
"""Cards of the pods that an empty mix stands for."""

Partial = tuple[tuple[int, int, int], ...]


class Group:
    """The kinds of the mix that ask for the same cards, by their cpu, ascending.

    ``ahead[i]`` is the weight of the first i kinds; ``each`` the thousandths asked of each of ``cards`` cards.
    """

    def __init__(self, gpu: int, models: tuple[str, ...]) -> None:
        """Start without kinds."""
        self.gpu: Final = gpu
        self.cards: Final = max(gpu // CARD, 1)
        self.each: Final = min(gpu, CARD)
        self.models: Final = models
        self.cpus: Final[list[int]] = []
        self.weights: Final[list[int]] = []
        self.ahead: Final[list[int]] = [0]

    def add(self, cpu: int, weight: int) -> None:
        """Add a kind that asks for at least as much cpu as the ones before."""
        self.cpus.append(cpu)
        self.weights.append(weight)
        self.ahead.append(self.ahead[-1] + weight)

    def pods(self, most: int, cpu: int) -> int:
        """Return how many pods of each kind fit, at most ``most`` each, times their weights."""
        plenty = bisect_right(self.cpus, cpu // most)
        total = most * self.ahead[plenty]
        for index in range(plenty, len(self.cpus)):
            needed = self.cpus[index]
            if needed > cpu:
                break
            total += self.weights[index] * (cpu // needed)
        return total


class CardWorth:
    """What the free cards of a node are to the groups that can use them: (group, reach, pods that fit)."""

    def __init__(self, groups: list[Group], runs: list[tuple[str, list[int]]]) -> None:
        """Judge the cards: the free thousandths of each, by model."""
        self.total: Final = sum(sum(run) for _, run in runs)
        self.uses: Final[list[tuple[Group, int, int]]] = []
        for group in groups:
            each = group.each
            able = [
                one for model, run in runs if not group.models or model in group.models for one in run if one >= each
            ]
            if len(able) >= group.cards:
                pods = len(able) // group.cards if each == CARD else sum([one // each for one in able])
                self.uses.append((group, sum(able), pods))
        self.reach: Final[dict[int, int]] = {}
        self.fill: Final[dict[int, int]] = {}
        self.ways: Final[dict[int, list[Way]]] = {}


class Way(NamedTuple):
    """One way to give a pod its cards (empty: by the rule), and the cards that are left."""

    chosen: Chosen
    left: CardWorth


class Mix:
    """The pods that come, and what rooms of one state are worth to them; without any, one pod of each of ``POWERS``."""

    def __init__(self, pods: tuple[MixPod, ...]) -> None:
        """Group the kinds of pods by what they ask of cards."""
        kinds = pods or tuple([MixPod(1, CARD * cards) for cards in POWERS])
        self.weight: Final = sum([pod.weight for pod in kinds])
        groups: dict[tuple[int, tuple[str, ...]], Group] = {}
        for pod in sorted(kinds, key=_by_cpu):
            if pod.gpu:
                key = (pod.gpu, pod.models)
                if key not in groups:
                    groups[key] = Group(pod.gpu, pod.models)
                groups[key].add(pod.cpu, pod.weight)
        self.groups: Final = [groups[key] for key in sorted(groups)]
        self._steps: Final = sorted({cpu for group in self.groups for cpu in group.cpus})
        self._worths: Final[dict[tuple[int, tuple[int, ...], Partial], CardWorth]] = {}

    def cards(self, spec: NodeSpec, whole: tuple[int, ...], partial: Partial) -> CardWorth:
        """Return what the free cards of a node are to the mix, whatever cpu is left."""
        key = (spec.index, whole, partial)
        known = self._worths.get(key)
        if known is None:
            known = CardWorth(self.groups, free_cards(spec, whole, partial))
            self._worths[key] = known
        return known

    def of_room(self, room: Room) -> CardWorth:
        """Return what the free cards of a room are to the mix."""
        return self.cards(room.spec, room.whole, room.partial)

    def reach(self, cards: CardWorth, cpu: int) -> int:
        """Return the free thousandths that pods of the mix could use, each kind by itself, times their weights."""
        step = bisect_right(self._steps, cpu)
        known = cards.reach.get(step)
        if known is None:
            known = 0
            for group, able, _ in cards.uses:
                known += able * group.ahead[bisect_right(group.cpus, cpu)]
            cards.reach[step] = known
        return known

    def fill(self, cards: CardWorth, cpu: int) -> int:
        """Return the thousandths that as many pods as fit would take, each kind by itself, times their weights."""
        known = cards.fill.get(cpu)
        if known is None:
            known = 0
            for group, _, most in cards.uses:
                known += group.gpu * group.pods(most, cpu)
            cards.fill[cpu] = known
        return known

    def fragmented(self, cards: CardWorth, cpu: int) -> int:
        """Return the free thousandths that pods of the mix could not use, times the weight of the whole mix."""
        return self.weight * cards.total - self.reach(cards, cpu)

    def ways(self, bare: Shape, room: Room) -> list[Way]:
        """Return the ways to give a pod its cards in a room that it fits; ``bare`` is its shape without the rest.

        A share on one card may take any; all other pods take their cards by the rule.
        """
        here = self.of_room(room)
        known = here.ways.get(bare.index)
        if known is None:
            known = self._ways(bare, room, here)
            here.ways[bare.index] = known
        return known

    def _ways(self, bare: Shape, room: Room, here: CardWorth) -> list[Way]:
        if bare.kind == KIND_WHOLE:
            taken = whole_banks(bare, room)
            whole = tuple([have - take for have, take in zip(room.whole, taken, strict=True)])
            return [Way((), self.cards(room.spec, whole, room.partial))]
        if bare.kind != KIND_SHARE:
            return [Way((), here)]
        sets = choices(bare, room) if bare.cards == 1 else [share_cards(bare, room)]
        return [Way(cards, self.cards(room.spec, *after_share(bare, room, cards))) for cards in sets]


def _by_cpu(pod: MixPod) -> int:
    return pod.cpu


def cpu_after(room: Room, shape: Shape) -> int:
    """Return the millicores left in a room after a pod of the shape."""
    return room.cpu if room.cpu == UNLIMITED else room.cpu - shape.cpu


def free_cards(spec: NodeSpec, whole: tuple[int, ...], partial: Partial) -> list[tuple[str, list[int]]]:
    """Return the free thousandths of the usable cards with any, by model."""
    banks = spec.banks
    runs = [[CARD] * count if banks[bank].usable else [] for bank, count in enumerate(whole)]
    for bank, memory, compute in partial:
        if banks[bank].usable:
            runs[bank].append(thousandths(banks[bank], memory, compute))
    return [(bank.model, run) for bank, run in zip(banks, runs, strict=True) if run]


def thousandths(bank: Bank, memory: int, compute: int) -> int:
    """Return what is free of a card in thousandths: of its memory or its compute, whichever is less."""
    left = memory * FULL_COMPUTE // bank.fine if bank.fine else 0
    return max(min(left, compute), 0)
