"""Criterion 3: predicted step times decide between placements that are equal in all that counts before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.events import Submit
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.spot import Spot
from railwise.engine.search.step_time import quickest
from railwise.model.plan import WorkloadPlan
from railwise.model.workload import Traffic, Workload
from tests.engine.policies.clusters import scenario
from tests.engine.small import gang, racks, request, running, submitted, where


class Crossings:
    """A ring in which every edge between two racks costs a hundred times one inside a rack."""

    def __init__(self, state: ClusterState, fast: int = 100, slow: int = 10_000) -> None:
        """Charge ``fast`` ns inside and ``slow`` ns between racks."""
        self.state = state
        self.fast = fast
        self.slow = slow
        self.asked: list[list[Spot]] = []

    def known(self, demand: Demand) -> bool:
        """Return whether the workload names its traffic."""
        return demand.workload.traffic is not None

    def nanoseconds(self, demand: Demand, spots: list[Spot]) -> int:
        """Return the time of one step."""
        assert self.known(demand)
        self.asked.append(spots)
        racks_used = [self.state.trees[0].tree.domain_of[-1][spot.node] for spot in sorted(spots)]
        ring = zip(racks_used, [*racks_used[1:], racks_used[0]], strict=True)
        return sum(self.slow if here != there else self.fast for here, there in ring)

    def crowded(self, demand: Demand, spots: list[Spot]) -> list[int]:
        """Return nothing: nobody else speaks."""
        assert self.known(demand)
        assert spots
        return []


def _train(pods: int = 2) -> Workload:
    return replace(gang("train", pods, request(8), preferred="superpod"), traffic=Traffic("dense"))


def _placed(workload: Workload, *before: Workload, slow: int = 10_000) -> WorkloadPlan:
    """Return the placement in racks of 2, 2 and 4 nodes in one superpod."""
    nodes = racks(2, 2, 4, per_superpod=3)
    made = Engine(scenario(nodes, *before), step_time=lambda state: Crossings(state, slow=slow))
    made.cycle(())
    return submitted(made, workload)


BUSY = running("busy", ["n1", "n3"], request(8))


def test_known_traffic_comes_before_fragmentation() -> None:
    silent = replace(_train(), traffic=None)
    assert where(_placed(silent, BUSY)) == ["n0", "n2"]  # the broken racks are used up
    assert where(_placed(_train(), BUSY)) == ["n4", "n5"]  # but their ring would cross


def test_differences_below_one_per_cent_count_as_equal() -> None:
    assert where(_placed(_train(), BUSY, slow=100)) == ["n0", "n2"]


@pytest.mark.parametrize(
    ("times", "equal"),
    [
        ([100], [0]),
        ([1000, 1009, 1010, 1011, 999], [0, 4]),
        ([1000, 1009, 1011], [0, 1]),
        ([5, 5, 6], [0, 1]),
        ([0, 0, 1], [0, 1]),
    ],
)
def test_the_quickest_up_to_the_slack(times: list[int], equal: list[int]) -> None:
    assert quickest(times) == equal


def test_locality_still_comes_first() -> None:
    nodes = racks(1, 1, 1, 1, per_superpod=2)
    made = Engine(scenario(nodes), step_time=Crossings)
    made.cycle(())
    assert where(submitted(made, _train())) == ["n0", "n1"]  # one superpod, whatever a ring across would take


def test_a_predictor_that_knows_nothing_of_a_workload_is_not_asked() -> None:
    made = Engine(scenario(racks(2, 2)), step_time=Crossings)
    made.cycle([Submit(gang("a", 2, request(8)))])
    assert len(made.records["a"].pods) == 2
