"""Single pods packed by the mix of pods that usually come, by the engine itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cluster.shapes import Shape
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.gangs.demand import read_demand
from railwise.engine.indexed.by_mix import ByMix
from railwise.engine.search.placement import Found, Placer, Refused
from railwise.model.node import Cards, Node
from railwise.model.plan import State
from railwise.model.policy import MixPod, Policy
from railwise.model.topology import Topology
from railwise.model.workload import CARDS_SHARE, CARDS_WHOLE, CardRequest, Group, Request, Workload
from tests.engine.small import FABRIC, flat, gang, racks, request, scenario
from tests.examples import examples

MIX = (MixPod(60, 1000, 8000), MixPod(30, 600, 4000), MixPod(5, 8000, 64_000), MixPod(5, 0, 8000))


def state_of(nodes: Sequence[Node], *topologies: Topology, mix: tuple[MixPod, ...] = MIX) -> ClusterState:
    return ClusterState(nodes, topologies, Policy(mix=mix))


def single(gpu: int, cpu: int = 0) -> Workload:
    """Return a workload of one pod."""
    cards = CardRequest()
    if gpu:
        cards = CardRequest(CARDS_SHARE, 1, gpu) if gpu < 1000 else CardRequest(CARDS_WHOLE, gpu // 1000)
    asks = Request(cards, (("cpu", cpu),) if cpu else ())
    return Workload("w", Group(pods=1, min_pods=1, request=asks))


def shape_of(state: ClusterState, workload: Workload) -> Shape:
    return state.shapes.of_group(workload.root)


def place(state: ClusterState, gpu: int, cpu: int = 0) -> int:
    """Place and book one pod; return its node, -1 where it fits nowhere."""
    workload = single(gpu, cpu)
    demand = read_demand(workload, workload.root, state)
    found = Placer(state).place(demand, {demand.root.index: [0]}, {demand.root.index})
    if isinstance(found, Refused):
        assert found.proven
        return -1
    (spot,) = found.pods
    assert found.exact
    assert found.met
    assert state.put(shape_of(state, workload), spot.node, spot.chosen) is not None
    return spot.node


def test_cards_keep_the_cpu_that_they_need() -> None:
    state = state_of(flat(8, 8, cpu=64_000))
    assert place(state, 8000, 32_000) == 0
    # n0 has no card left and half of its cpu: nothing of what usually comes is lost there.
    assert [place(state, 0, 8000) for _ in range(4)] == [0, 0, 0, 0]
    assert place(state, 0, 8000) == 1


def test_pods_without_cards_stay_off_nodes_with_cards() -> None:
    state = state_of([*flat(8, cpu=64_000), Node("bare", resources={"cpu": 16_000})])
    assert [place(state, 0, 8000) for _ in range(3)] == [1, 1, 0]


def test_a_share_goes_where_a_second_one_still_fits() -> None:
    mix = (MixPod(1, 500), MixPod(1, 1000))
    state = state_of(flat(1, 1), mix=mix)
    assert [place(state, 500) for _ in range(4)] == [0, 0, 1, 1]
    assert place(state, 100) == -1


def test_a_share_takes_the_card_of_a_node_that_loses_least() -> None:
    state = state_of(flat(2), mix=(MixPod(1, 1000), MixPod(1, 400)))
    share = shape_of(state, single(600))
    assert ByMix(state).place(share) == (0, ((0, 1000, 1000),))
    assert place(state, 600) == 0
    # Another 0.4 fits beside the 0.6, and then nothing is lost of the whole card.
    assert ByMix(state).place(shape_of(state, single(400))) == (0, ((0, 400, 400),))


def test_broken_racks_go_first_among_equal_losses() -> None:
    mix = (MixPod(1, 1000),)
    state = state_of(racks(2, 2), FABRIC, mix=mix)
    assert place(state, 8000) == 0
    # Every whole node loses the same of the mix; the one in the broken rack keeps the other rack whole.
    assert place(state, 8000) == 1
    # A pod of one card loses the same anywhere; the tightest node wins after the racks.
    assert place(state, 1000) == 2
    assert place(state, 1000) == 2


def test_a_level_with_nameless_nodes_is_left_to_the_other_search() -> None:
    nodes = [replace(node, places={}) if node.name == "n0" else node for node in racks(1, 1)]
    state = state_of(nodes, FABRIC)
    workload = replace(single(1000), root=gang("w", 1, request(1), required="rack").root)
    demand = read_demand(workload, workload.root, state)
    found = Placer(state).place(demand, {demand.root.index: [0]}, {demand.root.index})
    assert isinstance(found, Found)
    assert [spot.node for spot in found.pods] == [1]


def test_gangs_are_placed_as_ever() -> None:
    nodes = racks(2, 2)
    asked = scenario(nodes, gang("w", 2, request(8), required="rack"))
    plans = [Engine(replace(asked, policy=Policy(mix=mix))).cycle([]) for mix in ((), MIX)]
    assert plans[0] == plans[1]
    assert plans[1].workloads[0].state is State.PLACED


def test_rooms_that_were_forgotten_are_judged_anew() -> None:
    state = state_of(flat(2, 2, cpu=16_000))
    search = ByMix(state)
    shape = shape_of(state, single(1000, 8000))
    assert search.place(shape) == (0, ())
    assert state.put(shape, 0) is not None
    state.compact()
    assert search.place(shape) == (0, ())


KINDS = st.sampled_from([(2, 16_000), (4, 32_000), (8, 96_000), (8, 64_000), (1, 8_000), (0, 32_000)])
PODS = st.sampled_from(
    [(1000, 8000), (600, 4000), (300, 1000), (8000, 64_000), (2000, 12_000), (0, 8000), (470, 12_000)]
)


@examples(60)
@given(st.lists(KINDS, min_size=1, max_size=8), st.lists(PODS, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter_and_nothing_is_given_twice(
    kinds: list[tuple[int, int]], pods: list[tuple[int, int]], chance: object
) -> None:
    nodes = [
        Node(f"n{place}", cards=(Cards(cards),) if cards else (), resources={"cpu": cpu})
        for place, (cards, cpu) in enumerate(kinds)
    ]
    mixed = list(nodes)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    ends: list[Counter[object]] = []
    for order in (nodes, mixed):
        state = state_of(order)
        placed = [place(state, gpu, cpu) >= 0 for gpu, cpu in pods]
        rooms = state.room_of
        ends.append(Counter([(room.spec.cards, *room.figures()) for room in rooms] + [tuple(placed)]))
        for room in rooms:
            assert room.cpu >= 0
            assert all(memory >= 0 <= compute for _, memory, compute in room.partial)
    assert ends[0] == ends[1]
