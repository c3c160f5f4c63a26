"""Traffic laid over links: closed forms for rings, expert groups, pipelines and caches at small places."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.model.workload import Group, Traffic, Workload
from railwise.traffic.links import GIGA, fast_link
from railwise.traffic.placement_time import Party, Step, step_at
from railwise.traffic.sizes import ASSUMED, Sizes, read_sizes, sizes_of
from railwise.traffic.wiring import Loads, Seat, Wiring, blocks, merged

FAST = fast_link()
WIRING = Wiring(("superpod", "rack"), (25_600 * GIGA, 400 * GIGA), 3_200 * GIGA, efficiency=1000)
GI = 1 << 30


def seat(node: int, rack: int, superpod: int = 0, cards: int = 8) -> Seat:
    return Seat(node, (superpod, rack), cards, 8, FAST)


def racks(*sizes: int, cards: int = 8) -> list[Seat]:
    found: list[Seat] = []
    for rack, size in enumerate(sizes):
        found += [seat(len(found) + i, rack, cards=cards) for i in range(size)]
    return found


def step(traffic: Sizes, *parties: list[Seat], wiring: Wiring = WIRING) -> Step:
    return step_at(traffic, [Party(f"g{i}" if len(parties) > 1 else "", p) for i, p in enumerate(parties)], wiring)


def carried(found: Step, cost: int = 0) -> dict[str, int]:
    return {phase.link: phase.carried for phase in found.costs[cost].phases}


DENSE = read_sizes(Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"}))


def test_a_ring_over_two_racks_is_as_slow_as_the_uplink() -> None:
    inside, across = step(DENSE, racks(2)), step(DENSE, racks(1, 1))
    assert carried(inside) == {"NIC": 14 * GI}
    assert carried(across) == {"NIC": 14 * GI, "rack uplink": 14 * GI}
    assert inside.costs[0].transfer == 14 * GI * 8 // 3200 + 1
    assert across.costs[0].transfer == 14 * GI * 8 // 400 + 1


def test_ranks_that_zigzag_between_racks_load_the_uplink_twice() -> None:
    a, b = racks(2, 2)[:2], racks(2, 2)[2:]
    straight, zigzag = step(DENSE, [*a, *b]), step(DENSE, [a[0], b[0], a[1], b[1]])
    assert carried(straight)["rack uplink"] * 2 == carried(zigzag)["rack uplink"]
    assert straight.total() < zigzag.total()


def test_an_uplink_that_nobody_knows_is_never_the_bottleneck() -> None:
    blind = replace(WIRING, uplinks=(0, 0))
    assert step(DENSE, racks(1, 1), wiring=blind).total() == step(DENSE, racks(2)).total()


def test_half_a_node_has_half_its_nics() -> None:
    half = step(read_sizes(Traffic("dense")), racks(2, cards=4))
    whole = step(read_sizes(Traffic("dense")), racks(2, cards=8))
    nic = {phase.link: phase.transfer for phase in half.costs[0].phases}["NIC"]
    assert nic == pytest.approx(2 * {phase.link: phase.transfer for phase in whole.costs[0].phases}["NIC"], rel=1e-6)


def test_one_node_speaks_over_its_fast_links_alone() -> None:
    found = step(read_sizes(Traffic("dense")), racks(1))
    assert list(carried(found)) == ["NVLink"]
    assert step(DENSE, racks(1)).costs == ()  # one copy of the model has nobody to average with


def test_tensor_parallel_units_wider_than_a_node_make_several_rings() -> None:
    wide = read_sizes(Traffic("dense", {"tensorParallel": 16, "gradients": "14Gi"}))
    assert carried(step(wide, racks(4)))["NIC"] == 7 * GI  # two rings of two nodes, each with half the array


def test_stages_share_the_gradients() -> None:
    staged = read_sizes(Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi", "pipelineParallel": 2}))
    assert carried(step(staged, racks(4)))["NIC"] == 7 * GI


def test_tensor_parallel_activations_count_where_layers_are_given() -> None:
    told = {"tensorParallel": 16, "tokens": 4096, "hidden": 8192, "layers": 80}
    found = step(read_sizes(Traffic("dense", dict(told))), racks(2))
    assert found.costs[0].times == 2 * 80 * 2
    assert carried(found)["NIC"] == 4096 * 8192 * 2
    inference = step(read_sizes(Traffic("dense", dict(told)), backward=False), racks(2))
    assert inference.costs[0].times == 2 * 80


MOE = read_sizes(Traffic("moe", {"tokens": 1000, "hidden": 1000, "topK": 8, "layers": 10}))


def test_experts_load_uplinks_with_what_leaves_the_rack() -> None:
    found = step(MOE, racks(2, 2))
    token = 1000 * 1000 * 2  # bytes of all tokens of one rank
    dispatch = carried(found)
    assert dispatch["NIC"] == 8 * 3 * token  # a token goes to each of three other nodes at most once
    assert dispatch["rack uplink"] == 2 * 8 * 2 * token
    assert [cost.times for cost in found.costs] == [20, 20]


def test_expert_groups_that_fit_racks_leave_uplinks_alone() -> None:
    grouped = replace(MOE, experts=16)
    assert "rack uplink" not in carried(step(grouped, racks(2, 2)))
    assert step(grouped, racks(2, 2)).total() < step(MOE, racks(2, 2)).total()


def test_a_pipeline_passes_each_border_and_repeats_the_slowest() -> None:
    sizes = read_sizes(Traffic("pipeline", {"activations": "64Mi", "microBatches": 8, "tensorParallel": 8}))
    near, far = step(sizes, racks(4)), step(sizes, racks(2, 2))
    assert [cost.times for cost in near.costs] == [2, 14]
    assert carried(near)["NIC"] == 64 << 20
    assert near.total() < far.total()
    assert step(sizes, racks(1)).costs == ()


def test_a_cache_is_carried_from_prefill_to_decode() -> None:
    sizes = read_sizes(Traffic("pd", {"from": "g0", "to": "g1", "bytesPerToken": "320Ki", "tokensPerSecond": 50_000}))
    near = step(sizes, racks(2, 2)[:1], racks(2, 2)[1:2])
    far = step(sizes, racks(2, 2)[:1], racks(2, 2)[2:3])
    second = 320 * 1024 * 50_000
    assert carried(near) == {"NIC": second}
    assert carried(far) == {"NIC": second, "rack uplink": second}
    shared = step(sizes, racks(2, 2)[:2], racks(2, 2)[1:3])
    assert carried(shared)["NIC"] == second // 2  # what stays on a node is not carried


def test_without_names_the_first_group_sends_to_the_last() -> None:
    named = read_sizes(Traffic("pd", {"from": "g0", "to": "g2"}))
    bare = read_sizes(Traffic("pd"))
    seats = racks(1, 1, 1)
    assert step(named, *[[s] for s in seats]).total() == step(bare, *[[s] for s in seats]).total()
    assert step(bare, seats).costs == ()


def test_compute_is_added() -> None:
    told = read_sizes(Traffic("dense", {"compute": "1s500ms"}))
    assert step(told, racks(2)).total() - step(read_sizes(Traffic("dense")), racks(2)).total() == 1_500_000_000


def test_training_is_dense_unless_it_says_otherwise() -> None:
    plain = Workload("a", Group(pods=2))
    assert sizes_of(plain).pattern == "none"
    assert sizes_of(replace(plain, kind="training")).pattern == "dense"
    assert sizes_of(replace(plain, kind="training", traffic=Traffic("none"))).pattern == "none"
    assert sizes_of(replace(plain, kind="training")).assumed == ("gradients 14Gi",)
    assert not sizes_of(replace(plain, kind="inference")).backward


@pytest.mark.parametrize("pattern", ASSUMED)
def test_a_name_alone_is_enough(pattern: str) -> None:
    sizes = read_sizes(Traffic(pattern))
    assert len(sizes.assumed) == len(ASSUMED[pattern])
    assert (step(sizes, racks(1, 1), racks(1, 1)).total() > 0) == (pattern != "none")


def test_blocks_cut_by_cards_and_merged_seats_add_up() -> None:
    cut = blocks(racks(3), 12)
    assert [[(s.node, s.cards) for s in block] for block in cut] == [[(0, 8), (1, 4)], [(1, 4), (2, 8)]]
    assert [(s.node, s.cards) for s in merged([*cut[0], *cut[1]])] == [(0, 8), (1, 8), (2, 8)]
    assert blocks([], 4) == []


def test_links_carry_what_crosses_them() -> None:
    loads = Loads(WIRING)
    loads.send(seat(0, 0), seat(1, 0), 5)
    loads.send(seat(0, 0), seat(2, 1), 7)
    loads.send(seat(0, 0), seat(3, 2, superpod=1), 11)
    loads.send(seat(0, 0), seat(0, 0), 100)
    assert [(load.name, load.carried) for load in loads.busiest()] == [
        ("NIC", 23),
        ("rack uplink", 18),
        ("superpod uplink", 11),
    ]


PATTERNS = st.sampled_from(["dense", "moe", "pipeline"])
NETS = st.lists(st.integers(1, 3), min_size=1, max_size=4)


@given(PATTERNS, NETS, st.integers(1, 100))
def test_slower_uplinks_never_make_a_step_quicker(pattern: str, sizes: list[int], gigabits: int) -> None:
    slow = replace(WIRING, uplinks=(WIRING.uplinks[0], gigabits * GIGA))
    told = read_sizes(Traffic(pattern))
    assert step(told, racks(*sizes)).total() <= step(told, racks(*sizes), wiring=slow).total()


@given(PATTERNS, NETS)
def test_one_rack_is_never_slower_than_several(pattern: str, sizes: list[int]) -> None:
    told = read_sizes(Traffic(pattern))
    assert step(told, racks(sum(sizes))).total() <= step(told, racks(*sizes)).total()


@given(st.integers(1, 1 << 20), st.integers(0, 1 << 20), NETS)
def test_more_gradients_never_take_less(mebibytes: int, more: int, sizes: list[int]) -> None:
    few, many = (read_sizes(Traffic("dense", {"gradients": f"{size}Mi"})) for size in (mebibytes, mebibytes + more))
    assert step(few, racks(*sizes)).total() <= step(many, racks(*sizes)).total()
