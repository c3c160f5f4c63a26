"""Random clusters and what may happen to them: workloads that come and go, nodes that fall sick and recover.

A seed always gives the same life. Clusters are larger and more mixed than those of the reference: several topologies,
racks of more nodes than an index keeps in one block, nodes of several classes, cpu and memory, shares, sick cards, dead
rails, nodes that name no domain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from railwise.engine.events import Event, NodeChange
from railwise.model.node import Cards, Node, Taint
from railwise.model.policy import Policy
from railwise.model.requirement import Requirement
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import (
    CARDS_NONE,
    CARDS_SHARE,
    CARDS_WHOLE,
    CardRequest,
    CardRule,
    Group,
    Request,
    Segment,
    Selection,
    Toleration,
    TopologyRule,
    Workload,
)

LEVELS = ("spine", "superpod", "rack")
MEMORY = 40_000
POOLS = ("gold", "silver")


class Life:
    """One cluster and a source of events for it. ``draw_*`` return something new on every call."""

    def __init__(self, seed: int, *, large: bool = False) -> None:
        """Draw the cluster; ``large`` clusters have racks of more than 32 nodes."""
        self.random = Random(seed)
        random = self.random
        self.large = large
        self.depth = random.choice([0, 1, 1, 2, 2, 3])
        self.second = random.random() < 0.3
        self.classes = random.choice([(8,), (8,), (4,), (8, 4), (8, 2, 16)])
        self.limits = random.random() < 0.4
        self.shared = random.random() < 0.3
        self.models = random.random() < 0.2
        self.islands = random.random() < 0.2
        self.nameless = random.random() < 0.2
        self.rails = random.random() < 0.2
        self.empty = random.random() < 0.3
        self.labelled = random.random() < 0.4
        sizes: tuple[tuple[int, int], ...] = ()
        if random.random() < 0.15:
            sizes = ((1, 40), (8, 60), (16, 7))
        policy = Policy(largest_gang=random.choice([0, 0, 0, 4, 16]), sizes=sizes)
        self.scenario = Scenario(f"life-{seed}", seed, self._topologies(), self._nodes(), policy=policy)
        self.shapes = [self._pod() for _ in range(random.choice([2, 3, 5]))]
        self.number = 0

    def _topologies(self) -> tuple[Topology, ...]:
        found = [Topology("fabric", tuple(Level(name) for name in LEVELS[3 - self.depth :]))] if self.depth else []
        if self.second:
            found.append(Topology("nvlink", (Level("clique"),)))
            if self.random.random() < 0.4:
                found.append(Topology("power", (Level("feed"), Level("row"))))
        return tuple(found)

    def _nodes(self) -> tuple[Node, ...]:
        random = self.random
        racks = random.randint(1, 4) if self.large else random.randint(1, 8)
        superpods = random.randint(1, racks)
        spines = random.randint(1, superpods)
        rack_home = sorted(random.randrange(superpods) for _ in range(racks))
        superpod_home = sorted(random.randrange(spines) for _ in range(superpods))
        nodes: list[Node] = []
        mixed = random.random() < 0.2
        for rack in range(racks):
            size = random.randint(30, 70) if self.large else random.randint(1, 6)
            for _ in range(size):
                home = random.randrange(racks) if mixed else rack
                path = {"spine": superpod_home[rack_home[home]], "superpod": rack_home[home], "rack": home}
                nodes.append(self._node(len(nodes), {level: f"{level[0]}{path[level]}" for level in LEVELS}))
        return tuple(nodes)

    def _node(self, index: int, fabric: dict[str, str]) -> Node:
        random = self.random
        names = {level: fabric[level] for level in LEVELS[3 - self.depth :]}
        if self.nameless and names and random.random() < 0.15:
            del names[random.choice(list(names))]
        places = {"fabric": names}
        if self.second:
            if random.random() < 0.9:
                places["nvlink"] = {"clique": f"c{index // random.choice([2, 3])}"}
            places["power"] = {"feed": f"f{index % 2}", "row": f"w{index % 6}"}
        count = 0 if self.empty and random.random() < 0.25 else random.choice(self.classes)
        return Node(
            f"n{index}",
            places,
            self._cards(count),
            frozenset(card for card in range(count) if random.random() < 0.02),
            self.draw_resources(),
            self.draw_labels(),
            (Taint("burnt-in", "no"),) if self.labelled and random.random() < 0.1 else (),
            ready=random.random() > 0.03,
            unschedulable=random.random() < 0.03,
            dead_rails=frozenset({1}) if self.rails and random.random() < 0.3 else frozenset(),
        )

    def _cards(self, count: int) -> tuple[Cards, ...]:
        random = self.random
        if not count:
            return ()
        model = random.choice(["A", "B"]) if self.models else ""
        if self.models and count > 2 and random.random() < 0.2:
            return (Cards(count // 2, "A", MEMORY), Cards(count - count // 2, "B", 2 * MEMORY))
        memory = MEMORY if self.shared or self.models else 0
        return (Cards(count, model, memory, islands=2 if self.islands and count > 2 else 1),)

    def draw_resources(self) -> dict[str, int]:
        """Return what a node might have of everything but cards."""
        random = self.random
        if not self.limits:
            return {}
        resources = {"cpu": 1000 * random.choice([16, 32, 32, 64]), "memory": 1024 * random.choice([64, 64, 100])}
        if random.random() < 0.3:
            resources["pods"] = random.choice([2, 4, 12])
        if random.random() < 0.3:
            resources["example.com/nic"] = random.choice([1, 4])
        return resources

    def draw_labels(self) -> dict[str, str]:
        """Return labels a node might have."""
        if not self.labelled:
            return {}
        return {"pool": self.random.choice(POOLS), "generation": str(self.random.randint(1, 3))}

    # --- Workloads ---------------------------------------------------------------------------------------------------

    def _pod(self) -> Group:
        """Return one pod's demand."""
        random = self.random
        largest = max(self.classes)
        cards = CardRequest(
            CARDS_WHOLE, random.choice([largest, largest, largest // 2, largest // 4 or 1, 1, random.randint(1, 8)])
        )
        if self.shared and random.random() < 0.6:
            cards = random.choice(
                [
                    CardRequest(CARDS_SHARE, 1, fraction=random.choice([250, 334, 500])),
                    CardRequest(CARDS_SHARE, random.choice([1, 2]), memory_percent=40, compute=random.choice([0, 30])),
                    CardRequest(CARDS_SHARE, 1, memory=random.choice([9_000, 24_000])),
                ]
            )
        if random.random() < 0.1:
            cards = CardRequest(CARDS_NONE)
        amounts: list[tuple[str, int]] = []
        if self.limits and random.random() < 0.7:
            amounts = [("cpu", 1000 * random.choice([1, 4, 8, 12])), ("memory", 1024 * random.choice([1, 4, 16]))]
            if random.random() < 0.2:
                amounts.append(("example.com/nic", 1))
        rule = CardRule()
        if self.models and random.random() < 0.3:
            rule = random.choice([CardRule(("A",)), CardRule(memory=MEMORY + 1)])
        elif self.islands and random.random() < 0.4:
            rule = CardRule(island=True)
        selection = Selection()
        if self.labelled and random.random() < 0.5:
            labels = (("pool", random.choice(POOLS)),) if random.random() < 0.6 else ()
            terms = ((Requirement("generation", "NotIn", ("2",)),),) if random.random() < 0.4 else ()
            selection = Selection(labels, terms, (Toleration("burnt-in", "Exists"),) if random.random() < 0.4 else ())
        return Group(request=Request(cards, tuple(amounts)), card_rule=rule, selection=selection)

    def _level(self, *, node: bool = True) -> str:
        levels = [*LEVELS[3 - self.depth :], *(["node"] if node else [])]
        return self.random.choice(levels) if levels else "node"

    def _rule(self) -> TopologyRule:
        random = self.random
        required = self._level(node=False) if self.depth and random.random() < 0.3 else ""
        preferred = random.choice(["none", self._level()]) if random.random() < 0.3 else ""
        if not required and random.random() < 0.1 and self.second:
            return TopologyRule("nvlink", required=random.choice(["clique", ""]), preferred="clique")
        distinct = self._level() if not required and random.random() < 0.07 else ""
        balance = "even" if random.random() < 0.05 else "pack"
        return TopologyRule("", required, preferred, distinct, balance)

    def _leaf(self, name: str = "", most: int = 12) -> Group:
        random = self.random
        pods = random.choice([1, 1, 1, 2, 2, 3, 4, 4, 6, 8, most])
        least = random.randint(1, pods) if random.random() < 0.1 else pods
        return replace(random.choice(self.shapes), name=name, pods=pods, min_pods=least)

    def draw_workload(self) -> Workload:
        """Return a workload that waits, under a name not used before."""
        random = self.random
        self.number += 1
        root = replace(self._leaf(most=40 if self.large else 12), topology=self._rule())
        if random.random() < 0.08 and not root.topology.name:
            root = replace(root, segment=Segment(2, self._level(), ""))
        if random.random() < 0.12:
            number = random.choice([2, 2, 3])
            groups = [replace(self._leaf(f"g{index}", 3), topology=self._rule()) for index in range(number)]
            root = Group(topology=self._rule(), groups=tuple(groups), min_groups=random.choice([number, number, 1]))
        kind = random.choice(["batch", "batch", "training", "inference"])
        return Workload(f"w{self.number}", root, order=self.number, kind=kind, elastic=random.random() < 0.3)

    # --- Nodes -------------------------------------------------------------------------------------------------------

    def draw_change(self, nodes: list[Node]) -> Event:
        """Return a change of one node, often one that undoes an earlier change."""
        random = self.random
        node = random.choice(nodes)
        changes: list[Callable[[], tuple[str, object]]] = [
            lambda: ("ready", not node.ready),
            lambda: ("unschedulable", not node.unschedulable),
            lambda: ("gpu.unhealthy", self._sick(node)),
        ]
        if self.limits:
            changes.append(lambda: ("resources", {} if random.random() < 0.1 else self.draw_resources()))
        if self.labelled:
            changes.append(lambda: ("labels", self.draw_labels()))
            changes.append(lambda: ("taints", () if node.taints else (Taint("burnt-in", "no"),)))
        key, value = random.choice(changes)()
        return NodeChange(node.name, {key: value})

    def _sick(self, node: Node) -> frozenset[int]:
        if node.unhealthy and self.random.random() < 0.6:
            return frozenset()
        return frozenset(card for card in range(node.card_count()) if self.random.random() < 0.15)
