"""Nodes and workloads drawn by the dials of a draft: the cluster, what runs on it, and what waits."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from railwise.model.node import Cards, Node, Taint
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_SHARE,
    CARDS_WHOLE,
    Alternative,
    CardRequest,
    CardRule,
    Group,
    Request,
    Running,
    TopologyRule,
    Workload,
)
from tests.oracle.cluster import Cluster
from tests.oracle.draft import CARD_MEMORY, LEVELS, PENDING, POOLS, Draft


def drawn_topologies(draft: Draft) -> tuple[Topology, ...]:
    found = [Topology("fabric", tuple(Level(name) for name in LEVELS[3 - draft.depth :]))]
    if draft.second:
        found.append(Topology("nvlink", (Level("clique"),)))
    return tuple(found) if draft.depth or draft.second else ()


def drawn_nodes(draft: Draft) -> tuple[Node, ...]:
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


def drawn_running(draft: Draft, scenario: Scenario) -> tuple[Workload, ...]:
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


def drawn_pods(draft: Draft, name: str = "", most: int = 0) -> Group:
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


def drawn_pending(draft: Draft, order: int) -> Workload:
    random = draft.random
    root = _grouped(draft) if draft.grouped else drawn_pods(draft)
    if draft.depth and random.random() < 0.4:
        root = replace(root, topology=replace(root.topology, required=drawn_level(draft, 0.1)))
    if random.random() < 0.4:
        root = replace(root, topology=replace(root.topology, preferred=drawn_level(draft, 0.3)))
    for wish in draft.wishes:
        root = wish(draft, root)
    alternatives: tuple[Alternative, ...] = ()
    if draft.alternatives and not root.groups:
        other = replace(drawn_pods(draft), topology=root.topology, selection=root.selection)
        ways = [Alternative(root, random.choice([1000, 1100])), Alternative(other, random.choice([1000, 1050, 1200]))]
        alternatives = tuple(ways)
    return Workload(PENDING, root, order=order, kind=draft.kind, alternatives=alternatives)


def drawn_level(draft: Draft, node: float, topology: str = "") -> str:
    levels = ("clique",) if topology == "nvlink" else LEVELS[3 - draft.depth :]
    if not levels or draft.random.random() < node:
        return "node"
    return draft.random.choice(levels)


def _grouped(draft: Draft) -> Group:
    random = draft.random
    groups = [drawn_pods(draft, f"g{number}", draft.most_pods // 2) for number in range(random.choice([2, 2, 3]))]
    for number, group in enumerate(groups):
        if random.random() < 0.5:
            level = drawn_level(draft, 0.1)
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
            inner = replace(inner, topology=replace(inner.topology, **{kind: drawn_level(draft, 0.0)}))
        groups = [groups[0], inner]
    least = random.randint(1, len(groups)) if draft.grouped == "k-of-n" else len(groups)
    return Group(groups=tuple(groups), min_groups=least)
