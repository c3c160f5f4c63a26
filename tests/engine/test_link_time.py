"""Step times from the links of a document: which places they prefer, what plans say, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.gangs.demand import Demand, read_demand
from railwise.engine.search.link_time import LinkTime, has_links
from railwise.model.node import Node
from railwise.model.plan import WorkloadPlan
from railwise.model.topology import Level, Topology
from railwise.model.workload import Alternative, Group, TopologyRule, Traffic, Workload
from tests.engine.small import gang, group, grouped, racks, request, running, scenario, submitted, where

GIGA = 1000
LINKED = Topology("fabric", (Level("superpod", uplink=25_600 * GIGA), Level("rack", uplink=400 * GIGA)), 3_200 * GIGA)
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})


def linked(nodes: list[Node], *workloads: Workload, topology: Topology = LINKED) -> Engine:
    made = Engine(replace(scenario(nodes, *workloads), topologies=(topology,)))
    made.cycle(())
    return made


def train(pods: int = 2, preferred: str = "superpod", traffic: Traffic | None = DENSE) -> Workload:
    return replace(gang("train", pods, request(8), preferred=preferred), traffic=traffic)


def demand(made: Engine, workload: Workload) -> Demand:
    return read_demand(workload, workload.root, made.state)


def timed(made: Engine) -> LinkTime:
    assert made.link_time is not None
    return made.link_time


BUSY = running("busy", ["n1", "n3"], request(8))


def test_rings_stay_off_slow_uplinks() -> None:
    nodes = racks(2, 2, 4, per_superpod=3)
    assert where(submitted(linked(nodes, BUSY), train())) == ["n4", "n5"]
    assert where(submitted(linked(nodes, BUSY), train(traffic=Traffic("none")))) == ["n0", "n2"]


def test_training_speaks_even_if_nobody_says_so() -> None:
    silent = replace(train(traffic=None), kind="training")
    assert where(submitted(linked(racks(2, 2, 4, per_superpod=3), BUSY), silent)) == ["n4", "n5"]


@pytest.mark.parametrize(
    "topology",
    [
        Topology("fabric", LINKED.levels),
        replace(LINKED, levels=(Level("superpod"), Level("rack"))),
    ],
    ids=["no NICs", "no uplinks"],
)
def test_half_of_the_link_data_is_none(topology: Topology) -> None:
    assert not has_links((topology,))
    made = linked(racks(2, 2, 4, per_superpod=3), BUSY, topology=topology)
    assert made.link_time is None
    plan = submitted(made, train())
    assert where(plan) == ["n0", "n2"]
    assert (plan.seconds_per_step, plan.best_seconds) == (0.0, 0.0)


def test_large_clusters_are_asked_narrower_domains_too() -> None:
    nodes = racks(*[2] * 40, 4, per_superpod=41)
    busy = running("busy", [f"n{2 * rack + 1}" for rack in range(40)], request(8))
    assert where(submitted(linked(nodes, busy), train())) == ["n80", "n81"]
    assert where(submitted(linked(nodes, busy), train(traffic=Traffic("none")))) == ["n0", "n2"]


def test_a_plan_tells_the_time_here_and_at_the_best_place() -> None:
    nodes = racks(1, 1, 2, per_superpod=3)
    spread = submitted(linked(nodes, running("busy", ["n2", "n3"], request(8))), train())
    assert where(spread) == ["n0", "n1"]
    assert spread.seconds_per_step > 5 * spread.best_seconds > 0
    best = submitted(linked(nodes), train())
    assert best.seconds_per_step == best.best_seconds == spread.best_seconds


def test_running_workloads_are_told_about_too() -> None:
    old = replace(running("old", ["n0", "n1"], request(8)), traffic=DENSE)
    plan = plan_scenario(replace(scenario(racks(1, 1)), topologies=(LINKED,), workloads=(old,)))
    assert plan.workloads[0].seconds_per_step > 0


def test_groups_talk_where_they_lie() -> None:
    halves = grouped("serve", group("prefill", 2, request(8)), group("decode", 2, request(8)), preferred="superpod")
    serve = replace(halves, traffic=Traffic("pd"))
    made = linked(racks(2, 2, 4, per_superpod=3))
    plan = submitted(made, serve)
    assert set(where(plan)) <= {"n4", "n5", "n6", "n7"}
    assert plan.seconds_per_step > 0


def test_who_has_nobody_to_talk_to_is_not_timed() -> None:
    made = linked(racks(2))
    alone = replace(gang("alone", 2, request(8)), traffic=Traffic("pd"))
    link_time = timed(made)
    assert not link_time.tells(demand(made, alone))
    assert not link_time.tells(demand(made, replace(gang("cpu", 2, request()), traffic=DENSE)))
    assert link_time.tells(demand(made, train(1)))
    assert not link_time.known(demand(made, train(1)))
    assert link_time.nanoseconds(demand(made, alone), []) == 0


def test_one_domain_of_each_level_from_quick_to_slow() -> None:
    made = linked(racks(4, 4, 4, 4))
    link_time, asked = timed(made), demand(made, train(4))
    node, rack, superpod = (link_time.step_inside(asked, level) for level in (2, 1, 0))
    assert node is None  # four nodes do not fit into one
    assert rack is not None
    assert superpod is not None
    assert rack.total() < superpod.total()
    assert link_time.best(asked) == rack.total()
    assert link_time.step_inside(demand(made, train(9)), 0) is None


def test_pods_of_unlike_size_fill_nodes_in_turn() -> None:
    made = linked(racks(2, 2))
    mixed = grouped("mixed", group("a", 3, request(4)), group("b", 1, request(8)), preferred="superpod")
    asked = demand(made, replace(mixed, traffic=DENSE))
    assert timed(made).step_inside(asked, 0) is not None
    huge = grouped("huge", group("a", 1, request(16)), group("b", 1, request(8)), preferred="superpod")
    assert timed(made).step_inside(demand(made, replace(huge, traffic=DENSE)), 0) is None


def test_pods_that_run_already_count() -> None:
    made = linked(racks(2, 2))
    plan: WorkloadPlan = submitted(made, train())
    record = made.records["train"]
    step = timed(made).step_here(record.demand)
    assert step is not None
    assert step.total() == round(plan.seconds_per_step * 1_000_000_000)
    assert timed(made).nanoseconds(record.demand, []) == step.total()


def _two_ways(slowdown: int) -> Workload:
    """Four whole nodes, which is more than a rack has; or two, on which everything takes ``slowdown`` thousandths."""
    many = Group(pods=4, min_pods=4, request=request(8), topology=TopologyRule(preferred="superpod"))
    few = replace(many, pods=2, min_pods=2)
    return replace(train(), root=many, alternatives=(Alternative(many), Alternative(few, slowdown)))


@pytest.mark.parametrize(("slowdown", "taken"), [(1100, 1), (99_000, 0)])
def test_the_alternative_with_the_least_predicted_time_is_taken(slowdown: int, taken: int) -> None:
    assert submitted(linked(racks(2, 2)), _two_ways(slowdown)).alternative == taken


def test_without_links_the_slowdown_alone_decides() -> None:
    made = linked(racks(2, 2), topology=Topology("fabric", LINKED.levels))
    assert submitted(made, _two_ways(1100)).alternative == 0


def test_an_alternative_that_says_nothing_over_links_is_not_called_endlessly_quick() -> None:
    many = replace(_two_ways(9000), traffic=replace(DENSE, sizes={"tensorParallel": 16, "gradients": "14Gi"}))
    assert submitted(linked(racks(2, 2)), many).alternative == 0  # two nodes hold one copy, which has no peer
