from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.fabric.clusters import cluster


def unit(name: str, servers: int, rails: int) -> dict[str, dict[str, int]]:
    """Return servers of a rail-optimised unit with their links by leaf."""
    return {f"{name}{at}": {f"{name}-leaf{rail}": 1 for rail in range(rails)} for at in range(servers)}


def groups(weights: dict[str, dict[str, int]]) -> dict[str, tuple[str, ...]]:
    """Return, for every server, all servers of its group."""
    found = cluster(weights)
    return {server: tuple(sorted(members)) for members, _ in found.members().values() for server in members}


def test_servers_on_the_same_leaves_are_a_group() -> None:
    found = cluster(unit("a", 4, 8) | unit("b", 4, 8))
    assert [(len(servers), len(leaves)) for servers, leaves in found.members().values()] == [(4, 8), (4, 8)]
    assert (found.torn, found.wide) == ([], [])


def test_a_dead_nic_splits_nothing() -> None:
    weights = unit("a", 4, 8)
    del weights["a3"]["a-leaf5"]
    assert len(cluster(weights).members()) == 1


def test_a_wrong_cable_fuses_nothing() -> None:
    weights = unit("a", 4, 8) | unit("b", 4, 8)
    del weights["a1"]["a-leaf2"]
    weights["a1"]["b-leaf2"] = 1
    assert groups(weights) == groups(unit("a", 4, 8) | unit("b", 4, 8))


def test_a_storage_leaf_across_groups_is_wide_and_fuses_nothing() -> None:
    weights = unit("a", 60, 4) | unit("b", 24, 4)
    for links in weights.values():
        links["storage"] = 1
    found = cluster(weights)
    assert found.wide == ["storage"]
    assert "storage" not in found.attachments
    assert sorted(len(servers) for servers, _ in found.members().values()) == [24, 60]


def test_a_torn_server_is_told_and_goes_to_the_larger_group() -> None:
    weights = unit("a", 3, 2) | unit("b", 4, 2)
    weights["x"] = {"a-leaf0": 1, "b-leaf0": 1}
    found = cluster(weights)
    assert found.torn == ["x"]
    assert found.elements["x"] == found.elements["b0"]


def test_servers_with_all_nics_on_one_leaf_are_grouped_by_it() -> None:
    weights = {f"s{at}": {f"leaf{at // 4}": 8} for at in range(8)}
    assert len(cluster(weights).members()) == 2


def test_a_server_without_links_is_in_no_group() -> None:
    assert cluster({"lonely": {}}).elements == {}


@pytest.mark.slow
def test_one_server_with_a_great_many_leaves_is_no_witness() -> None:
    weights = unit("a", 4, 2) | unit("b", 4, 2)
    weights["mad"] = {f"{name}-leaf{rail}": 1 for name in "ab" for rail in range(2)}
    weights["mad"] |= {f"x{at}": 1 for at in range(10_000)}
    found = groups(weights)
    assert not set(found["a0"]) & set(found["b0"])


@given(st.integers(2, 6), st.integers(2, 8), st.randoms(use_true_random=False))
def test_the_order_of_servers_and_links_does_not_matter(units: int, rails: int, random: object) -> None:
    weights: dict[str, dict[str, int]] = {}
    for at in range(units):
        weights |= unit("abcdef"[at], 3, rails)
    names = list(weights)
    random.shuffle(names)  # type: ignore[attr-defined] # Hypothesis draws the generator
    shuffled = {name: dict(reversed(weights[name].items())) for name in names}
    assert groups(shuffled) == groups(weights)
    assert cluster(shuffled).attachments == cluster(weights).attachments
