"""Proofs without a search: true where they speak, and never of what can be placed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.gangs.demand import read_demand
from railwise.engine.indexed.indexes import Indexes
from railwise.engine.search.bounds import Bounds
from railwise.engine.search.choosing import choices
from railwise.engine.search.sizing import least_counts, ranks_for
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from tests.engine.small import (
    apart,
    engine,
    flat,
    gang,
    group,
    grouped,
    racks,
    request,
    running,
    segmented,
)
from tests.oracle.instances import large_instance
from tests.oracle.solver import covers, feasible


def _impossible(lived: Engine, workload: Workload) -> bool:
    """Return whether the bounds rule out every choice of groups."""
    demand = read_demand(workload, workload.root, lived.state)
    indexes = Indexes(lived.state)
    return all(
        Bounds(demand, ranks_for(demand, least_counts(demand, chosen)), lived.state, indexes).impossible()
        for chosen in choices(demand.root, full=False)
    )


BUSY = running("busy", ["n0", "n4"], request(8))


@pytest.mark.parametrize(
    ("workload", "impossible"),
    [
        (gang("a", 5, request(8)), False),
        (gang("a", 6, request(8)), False),
        (gang("a", 7, request(8)), True),  # 6 nodes are free
        (gang("a", 1, request(9)), True),
        (gang("a", 3, request(8), required="rack"), False),
        (gang("a", 4, request(8), required="rack"), True),
        (gang("a", 3, request(4), required="node"), True),
        (apart(gang("a", 2, request(8)), "rack"), False),
        (apart(gang("a", 3, request(8)), "rack"), True),
        (segmented(gang("a", 6, request(8)), 3, "rack"), False),
        (segmented(gang("a", 8, request(4)), 4, "rack"), False),
        (segmented(gang("a", 8, request(8)), 4, "rack"), True),
        (grouped("a", group("x", 3, request(8)), group("y", 3, request(8)), required="rack"), True),  # 3 free in each
        (grouped("a", group("x", 4, request(8), required="rack"), group("y", 1, request(8))), True),
        (grouped("a", group("x", 4, request(8), required="rack"), group("y", 1, request(8)), least=1), False),
        (grouped("a", *(group(name, 1, request(1)) for name in "xyz"), distinct="rack"), True),
        (grouped("a", *(group(name, 1, request(1)) for name in "xyz"), distinct="node"), False),
        (grouped("a", group("x", 4, request(8)), group("y", 3, request(8))), True),  # each fits, together they do not
        (gang("a", 1, request(1, cpu=1)), False),
        (gang("a", 1, request(1, **{"example.com/nic": 1})), True),
    ],
)
def test_what_two_racks_of_four_nodes_with_one_busy_each_can_hold(workload: Workload, impossible: bool) -> None:
    assert _impossible(engine(racks(4, 4), BUSY), workload) is impossible


def test_closed_nodes_hold_nothing() -> None:
    nodes = [replace(node, unschedulable=node.name == "n1") for node in flat(8, 8)]
    assert not _impossible(engine(nodes), gang("a", 1, request(8)))
    assert _impossible(engine(nodes), gang("a", 2, request(8)))


def test_a_last_short_run_needs_a_domain_too() -> None:
    assert _impossible(engine(racks(4, 4)), segmented(gang("a", 5, request(8)), 50, "rack"))


def test_runs_that_are_in_part_there_ask_for_no_room_of_their_own() -> None:
    """Ranks 1 and 2 are missing, and each finds room beside the other half of its run."""
    workload = segmented(running("a", ["n0", None, None, "n2"], request(8)), 2, "rack")
    held = running("held", ["n0", "n2"], request(8))  # books the nodes of ranks 0 and 3
    assert not _impossible(engine(racks(2, 2), held), workload)


def _wrong(scenario: Scenario) -> bool | None:
    """Return whether the bounds rule out a workload that a solver can place, None where neither has a say."""
    workload = scenario.workloads[-1]
    if not covers(workload):
        return None
    lived = Engine(replace(scenario, workloads=scenario.workloads[:-1]))
    lived.cycle(())
    return _impossible(lived, workload) and feasible(scenario, workload)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 100))
def test_the_bounds_never_rule_out_what_a_solver_can_place(first: int) -> None:
    verdicts = {seed: _wrong(large_instance(seed)) for seed in range(first, first + 100)}
    assert [seed for seed, wrong in verdicts.items() if wrong] == []
    assert sum(wrong is not None for wrong in verdicts.values()) > 60


def test_nothing_to_place_is_never_impossible() -> None:
    lived = engine(flat(8))
    workload = Workload("a", Group(pods=0, min_pods=0, request=request(8)))
    assert not _impossible(lived, workload)
