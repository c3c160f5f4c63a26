"""Criterion 3 beside neighbours: what runs already makes uplinks slow, and who can keeps off them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine, Finish, NodeChange, Submit
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.closeness import closeness
from railwise.model.topology import Level, Topology
from railwise.model.workload import Traffic, Workload
from railwise.traffic.contention import newcomer_share
from railwise.traffic.links import transfer_time
from tests.engine.small import gang, racks, request, running, scenario, submitted, where
from tests.engine.test_link_time import timed
from tests.examples import examples

GIGA = 1000
FABRIC = Topology("fabric", (Level("superpod", uplink=25_600 * GIGA), Level("rack", uplink=400 * GIGA)), 3_200 * GIGA)
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})
SILENT = Traffic("none")


def engine(sizes: list[int], *workloads: Workload) -> Engine:
    nodes = racks(*sizes, per_superpod=len(sizes))
    made = Engine(replace(scenario(nodes, *workloads), topologies=(FABRIC,)))
    made.cycle(())
    return made


def neighbour(traffic: Traffic, *nodes: str) -> Workload:
    return replace(running("neighbour", list(nodes), request(8)), traffic=traffic)


def train(pods: int) -> Workload:
    return replace(gang("train", pods, request(8), preferred="superpod"), traffic=DENSE)


SIX = ["n1", "n2", "n3", "n5", "n6", "n7"]
"""What is left of the two broken racks of four."""


@pytest.mark.parametrize("racks_of_four", [4, 20], ids=["searched exactly", "asked of the indexes"])
def test_who_can_keeps_off_uplinks_that_others_fill(racks_of_four: int) -> None:
    sizes = [4] * racks_of_four
    quiet = submitted(engine(sizes, neighbour(SILENT, "n0", "n4")), train(6))
    assert where(quiet) == SIX  # broken racks first: nobody speaks there
    busy = submitted(engine(sizes, neighbour(DENSE, "n0", "n4")), train(6))
    assert not set(where(busy)) & set(SIX)
    assert len(busy.domains["rack"]) == 2


def test_a_neighbour_inside_one_rack_disturbs_nobody() -> None:
    inside = submitted(engine([4] * 4, neighbour(DENSE, "n0", "n1")), train(6))
    assert inside.domains["rack"][0] == "r0"


def test_closer_is_still_better_than_quicker() -> None:
    """Three racks without neighbours would be quicker, but two are closer (criterion 2)."""
    workload = replace(
        train(6), root=replace(train(6).root, topology=replace(train(6).root.topology, preferred="rack"))
    )
    plan = submitted(engine([4, 4, 2, 2, 2], neighbour(DENSE, "n0", "n4")), workload)
    assert where(plan) == SIX


def test_when_the_neighbour_ends_its_uplinks_are_free_again() -> None:
    made = engine([4] * 4, neighbour(DENSE, "n0", "n4"))
    loads = timed(made).loads
    loads.refresh()
    assert {uplink[:3] for uplink in loads.in_use()} == {(0, 1, 0), (0, 1, 1)}
    made.cycle([Finish("neighbour")])
    loads.refresh()
    assert loads.in_use() == []
    assert where(submitted(made, train(6)))[0] == "n0"


def test_a_step_beside_one_neighbour_is_the_closed_form() -> None:
    """Both want all they can get of an uplink C: each gets C/2, and a step takes its bytes over that."""
    made = engine([4, 4], neighbour(DENSE, "n0", "n4"))
    time = timed(made)
    made.cycle([Submit(train(6))])
    demand = made.records["train"].demand
    alone = time.step_here(demand)
    assert alone is not None
    usable = time.capacity(0, 1)
    (carried,) = set(alone.carried.values())
    theirs = time.loads.steps[made.records["neighbour"]]
    wanted = theirs.wants(max(theirs.carried.values()))
    assert usable * 9 // 10 < wanted < usable
    assert newcomer_share(usable, [wanted]) == usable // 2
    assert time.nanoseconds(demand, []) == transfer_time(carried, usable // 2)
    assert time.nanoseconds(demand, []) > alone.total()


def test_who_leaves_enough_slows_nobody() -> None:
    """A neighbour that computes most of the time wants a hundredth of the link."""
    modest = replace(DENSE, sizes=DENSE.sizes | {"compute": "60s"})
    made = engine([4, 4], neighbour(modest, "n0", "n4"))
    made.cycle([Submit(train(6))])
    demand = made.records["train"].demand
    alone = timed(made).step_here(demand)
    assert alone is not None
    assert timed(made).nanoseconds(demand, []) == alone.total()


def test_what_runs_is_not_its_own_neighbour() -> None:
    made = engine([4, 4], neighbour(DENSE, "n0", "n4"))
    demand = made.records["neighbour"].demand
    alone = timed(made).step_here(demand)
    assert alone is not None
    assert timed(made).nanoseconds(demand, []) == alone.total()


def test_changed_nodes_are_looked_at_again() -> None:
    made = engine([4, 4], neighbour(DENSE, "n0", "n4"))
    loads = timed(made).loads
    loads.refresh()
    made.cycle([NodeChange("n1", {"unschedulable": True})])
    assert not loads.changed
    made.cycle([NodeChange("n0", {"unschedulable": True})])
    assert [record.workload.name for record in loads.changed] == ["neighbour"]


NEIGHBOURS = st.lists(st.lists(st.integers(0, 15), min_size=2, max_size=3, unique=True), max_size=3)


@examples(30)
@given(NEIGHBOURS, st.integers(2, 6), st.sampled_from(["superpod", "rack"]))
def test_looking_at_neighbours_never_makes_a_place_worse(places: list[list[int]], pods: int, preferred: str) -> None:
    """Against the choice of a blind engine: just as close, and no slower beside those who run (but for the slack)."""
    free = set(range(16))
    tenants = []
    for number, nodes in enumerate(places):
        mine = [node for node in nodes if node in free]
        free -= set(mine)
        if len(mine) > 1:
            tenants.append((f"t{number}", [f"n{node}" for node in mine]))

    def chosen(traffic: Traffic) -> tuple[Engine, list[Spot]]:
        made = engine([4] * 4, *(replace(running(name, on, request(8)), traffic=traffic) for name, on in tenants))
        workload = train(pods)
        rule = replace(workload.root.topology, preferred=preferred)
        made.cycle([Submit(replace(workload, root=replace(workload.root, topology=rule)))])
        record = made.records["train"]
        return made, [Spot(leaf, rank, node) for (leaf, rank), (node, _) in record.pods.items()]

    (_, blind), (made, seeing) = chosen(SILENT), chosen(DENSE)
    assert bool(blind) == bool(seeing)
    if seeing:
        demand = made.records["train"].demand
        made.workloads.lift(made.records["train"], list(made.records["train"].pods))
        times = [timed(made).nanoseconds(demand, spots) for spots in (seeing, blind)]
        assert times[0] * 100 <= times[1] * 101
        assert closeness(demand, seeing, made.state) == closeness(demand, blind, made.state)


def test_without_links_nothing_is_kept() -> None:
    made = Engine(scenario(racks(4, 4), neighbour(DENSE, "n0", "n4")))
    made.cycle([Submit(train(6))])
    assert made.link_time is None
    assert made.workloads.speaking is None
