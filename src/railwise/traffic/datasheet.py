"""From data sheets to times: what the constants in ``links`` are, and how far off a bare prediction is.

Whoever asks for an estimate mostly has no table of their own system. The constants then are the means over systems that
have one, and the honest error is that of a system whose own table was kept out of the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from railwise.traffic.calibration import Fit, Sample, fit_with_ramp
from railwise.traffic.collectives import Hardware, all_reduce
from railwise.traffic.links import (
    FAST_EFFICIENCY,
    FAST_STEP,
    LAUNCH,
    NETWORK_EFFICIENCY,
    NETWORK_STEP,
    RAMP,
    THOUSAND,
    fast_link,
    network_link,
)

LONG = 1 << 40
"""Bytes of a message so long that only bandwidth counts."""


@dataclass(frozen=True, slots=True)
class System:
    """A measured system as its data sheets describe it: NIC share of a card in bits/s, a name in ``FAST_LINKS``."""

    nodes: int
    cards: int
    fast: str
    nic_bits: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Constants:
    """What data sheets do not tell; units as in ``links``."""

    fast_step: int = FAST_STEP
    network_step: int = NETWORK_STEP
    fast_efficiency: int = FAST_EFFICIENCY
    network_efficiency: int = NETWORK_EFFICIENCY
    ramp: int = RAMP

    def hardware(self, system: System) -> Hardware:
        """Return the links of a system under these constants."""
        fast = replace(fast_link(system.fast), latency=self.fast_step, efficiency=self.fast_efficiency)
        nic = replace(network_link(system.nic_bits, self.network_step), efficiency=self.network_efficiency)
        return Hardware(fast, nic, LAUNCH, self.ramp)


def derive(systems: Sequence[System], ramp: int = RAMP) -> Constants:
    """Return the constants as means over measured systems; what none of them shows keeps its default.

    Single nodes tell the step and the efficiency inside a node; of several nodes the start-up time beyond that tells
    the step between nodes (of a tree), and where the network is slower than the node its efficiency.
    """
    fits = [(system, fit_with_ramp(system.samples, ramp)) for system in systems]
    single = [(system, fit) for system, fit in fits if system.nodes == 1]
    steps = [(fit.latency - LAUNCH) // (2 * (system.cards - 1)) for system, fit in single]
    fast_step = _mean(steps, FAST_STEP)
    bare = Constants(fast_step, 0, THOUSAND, THOUSAND, ramp)
    fast_efficiency = _mean([_reached(system, fit, bare) for system, fit in single], FAST_EFFICIENCY)
    several = [(system, fit) for system, fit in fits if system.nodes > 1]
    hops = [
        (fit.latency - LAUNCH - 2 * (system.cards - 1) * fast_step) // (2 * (system.nodes - 1).bit_length())
        for system, fit in several
    ]
    full = replace(bare, fast_efficiency=fast_efficiency)
    slow = [(system, fit) for system, fit in several if _network_bound(system, full)]
    network_efficiency = _mean([_reached(system, fit, bare) for system, fit in slow], NETWORK_EFFICIENCY)
    return Constants(fast_step, _mean(hops, NETWORK_STEP), fast_efficiency, network_efficiency, ramp)


def data_sheet_error(system: System, constants: Constants) -> float:
    """Return the mean of |predicted / measured - 1| over a system's table, predicted from its data sheets alone."""
    made = constants.hardware(system)
    errors = [
        abs(all_reduce(made, system.nodes, system.cards, size).total() / time - 1) for size, time in system.samples
    ]
    return sum(errors) / len(errors)


def _reached(system: System, fit: Fit, bare: Constants) -> int:
    """Return the thousandths of the data sheet's time for a long message that the fit shows."""
    ideal = all_reduce(bare.hardware(system), system.nodes, system.cards, LONG).transfer
    return ideal * THOUSAND // (fit.nanoseconds(LONG) - fit.latency)


def _network_bound(system: System, constants: Constants) -> bool:
    phases = all_reduce(constants.hardware(system), system.nodes, system.cards, LONG).phases
    return max(phases, key=lambda one: one.transfer).link == "NIC"


def _mean(values: Sequence[int], default: int) -> int:
    return max(1, round(sum(values) / len(values))) if values else default
