"""The copied formula is kept exactly as wrong as it is."""

from __future__ import annotations

from fractions import Fraction

from railwise.traffic.collectives import Hardware, ring_phase
from railwise.traffic.copied import OWN_EXAMPLE, copied_formula
from railwise.traffic.links import GIGA, Link


def test_its_own_example_is_nothing_and_upside_down() -> None:
    intra, inter = copied_formula(*OWN_EXAMPLE)
    assert (round(float(intra), 1), round(float(inter), 1)) == (0.0, 0.0)
    assert intra / inter == Fraction(7, 2)


def test_it_says_seconds_and_half_the_ranks_too_much() -> None:
    nodes = 16
    _, inter = copied_formula(8, nodes, 400, 200, 16)
    wire = Link("wire", 200 * GIGA, 0)
    assert Hardware(wire, wire).nic == wire
    ring = Fraction(ring_phase("", wire, nodes, 16_000_000).transfer, 10**9)  # seconds
    assert inter == ring * nodes / 2
