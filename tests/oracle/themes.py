"""What an instance may be about: each theme turns one dial of a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from railwise.model.requirement import Requirement
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CardRequest,
    CardRule,
    Group,
    Request,
    Segment,
    Selection,
    Toleration,
    TopologyRule,
)
from tests.oracle.draft import CARD_MEMORY, POOLS, Draft, Theme
from tests.oracle.drawing import drawn_level


def _one_leaf(draft: Draft, group: Group, change: Callable[[Group, str], Group], topology: str = "") -> Group:
    """Change one leaf group, any; ``change`` is told the name of the topology that its rules speak of."""
    topology = group.topology.name or topology
    if not group.groups:
        return change(group, topology)
    number = draft.random.randrange(len(group.groups))
    changed = _one_leaf(draft, group.groups[number], change, topology)
    return replace(group, groups=(*group.groups[:number], changed, *group.groups[number + 1 :]))


def _segments(draft: Draft) -> None:
    def cut(leaf: Group, topology: str) -> Group:
        random = draft.random
        size = random.choice([1, 2, 2, 3])
        required = drawn_level(draft, 0.2, topology) if random.random() < 0.6 else ""
        preferred = drawn_level(draft, 0.3, topology) if not required or random.random() < 0.4 else ""
        return replace(leaf, segment=Segment(size, required, preferred))

    draft.wishes.append(lambda draft, group: _one_leaf(draft, group, cut))


def _distinct(draft: Draft) -> None:
    def wish(draft: Draft, group: Group) -> Group:
        rule = replace(group.topology, distinct=drawn_level(draft, 0.3, group.topology.name), required="")
        return replace(group, topology=rule)

    draft.wishes.append(wish)


def _even(draft: Draft) -> None:
    draft.wishes.append(lambda _, group: replace(group, topology=replace(group.topology, balance="even")))


def _second_topology(draft: Draft) -> None:
    draft.second = True

    def wish(draft: Draft, group: Group) -> Group:
        random = draft.random
        rule = random.choice([TopologyRule("nvlink", required="clique"), TopologyRule("nvlink", preferred="clique")])
        if group.groups:
            if any(child.topology != TopologyRule() for child in group.groups):
                return group
            return _one_leaf(draft, group, lambda leaf, _: replace(leaf, topology=rule, segment=None))
        return replace(group, topology=rule, segment=None) if random.random() < 0.7 else group

    draft.wishes.insert(0, wish)


def _selectors(draft: Draft) -> None:
    draft.pools = True

    def wish(draft: Draft, group: Group) -> Group:
        random = draft.random
        terms: tuple[tuple[Requirement, ...], ...] = ()
        if random.random() < 0.5:
            operator = random.choice(["In", "NotIn", "Gt", "Lt"])
            terms = ((Requirement("generation", operator, ("2",)),),)
        tolerations = (Toleration("burnt-in", "Exists"),) if random.random() < 0.4 else ()
        labels = (("pool", random.choice(POOLS)),) if random.random() < 0.5 else ()
        selection = Selection(labels, terms, tolerations)
        return _one_leaf(draft, group, lambda leaf, _: replace(leaf, selection=selection))

    draft.wishes.append(wish)


def _shares(draft: Draft) -> None:
    draft.shared = True
    draft.memory = True

    def pod(random: Random) -> Group:
        if random.random() < 0.5:
            cards = CardRequest(CARDS_SHARE, 1, fraction=random.choice([100, 250, 334, 500, 600]))
        else:
            memory, percent = random.choice([(10_000, 0), (24_000, 0), (0, 25), (0, 40)])
            compute = random.choice([0, 0, 30, 60])
            cards = CardRequest(
                CARDS_SHARE, random.choice([1, 1, 2]), memory=memory, memory_percent=percent, compute=compute
            )
        return Group(request=Request(cards))

    draft.pod = pod


def _shared_neighbours(draft: Draft) -> None:
    draft.shared = True


def _sick_cards(draft: Draft) -> None:
    draft.sick = True


def _islands(draft: Draft) -> None:
    draft.islands = True
    rule = CardRule(island=True)
    draft.wishes.append(lambda draft, group: _one_leaf(draft, group, lambda leaf, _: replace(leaf, card_rule=rule)))


def _models(draft: Draft) -> None:
    draft.models = True
    rule = draft.random.choice([CardRule(("A",)), CardRule(("B", "C")), CardRule(memory=CARD_MEMORY + 1)])
    draft.memory = True
    draft.wishes.append(lambda draft, group: _one_leaf(draft, group, lambda leaf, _: replace(leaf, card_rule=rule)))


def _without_gpus(draft: Draft) -> None:
    draft.limits = True
    draft.empty = True
    draft.pod = lambda random: Group(request=Request(CardRequest(CARDS_NONE), (("cpu", 1000 * random.randint(1, 8)),)))


def _mixed_groups(draft: Draft) -> None:
    draft.empty = True
    draft.grouped = "flat"

    def wish(_: Draft, group: Group) -> Group:
        if not group.groups:
            return group
        plain = Request(CardRequest(CARDS_NONE), (("cpu", 2000),))
        last = _one_leaf(draft, group.groups[-1], lambda leaf, _: replace(leaf, request=plain))
        return replace(group, groups=(*group.groups[:-1], last))

    draft.wishes.append(wish)


def _groups(draft: Draft) -> None:
    draft.grouped = "flat"


def _nested(draft: Draft) -> None:
    draft.grouped = "nested"


def _k_of_n(draft: Draft) -> None:
    draft.grouped = "k-of-n"


def _limits(draft: Draft) -> None:
    draft.limits = True


def _rails(draft: Draft) -> None:
    draft.rails = True


def _closed(draft: Draft) -> None:
    draft.closed = True


def _nameless(draft: Draft) -> None:
    draft.nameless = True


def _kinds(draft: Draft) -> None:
    draft.kind = draft.random.choice(["training", "inference"])


def _no_wish(draft: Draft) -> None:
    draft.wishes.append(lambda _, group: replace(group, topology=replace(group.topology, preferred="none")))


def _largest_gang(draft: Draft) -> None:
    draft.policy = replace(draft.policy, largest_gang=draft.random.choice([2, 4, 8]))


def _sizes(draft: Draft) -> None:
    sizes = draft.random.choice([((1, 40), (8, 60)), ((1, 10), (2, 5), (16, 7)), ((1, 1), (4, 3), (8, 2), (24, 1))])
    draft.policy = replace(draft.policy, sizes=sizes)


def _alternatives(draft: Draft) -> None:
    draft.alternatives = True


THEMES: list[Theme] = [
    _segments,
    _distinct,
    _even,
    _second_topology,
    _selectors,
    _shares,
    _shared_neighbours,
    _sick_cards,
    _islands,
    _models,
    _without_gpus,
    _mixed_groups,
    _groups,
    _nested,
    _k_of_n,
    _limits,
    _rails,
    _closed,
    _nameless,
    _kinds,
    _no_wish,
    _largest_gang,
    _sizes,
    _alternatives,
]
"""What an instance may be about; each turns one dial."""

LARGE_THEMES: list[Theme] = [
    _segments,
    _distinct,
    _groups,
    _nested,
    _k_of_n,
    _limits,
    _selectors,
    _closed,
    _nameless,
]
"""What a large instance may be about: rules, not cards."""
