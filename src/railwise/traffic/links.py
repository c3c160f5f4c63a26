"""Links and what a message over them takes: a start-up time, a transfer time, and what lies between the two.

The usual model has two terms, t = α + S/β. It misses measured collectives by 9 to 24 %, because a long message travels
in pieces and the pieces have to fill the pipe first. With the best size of a piece the loss is a third term that grows
with the square root of the message; one factor says how much of it a real library shows.

Units at every seam are whole nanoseconds, bytes and bits per second, one direction of a link. Nothing here is a float,
so that equal questions get equal answers on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt
from typing import Final, NamedTuple

NANOSECONDS: Final = 1_000_000_000
THOUSAND: Final = 1000
BITS: Final = 8
GIGA: Final = 1_000_000_000

RAMP: Final = 740
"""The share of the √S term in thousandths that fits seven measured systems best (``calibration.shared_ramp``)."""

LAUNCH: Final = 6_600
"""Nanoseconds before the first byte: the base latency that NVIDIA's NCCL assumes for a ring in its tuning tables."""

FAST_STEP: Final = 1_600
"""Nanoseconds of one step inside a node: with launch and 14 steps the mean of three measured nodes of 8 cards."""

NETWORK_STEP: Final = 56_000
"""Nanoseconds of one step between nodes: the mean of four measured cloud fabrics; InfiniBand is quicker."""

FAST_EFFICIENCY: Final = 840
NETWORK_EFFICIENCY: Final = 900
"""Thousandths of a data sheet's bandwidth that the longest measured messages reach (``datasheet``)."""

SWITCH_EFFICIENCY: Final = 850
"""Thousandths of what a ring reaches over the same link when the switch adds up: NCCL's figure for NVLS on Hopper."""


@dataclass(frozen=True, slots=True)
class Link:
    """One direction of a link: ``bits_per_second`` of the data sheet, ``latency`` ns a step, ``efficiency`` ‰ of it.

    ``adds`` says that its switch can add up what the cards send (NVLS on NVSwitch).
    """

    name: str
    bits_per_second: int
    latency: int
    efficiency: int = THOUSAND
    adds: bool = False

    def usable(self) -> int:
        """Return the bits per second that long messages reach (at least 1)."""
        return max(1, self.bits_per_second * self.efficiency // THOUSAND)

    def transfer(self, size: int) -> int:
        """Return the ns that ``size`` bytes take once they flow, rounded up."""
        return transfer_time(size, self.usable())

    def at_most(self, bits_per_second: int, name: str) -> Link:
        """Return this link, or a slower one under another name where what lies behind it carries less (bits/s)."""
        if self.bits_per_second <= bits_per_second:
            return self
        return replace(self, name=name, bits_per_second=bits_per_second)


FAST_LINKS: Final[dict[str, int]] = {
    "nvlink2": 150 * BITS * GIGA,
    "nvlink3": 300 * BITS * GIGA,
    "nvlink4": 450 * BITS * GIGA,
    "nvlink5": 900 * BITS * GIGA,
    "xgmi3": 448 * BITS * GIGA,
    "pcie3": 16 * BITS * GIGA,
    "pcie4": 32 * BITS * GIGA,
    "pcie5": 63 * BITS * GIGA,
}
"""Bits per second of one card towards the others of its node, one direction; from the vendors' data sheets."""

ADDING: Final = frozenset({"nvlink4", "nvlink5"})
"""Links whose switches add up."""

MODEL_LINKS: Final[tuple[tuple[str, str], ...]] = (
    ("GB200", "nvlink5"),
    ("GB300", "nvlink5"),
    ("B200", "nvlink5"),
    ("B300", "nvlink5"),
    ("GH200", "nvlink4"),
    ("H100", "nvlink4"),
    ("H200", "nvlink4"),
    ("H20", "nvlink4"),
    ("A100", "nvlink3"),
    ("V100", "nvlink2"),
    ("MI300", "xgmi3"),
    ("MI325", "xgmi3"),
    ("PCIE", "pcie4"),
    ("L40", "pcie4"),
    ("A10", "pcie4"),
    ("L4", "pcie4"),
    ("T4", "pcie3"),
)
"""Part of a card model's name, and what joins such cards inside a node; the first that occurs counts."""


def fast_link(kind: str = "nvlink4") -> Link:
    """Return the link between cards of one node; KeyError for a name that ``FAST_LINKS`` lacks."""
    name = "NVLink" if kind.startswith("nvlink") else kind
    return Link(name, FAST_LINKS[kind], FAST_STEP, FAST_EFFICIENCY, kind in ADDING)


def link_of_model(model: str) -> Link:
    """Return what joins cards of this model inside a node; NVLink 4 where the name tells nothing."""
    upper = model.upper()
    kinds = [("PCIE", "pcie4")] if "PCIE" in upper else MODEL_LINKS
    return fast_link(next((kind for part, kind in kinds if part in upper), "nvlink4"))


def network_link(bits_per_second: int, latency: int = NETWORK_STEP) -> Link:
    """Return the NIC (or NICs) of ``bits_per_second``; ``latency`` is the ns of one step between nodes."""
    return Link("NIC", bits_per_second, latency, NETWORK_EFFICIENCY)


def transfer_time(size: int, bits_per_second: int) -> int:
    """Return the ns that ``size`` bytes take at this rate, rounded up."""
    return -(-size * BITS * NANOSECONDS // bits_per_second)


def ramp_time(latency: int, transfer: int, ramp: int = RAMP) -> int:
    """Return the √S term in ns: 2κ√(latency · transfer), κ = ``ramp`` thousandths.

    A message cut into m pieces that pass through a pipe of start-up time A takes about A + m·a + S/β + A·S/(β·m·a);
    the best m makes the middle part 2√(A·S/β). It is the textbook result on pipelined broadcast with an optimal
    segment; κ scales it to what collectives of NCCL were measured to lose.
    """
    return isqrt(4 * ramp * ramp * latency * transfer) // THOUSAND


class Phase(NamedTuple):
    """A part of a collective: ``steps`` over a link, and the bytes that its busiest direction carries."""

    name: str
    link: str
    steps: int
    latency: int
    carried: int
    transfer: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What a collective takes, in ns: start-up, the longest transfer (phases overlap), the √S term, all ``times``.

    ``launch`` is part of ``latency``. ``times`` is how often it happens one after another.
    """

    name: str
    phases: tuple[Phase, ...]
    launch: int
    latency: int
    transfer: int
    ramp: int
    times: int = 1

    def once(self) -> int:
        """Return the ns of one of them."""
        return self.latency + self.transfer + self.ramp

    def total(self) -> int:
        """Return the ns of all of them."""
        return self.times * self.once()


def phase(name: str, link: Link, steps: int, carried: int) -> Phase:
    """Return a phase of ``steps`` steps in which the busiest direction of the link carries ``carried`` bytes."""
    return Phase(name, link.name, steps, steps * link.latency, carried, link.transfer(carried))


def cost(name: str, phases: list[Phase], launch: int, ramp: int = RAMP, times: int = 1) -> Cost:
    """Return the cost of phases that overlap in time; nothing to do costs nothing.

    Chunks of one message are in different phases at the same time, so the slowest phase sets the pace. Measured
    systems of several nodes lie nearer to the slowest phase than to the sum of the phases.
    """
    used = tuple(one for one in phases if one.steps or one.carried)
    if not used:
        return Cost(name, (), 0, 0, 0, 0, times)
    latency = launch + sum(one.latency for one in used)
    transfer = max(one.transfer for one in used)
    return Cost(name, used, launch, latency, transfer, ramp_time(latency, transfer, ramp), times)
