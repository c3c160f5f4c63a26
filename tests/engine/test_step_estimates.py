"""What an estimate of one workload of a document tells, and how neighbours on one uplink halve it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.step_estimates import StepEstimate, estimate_steps
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Traffic, Workload
from tests.engine.small import racks, request, running, scenario

GIGA = 1000
LINKED = Topology("fabric", (Level("superpod"), Level("rack", uplink=400 * GIGA)), 3_200 * GIGA)
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})


def tenant(name: str, *nodes: str, traffic: Traffic = DENSE) -> Workload:
    return replace(running(name, nodes, request(8)), traffic=traffic)


def document(*workloads: Workload, topology: Topology = LINKED) -> Scenario:
    return replace(scenario(racks(3, 3, 3), *workloads), topologies=(topology,))


def estimated(*workloads: Workload) -> StepEstimate:
    return estimate_steps(document(*workloads), workloads[0].name)


def transfer(found: StepEstimate, *, beside: bool) -> int:
    step = found.beside if beside else found.here
    assert step is not None
    return step.costs[0].transfer


def test_two_tenants_on_one_uplink_get_half_of_it_each() -> None:
    found = estimated(tenant("a", "n0", "n3"), tenant("b", "n1", "n4"))
    assert found.neighbours == ("b",)
    assert transfer(found, beside=True) == pytest.approx(2 * transfer(found, beside=False), rel=1e-6)


def test_three_tenants_get_thirds() -> None:
    found = estimated(tenant("a", "n0", "n3"), tenant("b", "n1", "n4"), tenant("c", "n2", "n6"))
    assert found.neighbours == ("b", "c")
    assert transfer(found, beside=True) == pytest.approx(3 * transfer(found, beside=False), rel=1e-6)


def test_who_stays_in_a_rack_or_is_silent_is_no_neighbour() -> None:
    found = estimated(
        tenant("a", "n0", "n3"), tenant("b", "n1", "n2"), tenant("c", "n4", "n6", traffic=Traffic("none"))
    )
    assert (found.beside, found.neighbours) == (None, ())


def test_a_workload_inside_one_rack_has_no_neighbours_on_uplinks() -> None:
    found = estimated(tenant("a", "n0", "n1"), tenant("b", "n2", "n4"))
    assert (found.beside, found.neighbours) == (None, ())
    assert found.nodes == ("n0", "n1")
    assert [name for name, _ in found.levels] == ["node", "rack", "superpod"]


def test_what_cannot_be_predicted_says_why() -> None:
    silent = estimate_steps(document(tenant("a", "n0", "n3", traffic=Traffic("none"))), "a")
    assert (silent.linked, silent.speaks) == (True, False)
    blind = estimate_steps(document(tenant("a", "n0", "n3"), topology=Topology("fabric", LINKED.levels)), "a")
    assert (blind.linked, blind.speaks) == (False, False)


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        estimate_steps(document(tenant("a", "n0", "n3")), "b")
