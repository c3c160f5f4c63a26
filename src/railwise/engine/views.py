"""What a document says is running, booked on a state: the ground of every table and picture."""

from __future__ import annotations

from typing import NamedTuple

from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.model.scenario import Scenario


class NodeRow(NamedTuple):
    """One node: its cards that can be given whole, and its free card-slots."""

    name: str
    cards: int
    free: int


def booked(scenario: Scenario) -> tuple[ClusterState, list[Record]]:
    """Return the state of a scenario with everything that runs booked, and its workloads in document order."""
    state = ClusterState(scenario.nodes, scenario.topologies, scenario.policy)
    records = [Record(workload, state) for workload in scenario.workloads]
    for record in sorted(records, key=lambda record: not record.names_cards()):
        record.occupy(state)
    return state, records


def fair_shares(scenario: Scenario) -> dict[str, dict[str, int]]:
    """Return what is due to every queue per resource, in base units (gpu: thousandths), before anything is decided."""
    engine = Engine(scenario)
    engine.cycle(())
    return {
        queue: {resource: int(amount) for resource, amount in shares.items()}
        for queue, shares in engine.accounts.shares.items()
    }


def node_rows(scenario: Scenario) -> list[NodeRow]:
    """Return the nodes of a scenario in document order with what is free on them."""
    state, _ = booked(scenario)
    return [
        NodeRow(node.name, room.spec.cards, room.slots) for node, room in zip(state.nodes, state.room_of, strict=True)
    ]
