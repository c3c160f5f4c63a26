"""How long one step of a workload takes at a place: its traffic laid over the links between its cards.

Ranks fill cards in order, as launchers number them: tensor-parallel neighbours first, then data-parallel copies, then
pipeline stages (Megatron-LM's order). All groups of a kind talk at the same time, so their bytes meet on NICs and
uplinks. What compute may hide is not taken off: it would be hidden at every place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from railwise.traffic.collectives import PAIR, inside_phase, share
from railwise.traffic.links import LAUNCH, NANOSECONDS, RAMP, Cost, Phase, cost, phase, transfer_time
from railwise.traffic.moe import expert_traffic
from railwise.traffic.pipeline import hand_overs
from railwise.traffic.sizes import DENSE, MOE, PD, PIPELINE, Sizes
from railwise.traffic.wiring import Load, Loads, Seat, Uplink, Wiring, blocks, merged, slowest_fast

GRADIENTS: Final = "AllReduce of gradients"
TENSORS: Final = "AllReduce of activations in tensor-parallel units"


class Party(NamedTuple):
    """A group of pods (path ``a/b``, empty for the root) and where its cards sit, in rank order."""

    path: str
    seats: Sequence[Seat]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is said, how long compute takes (ns, 0: unknown), and which sizes were assumed.

    ``carried`` is the bytes over each known uplink in one step; ``least`` the ns that a step takes however quick the
    links are (the second of tokens whose KV cache is handed over).
    """

    costs: tuple[Cost, ...]
    compute: int = 0
    assumed: tuple[str, ...] = ()
    carried: Mapping[Uplink, int] = field(default_factory=dict)
    least: int = 0

    def total(self) -> int:
        """Return the ns of the step, alone on its links."""
        return self.compute + sum(one.total() for one in self.costs)

    def lasts(self) -> int:
        """Return the ns from the beginning of one step to that of the next, alone on its links."""
        return max(self.total(), self.least)

    def wants(self, carried: int) -> int:
        """Return the bits/s of a link that carries so many bytes a step, as long as nothing else slows the step."""
        return transfer_time(carried, max(1, self.lasts()))


class Said:
    """What a step says: costs one after another, and the bytes that they bring over uplinks."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self.costs: Final[list[Cost]] = []
        self.carried: Final[dict[Uplink, int]] = {}

    def add(self, once: Cost, loads: Loads, times: int = 1) -> None:
        """Say something ``times``; ``loads`` is what it brings over the links each time."""
        self.costs.append(_repeated(once, times))
        loads.over_uplinks(self.carried, times)


def step_at(sizes: Sizes, parties: Sequence[Party], wiring: Wiring) -> Step:
    """Return what one step takes with these places; for ``pd`` a step is the KV cache of one second of prefill."""
    seats = [seat for party in parties for seat in party.seats if seat.cards]
    said = Said()
    if sizes.pattern == PD:
        _cache(said, sizes, parties, wiring)
    if sizes.pattern == MOE:
        _experts(said, sizes, seats, wiring)
    if sizes.pattern == PIPELINE or (sizes.stages >= PAIR and sizes.activations):
        _stages(said, sizes, seats, wiring)
    if sizes.gradients and sizes.pattern != PD:
        _gradients(said, sizes, seats, wiring)
    if sizes.pattern == DENSE and sizes.layers:
        _tensors(said, sizes, seats, wiring)
    least = NANOSECONDS if sizes.pattern == PD else 0
    return Step(tuple(one for one in said.costs if one.phases), sizes.compute, sizes.assumed, said.carried, least)


def ends(sizes: Sizes, parties: Sequence[Party]) -> tuple[list[Seat], list[Seat]]:
    """Return who sends and who receives the KV cache: the groups named, else the first and the last of several."""
    paths = [party.path for party in parties]
    source = sizes.source or (paths[0] if len(paths) >= PAIR else "")
    target = sizes.target or (paths[-1] if len(paths) >= PAIR else "")

    def below(name: str) -> list[Seat]:
        return [
            seat for path, seats in parties if name and (path == name or path.startswith(f"{name}/")) for seat in seats
        ]

    return below(source), below(target)


def _between(loads: Loads, steps: int) -> list[Phase]:
    """Return the phases between nodes: the steps over NICs, then what each level's busiest uplink carries."""
    return _phases(loads.busiest(), steps, loads.step())


def _phases(busiest: Sequence[Load], steps: int, step: int) -> list[Phase]:
    found = []
    for number, load in enumerate(busiest):
        here = 0 if number else steps
        found.append(Phase("between nodes", load.name, here, here * step, load.carried, load.time))
    return found


def _rings(name: str, inside: Phase, rings: Sequence[Sequence[Seat]], size: int, wiring: Wiring) -> tuple[Cost, Loads]:
    """Return AllReduces of ``size`` bytes a node in several rings (or trees) of nodes at the same time."""
    longest = max((len(ring) for ring in rings), default=0)
    loads = Loads(wiring)
    if longest < PAIR:
        return cost(name, [inside], LAUNCH, RAMP), loads
    for ring in rings:
        if len(ring) >= PAIR:
            carried = share(size, 2 * (len(ring) - 1), len(ring))
            for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
                loads.send(one, other, carried)
    busiest = loads.busiest()
    ring_way = cost(name, [inside, *_phases(busiest, 2 * (longest - 1), loads.step())], LAUNCH, RAMP)
    if longest == PAIR:
        return ring_way, loads
    doubled = [
        Load(load.name, share(load.carried, longest, longest - 1), share(load.time, longest, longest - 1))
        for load in busiest
    ]
    tree_way = cost(name, [inside, *_phases(doubled, 2 * (longest - 1).bit_length(), loads.step())], LAUNCH, RAMP)
    if ring_way.total() <= tree_way.total():
        return ring_way, loads
    return tree_way, loads.grown(longest, longest - 1)


def _gradients(said: Said, sizes: Sizes, seats: Sequence[Seat], wiring: Wiring) -> None:
    """Say the AllReduce of gradients over the data-parallel copies of every stage at once."""
    cards = sum(seat.cards for seat in seats)
    tensor = min(max(1, sizes.tensor), max(1, cards))
    stages = min(max(1, sizes.stages), max(1, cards // tensor))
    piece = share(sizes.gradients, 1, stages)
    rings: list[list[Seat]] = []
    local, carried = 1, 0
    for stage in blocks(seats, -(-cards // stages)) if cards else []:
        nodes = merged(stage)
        width = min(seat.cards for seat in nodes)
        stride = max(1, tensor // width)
        rings += [nodes[start::stride] for start in range(min(stride, len(nodes)))]
        local = max(local, max(seat.cards for seat in nodes) // tensor)
        carried = max(carried, share(piece, min(width, tensor), tensor))
    inside = inside_phase(slowest_fast(seats), local, share(piece, 1, tensor))
    said.add(*_rings(GRADIENTS, inside, rings, carried, wiring))


def _tensors(said: Said, sizes: Sizes, seats: Sequence[Seat], wiring: Wiring) -> None:
    """Say what tensor-parallel units do: two AllReduces of the activations a layer and pass (Megatron-LM)."""
    size = sizes.activations or sizes.tokens * sizes.hidden * sizes.element
    if sizes.tensor < PAIR or not size:
        return
    units = [merged(unit) for unit in blocks(seats, sizes.tensor)]
    local = max((seat.cards for unit in units for seat in unit), default=1)
    inside = inside_phase(slowest_fast(seats), local, size)
    layers = -(-sizes.layers // max(1, sizes.stages))
    said.add(*_rings(TENSORS, inside, units, size, wiring), times=2 * layers * _passes(sizes))


def _experts(said: Said, sizes: Sizes, seats: Sequence[Seat], wiring: Wiring) -> None:
    """Say dispatch and combine of all expert groups at once, every layer and pass."""
    cards = sum(seat.cards for seat in seats)
    if cards < PAIR:
        return
    groups = [merged(group) for group in blocks(seats, min(sizes.experts or cards, cards))]
    for way, name in enumerate(("tokens to experts", "tokens back from experts")):
        loads = Loads(wiring)
        inside = 0
        for group in groups:
            ranks = sum(seat.cards for seat in group)
            each = expert_traffic(
                nodes=len(group),
                cards=-(-ranks // len(group)),
                tokens=sizes.tokens,
                hidden=sizes.hidden,
                top_k=sizes.top_k,
                element=sizes.element,
            )
            cards_here = max(seat.cards for seat in group)
            handed_on = share(each.between[way], cards_here - 1, cards_here) if wiring.railed else 0
            inside = max(inside, each.inside[way] + handed_on)
            if len(group) >= PAIR:
                everyone = [(seat, seat.cards) for seat in group]
                loads.send_all(everyone, everyone, share(each.between[way] * ranks, len(group), len(group) - 1))
        here = phase("inside the node", slowest_fast(seats), 1 if inside else 0, inside)
        once = cost(f"All-to-all: {name}", [here, *_between(loads, 1)], LAUNCH, RAMP)
        said.add(once, loads, sizes.layers * _passes(sizes))


def _stages(said: Said, sizes: Sizes, seats: Sequence[Seat], wiring: Wiring) -> None:
    """Say the hand-overs between pipeline stages: all borders once there and back, then the slowest again."""
    cards = sum(seat.cards for seat in seats)
    stages = min(sizes.stages or len(seats), cards)
    if stages < PAIR:
        return
    runs = blocks(seats, -(-cards // stages))
    borders = [Loads(wiring) for _ in runs[1:]]
    joint = Loads(wiring)
    inside = 0
    for loads, here, there in zip(borders, runs, runs[1:], strict=False):
        for one, other in _pairs(here, there):
            size = share(sizes.activations, one.cards, max(1, sizes.tensor))
            if one.node == other.node:
                inside = max(inside, share(sizes.activations, 1, max(1, sizes.tensor)))
            loads.send(one, other, size)
            joint.send(one, other, size)
            joint.send(other, one, size)
    fast = phase("inside the node", slowest_fast(seats), 1 if inside else 0, inside)
    passing = [cost("border", _between(loads, 1) or [fast], LAUNCH, RAMP) for loads in borders]
    slowest = cost("hand-over between stages, all at once", _between(joint, 1) or [fast], LAUNCH, RAMP)
    said.costs.extend(hand_overs(passing, slowest, sizes.micro_batches))
    joint.over_uplinks(said.carried, max(1, sizes.micro_batches))


def _pairs(here: Sequence[Seat], there: Sequence[Seat]) -> list[tuple[Seat, Seat]]:
    """Return card by card who hands over to whom, neighbouring cards of the same two nodes together."""
    found = []
    left = list(there)
    for seat in here:
        cards = seat.cards
        while cards and left:
            taken = min(cards, left[0].cards)
            found.append((seat._replace(cards=taken), left[0]._replace(cards=taken)))
            cards -= taken
            rest = left[0].cards - taken
            left[:1] = [left[0]._replace(cards=rest)] if rest else []
    return found


def _cache(said: Said, sizes: Sizes, parties: Sequence[Party], wiring: Wiring) -> None:
    """Say how long the links need for the KV cache of one second (more than 1 s: they do not keep up)."""
    loads = Loads(wiring)
    senders, receivers = ends(sizes, parties)
    size = sizes.per_token * sizes.per_second
    loads.send_all([(seat, seat.cards) for seat in senders], [(seat, seat.cards) for seat in receivers], size)
    said.add(cost("KV cache of one second, prefill to decode", _between(loads, 1), LAUNCH, RAMP), loads)


def _passes(sizes: Sizes) -> int:
    return 2 if sizes.backward else 1


def _repeated(once: Cost, times: int) -> Cost:
    return replace(once, times=times)
