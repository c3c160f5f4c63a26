"""Expert traffic, KV caches and pipelines against published sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.traffic.kvcache import bytes_per_token, cache_per_second, latent_bytes_per_token
from railwise.traffic.links import GIGA, Cost, Link, cost, phase
from railwise.traffic.moe import expert_traffic
from railwise.traffic.pipeline import hand_overs

KI = 1024


@pytest.mark.parametrize(
    ("layers", "heads", "expected"),
    [(32, 8, 128 * KI), (80, 8, 320 * KI), (126, 8, 504 * KI), (36, 8, 144 * KI), (48, 4, 96 * KI), (94, 4, 188 * KI)],
)
def test_caches_of_published_models(layers: int, heads: int, expected: int) -> None:
    assert bytes_per_token(layers, heads, 128) == expected


def test_a_latent_cache_is_small() -> None:
    assert latent_bytes_per_token(61, 512, 64) == 70_272  # DeepSeek-V3, 68.6 KiB


def test_cache_per_second() -> None:
    assert cache_per_second(320 * KI, 50_000) == 16_384_000_000


def test_the_dispatch_of_a_large_model() -> None:
    """DeepSeek-V3 with 4,096 tokens: 235 MB to all experts in FP8, half of it at most across four other nodes."""
    one_node = expert_traffic(nodes=1, cards=1000, tokens=4096, hidden=7168, top_k=8, element=1)
    assert one_node.inside[0] == pytest.approx(235e6, rel=0.01)
    assert one_node.inside[1] == pytest.approx(470e6, rel=0.01)
    assert one_node.between == (0, 0)
    five = expert_traffic(nodes=5, cards=8, tokens=4096, hidden=7168, top_k=8, element=1)
    assert five.between == (4 * 4096 * 7168, 8 * 4096 * 7168)


def test_few_experts_a_token_never_reach_all_nodes() -> None:
    spread = expert_traffic(nodes=16, cards=8, tokens=1, hidden=1600, top_k=2, element=1)
    assert spread.between[0] == 1600 * 2 * 15 // 16


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 10_000), st.integers(1, 16))
def test_experts_on_more_nodes_never_say_less_between_them(nodes: int, cards: int, tokens: int, top_k: int) -> None:
    here, wider = (
        expert_traffic(nodes=n, cards=cards, tokens=tokens, hidden=512, top_k=top_k).between for n in (nodes, nodes + 1)
    )
    assert here <= wider


def _border(time: int) -> Cost:
    return cost("border", [phase("between", Link("wire", 8 * GIGA, 0), 1, time)], 0, 0)


@pytest.mark.parametrize(
    ("borders", "batches", "expected"),
    [([], 8, 0), ([5], 1, 10), ([5, 5, 5], 1, 30), ([5, 9, 5], 4, 2 * (19 + 3 * 9))],
)
def test_a_pipeline_waits_for_every_border_once_and_then_for_the_slowest(
    borders: list[int], batches: int, expected: int
) -> None:
    slowest = _border(max(borders, default=0))
    costs = hand_overs([_border(time) for time in borders], slowest, batches)
    assert sum(one.total() for one in costs) == expected
