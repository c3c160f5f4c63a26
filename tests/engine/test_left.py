"""What is left after one pod, two pods and so on is counted as ``fits`` has it, without making the rooms in between."""

from __future__ import annotations

import random

import pytest

from railwise.engine.cluster.fit import Rooms
from railwise.engine.cluster.potential import Potential
from railwise.engine.cluster.room import Figures, NodeSpec, Room
from railwise.engine.cluster.shapes import UNLIMITED, Shape, Shapes
from railwise.engine.cluster.shares import share_cards
from railwise.model.node import Cards, Node
from railwise.model.workload import CARDS_NONE, CARDS_SHARE, CARDS_WHOLE, CardRequest, CardRule, Request, Selection

NODES = (
    Node("plain", cards=(Cards(8),)),
    Node("tight", cards=(Cards(8, "H100-80GB", 81920),), resources={"cpu": 32000, "memory": 65536, "pods": 5}),
    Node("islands", cards=(Cards(4, "H100-80GB", 81920, islands=2), Cards(2, "L4", 24576)), resources={"nic": 3}),
    Node("bare", resources={"cpu": 8000}),
)


def _shape(draw: random.Random, shapes: Shapes) -> Shape:
    cards = draw.choice(
        (
            CardRequest(CARDS_NONE),
            CardRequest(CARDS_WHOLE, draw.randint(1, 4)),
            CardRequest(CARDS_SHARE, draw.randint(1, 2), fraction=draw.choice((100, 250, 500, 1000))),
            CardRequest(CARDS_SHARE, draw.randint(1, 2), memory_percent=30, compute=draw.choice((0, 40))),
        )
    )
    resources = {name: amount for name, amount in (("cpu", 3000), ("memory", 9000), ("nic", 1)) if draw.random() < 0.4}
    rule = draw.choice((CardRule(), CardRule(), CardRule(models=("L4",)), CardRule(island=True)))
    return shapes.intern(Request(cards, tuple(sorted(resources.items()))), rule, Selection())


def _room(draw: random.Random, rooms: Rooms, shapes: Shapes) -> Room:
    """Return a room that some pods have come to."""
    spec = NodeSpec(draw.randrange(len(NODES)), NODES[draw.randrange(len(NODES))])
    whole = tuple(bank.mask.bit_count() for bank in spec.banks)
    others = tuple(sorted(spec.others.items()))
    closed = draw.random() < 0.05
    room = rooms.intern(spec, Figures(closed, whole, (), spec.cpu, spec.memory, spec.pods, others))
    for _ in range(draw.randint(0, 4)):
        room = rooms.fits(_shape(draw, shapes), room) or room
    return room


@pytest.mark.parametrize("seed", range(400))
def test_counting_agrees_with_fits(seed: int) -> None:
    draw = random.Random(seed)
    rooms, shapes = Rooms(Potential(8)), Shapes()
    room, shape, most = _room(draw, rooms, shapes), _shape(draw, shapes), draw.choice((1, 1, 3, 9))
    made = len(rooms.all)
    counted = rooms.left(shape, room, most)
    if most == 1 and not shape.others and room.spec.simple and shape.any_card:
        assert len(rooms.all) == made
    expected: list[tuple[int, int]] = []
    after = rooms.fits(shape, room)
    while after is not None and len(expected) < most:
        expected.append((after.slots, after.cpu))
        after = rooms.fits(shape, after)
    assert counted == expected


def test_a_share_of_one_card_takes_the_tightest_part_that_holds_it() -> None:
    rooms, shapes = Rooms(Potential(8)), Shapes()
    spec = NodeSpec(0, NODES[0])
    partial = ((0, 200, 200), (0, 300, 900), (0, 600, 100), (0, 900, 900))
    room = rooms.intern(spec, Figures(False, (4,), partial, UNLIMITED, UNLIMITED, UNLIMITED, ()))
    wanted = {100: (0, 200, 200), 250: (0, 300, 900), 500: (0, 900, 900), 950: (0, 1000, 1000)}
    for fraction, card in wanted.items():
        request = Request(CardRequest(CARDS_SHARE, 1, fraction=fraction))
        assert share_cards(shapes.intern(request, CardRule(), Selection()), room) == (card,)
