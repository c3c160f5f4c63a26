"""Small random clusters that are nearly full, with queues and one claimant that may have to take its room from others.

Sizes are such that every set of victims can be tried. A seed always gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from railwise.model.node import Cards, Node
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRequest,
    Checkpoint,
    Group,
    Request,
    Running,
    Segment,
    TopologyRule,
    Workload,
)
from tests.oracle.cluster import Cluster, Machine
from tests.oracle.things import losses

CLAIMANT = "new"
MINUTE = 60_000_000
CARD = 1000
MOST_WAYS = 1200


@dataclass
class Scene:
    """An instance under construction; ``ways`` bounds the number of sets of victims."""

    random: Random
    queues: tuple[Queue, ...] = ()
    leaves: list[str] = field(default_factory=lambda: ["default"])
    shared: bool = False
    cpu: bool = False
    ways: int = 1


def contest(seed: int) -> Scenario:
    """Return the scenario of a seed; its last workload, named ``CLAIMANT``, is the one that waits."""
    return rivals(seed, 1)


def rivals(seed: int, claimants: int = 3) -> Scenario:
    """Return the scenario of a seed with so many workloads that wait; the first of them is named ``CLAIMANT``."""
    random = Random(seed)
    scene = Scene(random, shared=random.random() < 0.15, cpu=random.random() < 0.2)
    nodes = _nodes(scene)
    topologies = (Topology("fabric", (Level("rack"),)),) if random.random() < 0.8 else ()
    if not topologies:
        nodes = tuple(replace(node, places={}) for node in nodes)
    _queues(scene, sum(node.card_count() for node in nodes))
    scenario = Scenario(f"contest-{seed}", seed, topologies, nodes, queues=scene.queues)
    workloads = _running(scene, scenario)
    waiting = [_claimant(scene, scenario, len(workloads) + number) for number in range(claimants)]
    named = [replace(one, name=f"{CLAIMANT}-{number}") if number else one for number, one in enumerate(waiting)]
    return replace(scenario, workloads=(*workloads, *named))


def repair(seed: int) -> Scenario:
    """Return a scenario in which somebody who runs has lost a pod; it stands last and is named ``CLAIMANT``."""
    scenario = rivals(seed, 0)
    random = Random(seed)
    hurt = [one for one in scenario.workloads if one.root.pods > 1 and one.kind != "training"]
    if not hurt:
        return contest(seed)
    old = random.choice(hurt)
    running = old.root.running
    lost = random.randrange(old.root.pods)
    if running is not None:
        nodes = tuple(None if rank == lost else node for rank, node in enumerate(running.nodes))
        running = Running(nodes, running.since, running.cards)
    root = replace(old.root, min_pods=old.root.pods, running=running)
    claimant = replace(old, name=CLAIMANT, root=root, priority=random.choice([0, 5, 20]))
    filler = Group(pods=1, min_pods=1, request=root.request)
    others = [one for one in scenario.workloads if one is not old]
    if running is not None:
        home = old.root.running.nodes[lost] if old.root.running is not None else None
        cards = old.root.running.cards[lost] if old.root.running is not None else ()
        filler = replace(filler, running=Running((home,), -MINUTE, (cards,)))
    taker = Workload("taker", filler, random.choice([old.queue, others[0].queue if others else old.queue]), order=90)
    return replace(scenario, workloads=(*others, taker, claimant))


def _nodes(scene: Scene) -> tuple[Node, ...]:
    random = scene.random
    count = random.choice([1, 2, 3, 3, 4, 4, 5, 6, 8])
    racks = random.randint(1, min(3, count))
    cards = random.choice([[2], [4], [4], [4, 2], [8]])
    homes = sorted(random.randrange(racks) for _ in range(count))
    return tuple(
        Node(
            f"n{index}",
            {"fabric": {"rack": f"r{home}"}},
            (Cards(random.choice(cards)),),
            resources={"cpu": random.choice([8000, 16000])} if scene.cpu else {},
            unschedulable=random.random() < 0.04,
        )
        for index, home in enumerate(homes)
    )


def _queues(scene: Scene, cards: int) -> None:
    """Declare no queue, a few, or a tree of two levels; quotas add up to about what there is."""
    random = scene.random
    form = random.choice(["none", "flat", "flat", "flat", "tree", "tree"])
    if form == "none":
        return
    tops = random.choice([2, 2, 3])
    queues: list[Queue] = []
    scene.leaves = []
    for top in range(tops):
        name = "abc"[top]
        queues.append(_queue(scene, name, "", cards, tops))
        children = random.choice([0, 2, 2]) if form == "tree" else 0
        for child in range(children):
            queues.append(_queue(scene, f"{name}{child}", name, cards, tops * children))
            scene.leaves.append(f"{name}{child}")
        if not children:
            scene.leaves.append(name)
    scene.queues = tuple(queues)


def _queue(scene: Scene, name: str, parent: str, cards: int, parts: int) -> Queue:
    random = scene.random
    quota: dict[str, int] = {}
    if random.random() < 0.7:
        quota["gpu"] = CARD * random.choice([cards // parts, cards // parts, random.randint(0, cards)])
    if scene.cpu and random.random() < 0.4:
        quota["cpu"] = 1000 * random.randint(0, 24)
    limit = {"gpu": CARD * random.randint(cards // 2, cards)} if random.random() < 0.12 else {}
    lend = {"gpu": CARD * random.randint(0, cards)} if quota and random.random() < 0.15 else None
    return Queue(
        name,
        parent,
        quota,
        limit,
        lend,
        weight=random.choice([1000, 1000, 2000, 0]) if random.random() < 0.5 else 1000,
        priority=random.choice([0, 0, 0, 1]),
        preempt_min_runtime=random.choice([0, 0, 0, 0, 0, 20]) * MINUTE,
        reclaim_min_runtime=random.choice([0, 0, 0, 0, 0, 20]) * MINUTE,
    )


def _running(scene: Scene, scenario: Scenario) -> tuple[Workload, ...]:
    """Fill the cluster workload by workload while there is room and the number of victim sets stays small."""
    random = scene.random
    cluster = Cluster(scenario)
    workloads: list[Workload] = []
    for _ in range(random.randint(6, 14)):
        if len(workloads) == 8:
            break
        made = _one(scene, cluster, f"w{len(workloads)}", len(workloads))
        if made is None:
            continue
        ways = len(list(losses(made.root, "", training=made.kind == "training"))) + 1
        if scene.ways * ways <= MOST_WAYS:
            scene.ways *= ways
            workloads.append(made)
    return tuple(workloads)


def _one(scene: Scene, cluster: Cluster, name: str, order: int) -> Workload | None:
    random = scene.random
    kind = random.choice(["batch", "batch", "training", "inference"])
    elastic = kind == "training" and random.random() < 0.5
    spare = random.choice([0, 0, 1, 2, 3])
    grouped = random.random() < 0.12
    since = -MINUTE * random.choice([0, 5, 10, 10, 30, 30, 60])
    if grouped:
        parts = [_part(scene, cluster, f"g{number}", 0, since) for number in range(random.choice([2, 3]))]
        groups = tuple(part for part in parts if part is not None)
        if not groups:
            return None
        root = Group(groups=groups, min_groups=random.randint(1, len(groups)))
    else:
        part = _part(scene, cluster, "", spare, since)
        if part is None:
            return None
        root = part
        homes = {cluster.by_name[str(node)].node.places.get("fabric", {}).get("rack") for node in _nodes_of(part)}
        if cluster.scenario.topologies and len(homes) == 1 and random.random() < 0.3:
            root = replace(part, topology=TopologyRule(required="rack"))
    checkpoint = None
    if random.random() < 0.4:
        checkpoint = Checkpoint(MINUTE * random.choice([4, 7, 20]), MINUTE * random.choice([0, 1, 3]))
    return Workload(
        name,
        root,
        random.choice(scene.leaves),
        priority=random.choice([0, 0, 0, 5, 10]),
        submit=since,
        order=order,
        kind=kind,
        elastic=elastic,
        preemptible=random.random() > 0.12,
        checkpoint=checkpoint,
    )


def _nodes_of(part: Group) -> tuple[str | None, ...]:
    return part.running.nodes if part.running is not None else ()


def _part(scene: Scene, cluster: Cluster, name: str, spare: int, since: int) -> Group | None:
    """Return a running leaf group on free cards, all on one node or spread; None where not one pod fits."""
    random = scene.random
    request = _request(scene, random.choice([1, 1, 2, 2, 4]))
    wanted = random.choice([1, 1, 2]) + spare
    places = list(cluster.machines)
    if random.random() < 0.5:
        random.shuffle(places)
    nodes: list[str] = []
    cards: list[tuple[str, ...]] = []
    for place in places:
        while len(nodes) < wanted and not place.node.unschedulable:
            chosen = _free(place, request)
            if chosen is None:
                break
            place.put(request, Group().card_rule, chosen)
            nodes.append(place.node.name)
            cards.append(tuple(str(card) for card in chosen))
    if not nodes:
        return None
    least = max(len(nodes) - spare, 1)
    running = Running(tuple(nodes), since, tuple(cards))
    return Group(name, len(nodes), least, request, running=running)


def _request(scene: Scene, count: int) -> Request:
    amounts = (("cpu", 1000 * scene.random.choice([1, 2, 4])),) if scene.cpu and scene.random.random() < 0.6 else ()
    if scene.shared and scene.random.random() < 0.5:
        return Request(CardRequest(CARDS_SHARE, 1, fraction=scene.random.choice([250, 500])), amounts)
    return Request(CardRequest(CARDS_WHOLE, count), amounts)


def _free(place: Machine, request: Request) -> list[int] | None:
    shares = request.cards.kind == CARDS_SHARE
    free = [card.number for card in place.cards if (card.has_room(request) if shares else card.untouched())]
    if len(free) < request.cards.count or place.left_after([request]) is None:
        return None
    return free[: request.cards.count]


def _claimant(scene: Scene, scenario: Scenario, order: int) -> Workload:
    random = scene.random
    most = max(node.card_count() for node in scenario.nodes)
    pods = min(random.choice([1, 1, 2, 2, 3, 4]), len(scenario.nodes))
    rule = TopologyRule()
    if scenario.topologies and random.random() < 0.35:
        rule = random.choice(
            [TopologyRule(required="rack"), TopologyRule(distinct="rack"), TopologyRule(required="node")]
        )
    request = _request(scene, random.choice([most, most, max(most // 2, 1), max(most // 2, 1), 1]))
    root = Group(pods=pods, min_pods=pods, request=request, topology=rule)
    if scenario.topologies and not rule.distinct and pods > 1 and random.random() < 0.1:
        root = replace(root, segment=Segment(2, "rack"))
    if random.random() < 0.12:
        root = Group(
            topology=rule,
            groups=(Group("x", 1, 1, request), Group("y", pods, pods, _request(scene, max(most // 2, 1)))),
            min_groups=random.choice([1, 2]),
        )
    return Workload(
        CLAIMANT,
        root,
        random.choice(scene.leaves),
        priority=random.choice([0, 5, 5, 10, 20]),
        order=order,
        preemptible=random.random() > 0.1,
        kind=random.choice(["batch", "batch", "training"]),
    )
