"""What keeps a pod away from a node is named, and just where ``fits()`` says no."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.ledger import NOTHING
from railwise.engine.cycle import Engine
from railwise.engine.events import Submit
from railwise.engine.reasons.lacks import first_lack, in_order
from railwise.model.node import Cards, Node
from railwise.model.workload import CARDS_MIG, CardRequest, CardRule, Request
from tests.engine.random_life import Life
from tests.engine.small import asks_share, request, shape_of, state_of

NIC = "example.com/nic"
FPGA = "example.com/fpga"
STORAGE = "ephemeral-storage"


def _node(cards: int = 8, model: str = "A", memory: int = 0, islands: int = 1, **resources: int) -> Node:
    return Node("n", cards=(Cards(cards, model, memory, islands=islands),) if cards else (), resources=resources)


@pytest.mark.parametrize(
    ("node", "asks", "rule", "lack"),
    [
        (_node(), request(8), CardRule(), "fits"),
        (_node(), request(9), CardRule(), "gpu"),
        (_node(), request(1), CardRule(("B",)), "model"),
        (_node(memory=40_000), request(1), CardRule(memory=50_000), "model"),
        (_node(0), request(1), CardRule(("B",)), "gpu"),
        (_node(islands=2), request(5), CardRule(island=True), "gpu"),
        (_node(islands=2), request(4), CardRule(island=True), "fits"),
        (_node(memory=40_000), asks_share(memory=40_000), CardRule(), "fits"),
        (_node(memory=40_000), asks_share(memory=40_001), CardRule(), "gpu"),
        (_node(), asks_share(memory=1), CardRule(), "gpu"),
        (_node(2), asks_share(3, part=1), CardRule(), "gpu"),
        (_node(), Request(CardRequest(CARDS_MIG, 0, slices=(("1g.10gb", 1),))), CardRule(), "gpu"),
        (_node(cpu=999, memory=0), request(0, cpu=1000, memory=1), CardRule(), "cpu"),
        (_node(8, "A", 0, 1, cpu=1000, pods=0), request(0, cpu=1000), CardRule(), "pods"),
        (Node("n", resources={"memory": 9, "pods": 0}), request(0, memory=10), CardRule(), "memory"),
        (Node("n", resources={NIC: 1}), request(0, **{NIC: 2, FPGA: 1}), CardRule(), FPGA),
        (Node("n", resources={NIC: 1, FPGA: 1}), request(0, **{NIC: 2, FPGA: 1}), CardRule(), NIC),
        (Node("n"), request(0, **{STORAGE: 5}), CardRule(), "fits"),
        (Node("n", resources={STORAGE: 4}), request(0, **{STORAGE: 5}), CardRule(), STORAGE),
        (Node("n"), request(0, **{STORAGE: 5, NIC: 1}), CardRule(), NIC),
    ],
)
def test_the_first_lack_is_named(node: Node, asks: Request, rule: CardRule, lack: str) -> None:
    state = state_of([node])
    assert first_lack(shape_of(state, asks, rule), state.room_of[0]) == lack


def test_an_overfull_device_keeps_away_who_asks_for_another() -> None:
    state = state_of([Node("n", resources={NIC: 1, FPGA: 1})])
    state.put_back(shape_of(state, request(0, **{NIC: 2})), 0, NOTHING)
    asks = shape_of(state, request(0, **{FPGA: 1}))
    assert not state.fits(asks, 0)
    assert first_lack(asks, state.room_of[0]) == NIC


def test_a_pod_that_lacks_nothing_fits_and_one_that_lacks_something_does_not() -> None:
    judged = {True: 0, False: 0}
    for seed in range(7):
        life = Life(seed)
        lived = Engine(life.scenario)
        for _ in range(12):
            lived.cycle([Submit(life.draw_workload())])
        for shape in list(lived.state.shapes.all):
            for room in set(lived.state.room_of):
                if not room.closed:
                    fits = lived.state.rooms.fits(shape, room) is not None
                    assert (first_lack(shape, room) == "fits") is fits, (seed, shape.request, room.figures())
                    judged[fits] += 1
    assert min(judged.values()) > 50


def test_counts_are_listed_in_the_order_of_the_filters_without_zeros() -> None:
    mixed = {"fits": 1, NIC: 2, "pods": 1, FPGA: 3, "taint": 0, "notReady": 1, "memory": 2}
    assert list(in_order(mixed).items()) == [
        ("notReady", 1),
        ("memory", 2),
        ("pods", 1),
        (FPGA, 3),
        (NIC, 2),
        ("fits", 1),
    ]
