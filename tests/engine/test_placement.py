"""All searches together: the indexes answer as the exact search does, and nobody leaves a trace on the state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.explain import advise
from railwise.engine.gangs.demand import read_demand
from railwise.engine.search.bounded import place_bounded
from railwise.engine.search.placement import Found, Placer, Refused
from railwise.engine.search.sizing import find_minimum, find_most
from railwise.model.node import Node
from railwise.model.reason import Code
from railwise.model.workload import Group, Workload
from tests.engine.random_life import Life
from tests.engine.small import apart, engine, flat, gang, group, grouped, racks, request, segmented, submitted, where


def _busy(seed: int, *, large: bool = False) -> tuple[Life, Engine]:
    """Return a life and its engine after some workloads."""
    life = Life(seed, large=large)
    lived = Engine(life.scenario)
    for _ in range(life.random.randint(0, 8)):
        submitted(lived, life.draw_workload())
    return life, lived


def _wrapped(workload: Workload) -> Workload:
    """Return the same gang as the only group of a workload, which the indexes do not answer for."""
    leaf = workload.root
    rule = replace(leaf.topology, required="", preferred="", name="")
    root = Group(topology=leaf.topology, groups=(replace(leaf, name="only", topology=rule),), min_groups=1)
    return replace(workload, root=root)


def _answer(lived: Engine, workload: Workload) -> Found | Refused:
    demand = read_demand(workload, workload.root, lived.state)
    return find_minimum(demand, lived.search.place)


def _compare(seed: int, *, large: bool = False) -> tuple[int, int]:
    """Return how many plain gangs were compared, and how many of the answers were proven best."""
    life, lived = _busy(seed, large=large)
    compared = proven = 0
    for _ in range(12):
        workload = life.draw_workload()
        rule = workload.root.topology
        if workload.root.groups or workload.root.segment or rule.distinct or rule.balance == "even":
            continue
        mine, other = _answer(lived, workload), _answer(lived, _wrapped(workload))
        if isinstance(other, Refused) and not other.proven:
            continue
        compared += 1
        assert isinstance(mine, Found) == isinstance(other, Found), (seed, workload)
        if isinstance(mine, Found) and isinstance(other, Found):
            assert mine.met == other.met, (seed, workload)
            if mine.exact and other.exact:
                proven += 1
                assert [pod.node for pod in mine.pods] == [pod.node for pod in other.pods], (seed, workload)
        elif isinstance(mine, Refused) and isinstance(other, Refused):
            assert mine.proven, (seed, workload)
    return compared, proven


@pytest.mark.slow
def test_the_indexes_answer_as_the_exact_search_does() -> None:
    results = [_compare(seed) for seed in range(10)]
    assert sum(compared for compared, _ in results) > 40
    assert sum(proven for _, proven in results) > 25


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 410, 50))
def test_the_indexes_answer_as_the_exact_search_does_on_many_clusters(first: int) -> None:
    assert sum(_compare(seed)[1] for seed in range(first, first + 50)) > 100


@pytest.mark.slow
def test_the_indexes_answer_as_the_exact_search_does_in_large_racks() -> None:
    assert sum(_compare(seed, large=True)[0] for seed in range(12)) > 20


def test_searches_leave_no_trace() -> None:
    asked = 0
    for seed in range(7):
        life, lived = _busy(seed)
        for _ in range(3):
            workload = life.draw_workload()
            before, rooms = lived.state.snapshot(), dict(lived.state.room_count)
            demand = read_demand(workload, workload.root, lived.state)
            found = find_minimum(demand, lived.search.place)
            find_most(demand, lived.search.place)
            ranks = {leaf.index: list(range(leaf.group.min_pods)) for leaf in demand.leaves}
            chosen = {part.index for leaf in demand.leaves for part in (leaf, demand.root)}
            if isinstance(lived.search, Placer):
                place_bounded(demand, ranks, chosen, lived.state, lived.search.indexes)
            if isinstance(found, Refused):
                lived.verdict.refuse(demand, proven=found.proven)
            assert lived.state.snapshot() == before, (seed, workload)
            assert lived.state.room_count == rooms, (seed, workload)
            asked += 1
            plan = submitted(lived, workload)
            before = lived.state.snapshot()
            if plan.reason is not None:
                advise(lived, workload.name, plan.reason)
                assert lived.state.snapshot() == before, (seed, workload)
    assert asked == 21


# --- The ladder of criterion 1 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pods", "rule", "nodes", "met"),
    [
        (2, {}, ["n4", "n5"], True),  # the last declared level, and there the rack that loses least
        (3, {}, ["n6", "n7", "n8"], True),
        (5, {}, ["n0", "n1", "n2", "n3", "n4"], False),
        (2, {"preferred": "node"}, ["n4", "n5"], False),
        (2, {"preferred": "none"}, ["n4", "n5"], True),
        (6, {"required": "superpod"}, ["n0", "n1", "n2", "n3", "n4", "n5"], False),
        (7, {"required": "superpod"}, [], True),
        (7, {"preferred": "superpod"}, ["n0", "n1", "n2", "n3", "n6", "n7", "n8"], False),
    ],
)
def test_the_narrowest_domain_that_holds_the_whole(
    pods: int, rule: dict[str, str], nodes: list[str], met: bool
) -> None:
    workload = gang("a", pods, request(8), rule.get("required", ""), rule.get("preferred", ""))
    plan = submitted(engine(racks(4, 2, 3)), workload)
    assert where(plan) == nodes
    assert plan.preferred_met is met


@pytest.mark.parametrize("kind", ["training", "inference"])
def test_training_and_inference_prefer_one_node_where_one_could_hold_them(kind: str) -> None:
    lived = engine(racks(2, 2))
    assert where(submitted(lived, gang("a", 4, request(2), kind=kind))) == ["n0"] * 4
    assert where(submitted(lived, gang("b", 3, request(3), kind=kind))) == ["n2", "n2", "n3"]


@pytest.mark.parametrize("size", [150, 250, 1300])
def test_the_rules_hold_in_clusters_of_every_size(size: int) -> None:
    """The exact search answers up to 200 nodes, the bounded one above, up to 1200 with the exact one behind it."""
    nodes = racks(*([5] * (size // 5)))
    rack_of = {node.name: node.places["fabric"]["rack"] for node in nodes}
    cut = submitted(engine(nodes), segmented(gang("a", 8, request(8)), 4, required="rack"))
    assert [len({rack_of[pod.node] for pod in cut.pods[start : start + 4]}) for start in (0, 4)] == [1, 1]
    spread = submitted(engine(nodes), apart(gang("a", 6, request(8)), "rack"))
    assert len({rack_of[name] for name in where(spread)}) == 6
    groups = [group(f"g{number}", 3, request(8), required="rack") for number in range(3)]
    parts = submitted(engine(nodes), grouped("a", *groups, distinct="rack"))
    assert len({(pod.group, rack_of[pod.node]) for pod in parts.pods}) == 3
    assert len({rack_of[pod.node] for pod in parts.pods}) == 3
    never = submitted(engine(nodes), segmented(gang("a", 12, request(8)), 6, required="rack"))
    assert never.reason is not None
    assert never.reason.code is Code.NEVER_FITS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nodes", "level"), [(racks(*([5] * 8), gpus=0, cpu=100_000), "rack"), (flat(*[0] * 40, cpu=100_000), "")]
)
def test_thousands_of_small_pods_are_placed_as_long_as_there_is_room(nodes: list[Node], level: str) -> None:
    """100 pods fit a node: a rack of five nodes holds 500 of them, 40 nodes hold 4,000."""
    most = 500 if level else 4000
    for pods, fits in ((most, True), (most + 1, False)):
        plan = submitted(engine(nodes), gang("a", pods * 4, request(cpu=250), required=level))
        assert len(plan.pods) == (pods * 4 if fits else 0)
        assert len({pod.node for pod in plan.pods}) == (most // 100 if fits else 0)
        assert fits or (plan.reason is not None and plan.reason.code is Code.NEVER_FITS)
