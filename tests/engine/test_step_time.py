"""The seam for predicted step times: criterion 3 stands between locality and fragmentation."""

from __future__ import annotations

from railwise.engine.cycle import Engine
from railwise.engine.demand import Demand
from railwise.engine.layout import Spot
from railwise.engine.state import ClusterState
from railwise.engine.step_time import quickest
from railwise.formats.scenario import read_spec

CLUSTER = {
    "topologies": [{"name": "fabric", "levels": ["superpod", "rack"]}],
    "nodes": [
        {"name": "n[1-4]", "gpus": 8, "in": {"superpod": "p1", "rack": "r[1-2]"}},
        {"name": "n[5-8]", "gpus": 8, "in": {"superpod": "p1", "rack": "r3"}},
    ],
    "workloads": [
        {"name": "busy", "pods": 2, "request": {"gpu": 8}, "running": {"nodes": ["n2", "n4"]}},
        {"name": "train", "pods": 2, "request": {"gpu": 8}, "topology": {"preferred": "superpod"}},
    ],
}


class RacksCost:
    """Charges every rack a gang uses."""

    def __init__(self, state: ClusterState, per_rack: int) -> None:
        """Keep the price."""
        self.tree = state.trees[0].tree
        self.per_rack = per_rack

    def known(self, demand: Demand) -> bool:
        """Return whether the workload is the one that talks."""
        return demand.workload.name == "train"

    def nanoseconds(self, demand: Demand, spots: list[Spot]) -> int:
        """Return a base price and the price of the racks used."""
        assert len(spots) == demand.leaves[0].group.pods
        return 1000 + self.per_rack * len({self.tree.domain_of[1][spot.node] for spot in spots})


def _racks(per_rack: int | None) -> tuple[str, ...]:
    made = None if per_rack is None else (lambda state: RacksCost(state, per_rack))
    plan = Engine(read_spec(CLUSTER), step_time=made).cycle(())
    return next(one.domains["rack"] for one in plan.workloads if one.name == "train")


def test_without_a_prediction_the_least_potential_is_lost() -> None:
    assert _racks(None) == ("r1", "r2")


def test_a_quicker_place_beats_the_least_potential() -> None:
    assert _racks(500) == ("r3",)


def test_differences_below_one_percent_count_as_equal() -> None:
    assert _racks(5) == ("r1", "r2")
    assert quickest([1000, 1009, 1010, 2000]) == [0, 1]
    assert quickest([0, 0, 1]) == [0, 1]
