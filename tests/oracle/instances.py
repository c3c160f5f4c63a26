"""Small random clusters with one pending workload, for comparison with the reference. A seed always gives the same.

Every instance mixes a few themes (groups, segments, shares, sick cards, …) on a base of running work, so that rules
meet each other. Sizes are such that the reference can try every placement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from railwise.model.node import Cards, Node, Taint
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    Alternative,
    CardRequest,
    CardRule,
    Group,
    Request,
    Requirement,
    Running,
    Segment,
    Selection,
    Toleration,
    TopologyRule,
    Workload,
)
from tests.oracle.cluster import Cluster

PENDING = "new"
"""The name of the workload that waits."""

LEVELS = ("spine", "superpod", "rack")
CARD_MEMORY = 40_000
POOLS = ("gold", "silver")


@dataclass
class Draft:
    """An instance under construction: dials that themes turn before nodes and workloads are drawn."""

    random: Random
    sizes: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 10, 12)
    most_racks: int = 5
    most_pods: int = 6
    cards: list[int] = field(default_factory=lambda: [8])
    depth: int = 1
    second: bool = False
    nameless: bool = False
    limits: bool = False
    sick: bool = False
    islands: bool = False
    models: bool = False
    memory: bool = False
    shared: bool = False
    empty: bool = False
    pools: bool = False
    rails: bool = False
    closed: bool = False
    policy: Policy = Policy()
    pod: Callable[[Random], Group] | None = None
    wishes: list[Callable[[Draft, Group], Group]] = field(default_factory=list)
    kind: str = "batch"
    alternatives: bool = False
    grouped: str = ""


Theme = Callable[[Draft], None]
"""Turns one dial of a draft."""


def instance(seed: int) -> Scenario:
    """Return the scenario of a seed; its last workload, named ``PENDING``, is the one that waits."""
    random = Random(seed)
    return _drawn(seed, Draft(random, depth=random.choice([0, 1, 1, 2, 2, 3])), THEMES)


def large_instance(seed: int) -> Scenario:
    """Return an instance with dozens of nodes, about rules and not about cards, for a solver to judge."""
    random = Random(seed)
    draft = Draft(random, (20, 30, 40, 60), 12, 16, depth=random.choice([1, 2, 2, 3]))
    return _drawn(
        seed, draft, [_segments, _distinct, _groups, _nested, _k_of_n, _limits, _selectors, _closed, _nameless]
    )


def crowd(seed: int) -> Scenario:
    """Return an instance with several workloads that wait, of different priorities and times of submission."""
    random = Random(seed)
    draft = Draft(random, depth=random.choice([0, 1, 1, 2, 2, 3]))
    scenario = _drawn(seed, draft, THEMES)
    *running, first = scenario.workloads
    waiting = [first]
    for number in range(random.randint(1, 3)):
        draft.grouped = random.choice(["", "", "flat", "k-of-n"])
        more = _pending(draft, len(running) + len(waiting))
        priority, submit = random.choice([0, 0, 5]), random.choice([0, -60_000_000])
        waiting.append(replace(more, name=f"{PENDING}-{number}", priority=priority, submit=submit))
    return replace(scenario, workloads=(*running, *waiting))


def _drawn(seed: int, draft: Draft, themes: list[Theme]) -> Scenario:
    random = draft.random
    draft.cards = random.choice([[8], [8], [4], [2], [8, 4]])
    for theme in random.sample(themes, random.choice([0, 1, 1, 2, 2, 3, 4])):
        theme(draft)
    topologies = _topologies(draft)
    nodes = _nodes(draft)
    scenario = Scenario(f"seed-{seed}", seed, topologies, nodes, policy=draft.policy)
    running = _running(draft, scenario)
    pending = _pending(draft, len(running))
    return replace(scenario, workloads=(*running, pending))


# --- The cluster -----------------------------------------------------------------------------------------------------


def _topologies(draft: Draft) -> tuple[Topology, ...]:
    found = [Topology("fabric", tuple(Level(name) for name in LEVELS[3 - draft.depth :]))]
    if draft.second:
        found.append(Topology("nvlink", (Level("clique"),)))
    return tuple(found) if draft.depth or draft.second else ()


def _nodes(draft: Draft) -> tuple[Node, ...]:
    random = draft.random
    count = random.choice(draft.sizes)
    racks = random.randint(1, min(draft.most_racks, count))
    superpods = random.randint(1, racks)
    spines = random.randint(1, superpods)
    rack_home = sorted(random.randrange(superpods) for _ in range(racks))
    superpod_home = sorted(random.randrange(spines) for _ in range(superpods))
    homes = [random.randrange(racks) for _ in range(count)]
    if random.random() < 0.7:
        homes.sort()
    nodes = []
    for index, rack in enumerate(homes):
        path = {"spine": superpod_home[rack_home[rack]], "superpod": rack_home[rack], "rack": rack}
        names = {level: f"{level[0]}{path[level]}" for level in LEVELS[3 - draft.depth :]}
        if draft.nameless and random.random() < 0.25:
            first = random.randrange(len(names)) if names else 0
            for level in list(names)[first : first + random.choice([1, 3])]:
                del names[level]
        places = {"fabric": names}
        if draft.second and random.random() < 0.9:
            places["nvlink"] = {"clique": f"c{index // 2}"}
        nodes.append(_node(draft, f"n{index}", places))
    return tuple(nodes)


def _node(draft: Draft, name: str, places: dict[str, dict[str, str]]) -> Node:
    random = draft.random
    count = 0 if draft.empty and random.random() < 0.4 else random.choice(draft.cards)
    kinds: tuple[Cards, ...] = ()
    if count:
        islands = 2 if draft.islands and count % 2 == 0 and count > 2 else 1
        model = random.choice(["A", "B"]) if draft.models else ""
        memory = CARD_MEMORY * random.choice([1, 2]) if draft.memory else 0
        kinds = (Cards(count, model, memory, islands=islands),)
        if draft.models and islands == 1 and count > 2 and random.random() < 0.3:
            kinds = (Cards(count // 2, "A", memory), Cards(count - count // 2, "B", memory))
    resources: dict[str, int] = {}
    if draft.limits:
        resources["cpu"] = 1000 * random.choice([8, 16, 17, 32, 64])
        if random.random() < 0.5:
            resources["memory"] = 1024 * random.choice([32, 64, 100])
        if random.random() < 0.3:
            resources["pods"] = random.choice([1, 2, 3, 8])
        if random.random() < 0.3:
            resources["example.com/nic"] = random.choice([1, 2, 4])
    sick = frozenset(card for card in range(count) if random.random() < 0.2) if draft.sick else frozenset()
    taint = Taint("burnt-in", "no", random.choice(["NoSchedule", "NoExecute", "PreferNoSchedule"]))
    return Node(
        name,
        places,
        kinds,
        sick,
        resources,
        {"pool": random.choice(POOLS), "generation": str(random.randint(1, 3))} if draft.pools else {},
        (taint,) if draft.pools and random.random() < 0.3 else (),
        ready=not (draft.closed and random.random() < 0.15),
        unschedulable=draft.closed and random.random() < 0.15,
        dead_rails=frozenset({random.randrange(8)}) if draft.rails and random.random() < 0.4 else frozenset(),
    )


def _running(draft: Draft, scenario: Scenario) -> tuple[Workload, ...]:
    """Fill some nodes; every running pod names its cards."""
    random = draft.random
    cluster = Cluster(scenario)
    load = random.choice([0.0, 0.3, 0.5, 0.7, 0.9])
    workloads: list[Workload] = []
    for place in cluster.machines:
        if not place.node.ready or random.random() > load:
            continue
        for _ in range(random.choice([1, 1, 2])):
            request = _running_request(draft, random, place.class_size())
            free = [card.number for card in place.cards if card.untouched()]
            if request.cards.kind == CARDS_SHARE:
                free = [card.number for card in place.cards if card.has_room(request)]
            if len(free) < request.cards.count or place.left_after([request]) is None:
                continue
            chosen = free[: request.cards.count]
            if random.random() < 0.3:
                chosen = sorted(random.sample(free, request.cards.count))
            if place.put(request, CardRule(), chosen):
                raise AssertionError("a running pod was drawn that does not fit")
            running = Running((place.node.name,), -60_000_000, (tuple(str(card) for card in chosen),))
            group = Group(pods=1, min_pods=1, request=request, running=running)
            workloads.append(Workload(f"old-{len(workloads)}", group, order=len(workloads)))
    return tuple(workloads)


def _running_request(draft: Draft, random: Random, most: int) -> Request:
    amounts: tuple[tuple[str, int], ...] = ()
    if draft.limits:
        amounts = (("cpu", 1000 * random.choice([1, 4, 8])), ("memory", 1024 * random.choice([1, 8, 16])))
    if most == 0 or (draft.limits and random.random() < 0.2):
        return Request(CardRequest(), amounts or (("cpu", 4000),))
    if draft.shared and random.random() < 0.6:
        return Request(CardRequest(CARDS_SHARE, 1, fraction=random.choice([250, 500, 600])), amounts)
    count = random.choice([most, most, max(1, most // 2), max(1, most // 4), random.randint(1, most)])
    return Request(CardRequest(CARDS_WHOLE, count), amounts)


# --- The workload that waits -----------------------------------------------------------------------------------------


def _pods(draft: Draft, name: str = "", most: int = 0) -> Group:
    random = draft.random
    most = most or draft.most_pods
    if draft.pod is not None:
        group = replace(draft.pod(random), name=name)
    else:
        largest = max(draft.cards)
        count = random.choice(
            [largest, largest, max(1, largest // 2), max(1, largest // 4), 1, random.randint(1, largest)]
        )
        group = Group(name, request=Request(CardRequest(CARDS_WHOLE, count)))
    if draft.limits and random.random() < 0.7:
        amounts = [("cpu", 1000 * random.choice([1, 2, 4, 8, 16])), ("memory", 1024 * random.choice([1, 4, 16]))]
        if random.random() < 0.2:
            amounts.append(("example.com/nic", 1))
        group = replace(group, request=replace(group.request, resources=tuple(amounts)))
    pods = min(most, random.choice([1, 2, 2, 3, 4, 5, most, most]))
    least = random.randint(1, pods) if random.random() < 0.25 else pods
    return replace(group, pods=pods, min_pods=least)


def _pending(draft: Draft, order: int) -> Workload:
    random = draft.random
    root = _grouped(draft) if draft.grouped else _pods(draft)
    if draft.depth and random.random() < 0.4:
        root = replace(root, topology=replace(root.topology, required=_level(draft, 0.1)))
    if random.random() < 0.4:
        root = replace(root, topology=replace(root.topology, preferred=_level(draft, 0.3)))
    for wish in draft.wishes:
        root = wish(draft, root)
    alternatives: tuple[Alternative, ...] = ()
    if draft.alternatives and not root.groups:
        other = replace(_pods(draft), topology=root.topology, selection=root.selection)
        ways = [Alternative(root, random.choice([1000, 1100])), Alternative(other, random.choice([1000, 1050, 1200]))]
        alternatives = tuple(ways)
    return Workload(PENDING, root, order=order, kind=draft.kind, alternatives=alternatives)


def _level(draft: Draft, node: float, topology: str = "") -> str:
    levels = ("clique",) if topology == "nvlink" else LEVELS[3 - draft.depth :]
    if not levels or draft.random.random() < node:
        return "node"
    return draft.random.choice(levels)


def _grouped(draft: Draft) -> Group:
    random = draft.random
    groups = [_pods(draft, f"g{number}", draft.most_pods // 2) for number in range(random.choice([2, 2, 3]))]
    for number, group in enumerate(groups):
        if random.random() < 0.5:
            level = _level(draft, 0.1)
            rule = random.choice(
                [TopologyRule(required=level), TopologyRule(preferred=level), TopologyRule(distinct=level)]
            )
            if random.random() < 0.2:
                rule = replace(rule, balance="even")
            groups[number] = replace(group, topology=rule)
    if draft.grouped == "nested":
        least = random.choice([1, len(groups) - 1, len(groups) - 1])
        inner = Group("inner", groups=tuple(groups[1:]), min_groups=least)
        if random.random() < 0.6:
            kind = random.choice(["required", "required", "preferred", "distinct"])
            inner = replace(inner, topology=replace(inner.topology, **{kind: _level(draft, 0.0)}))
        groups = [groups[0], inner]
    least = random.randint(1, len(groups)) if draft.grouped == "k-of-n" else len(groups)
    return Group(groups=tuple(groups), min_groups=least)


# --- Themes ----------------------------------------------------------------------------------------------------------


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
        required = _level(draft, 0.2, topology) if random.random() < 0.6 else ""
        preferred = _level(draft, 0.3, topology) if not required or random.random() < 0.4 else ""
        return replace(leaf, segment=Segment(size, required, preferred))

    draft.wishes.append(lambda draft, group: _one_leaf(draft, group, cut))


def _distinct(draft: Draft) -> None:
    def wish(draft: Draft, group: Group) -> Group:
        rule = replace(group.topology, distinct=_level(draft, 0.3, group.topology.name), required="")
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
