"""A formula for the time of an AllReduce that is copied from page to page, and what is wrong with it.

    intra = msg · (n_gpus - 1) / (bw_nvlink / 8) / 1e3,   inter = msg · (n_nodes - 1) / (bw_network / 8) / 1e3

with a message in MB, bandwidths in Gbit/s and a result that is called milliseconds. Megabytes over gigabytes a second
are milliseconds before the last division, so it yields seconds. It lets n - 1 whole messages pass where a ring carries
2(n-1)/n of one. And it is used with 400 Gbit/s for NVLink, where NVLink 4 carries 450 gigabytes a second each way.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

NVLINK_GIGABITS: Final = 400
"""What the formula is used with for NVLink, Gbit/s."""


class Copied(NamedTuple):
    """What the formula says inside a node and between nodes; it calls these milliseconds, and they are seconds."""

    intra: Fraction
    inter: Fraction


class Example(NamedTuple):
    """Arguments of the formula in its own order; bandwidths in Gbit/s, the message in MB."""

    gpus: int
    nodes: int
    nvlink: int
    network: int
    megabytes: int


OWN_EXAMPLE: Final = Example(8, 2, NVLINK_GIGABITS, 200, 16)


def copied_formula(gpus: int, nodes: int, nvlink: int, network: int, megabytes: Fraction | int) -> Copied:
    """Return what the copied formula says (see ``Example`` for the units), exactly. Do not use it for anything else."""
    message = Fraction(megabytes)
    intra = message * (gpus - 1) / Fraction(nvlink, 8) / 1000
    inter = message * (nodes - 1) / Fraction(network, 8) / 1000
    return Copied(intra, inter)
