"""Labels of clouds as a tree, and what the map makes of it."""

from __future__ import annotations

import pytest

from railwise.fabric.mapper import build
from railwise.fabric.observations import SERVER, ScaleUp
from railwise.formats.discovery.place_labels import CONVENTIONS, label_reports

AWS = "topology.k8s.aws/network-node-layer-"
CLIQUE = "4F1A0C1E-0000-4000-8000-0123456789AB.3"


def aws(one: str, two: str, three: str, **more: str) -> dict[str, str]:
    return {f"{AWS}1": one, f"{AWS}2": two, f"{AWS}3": three, **more}


NODES = {
    f"n{index}": aws("top", f"mid-{index // 4}", f"low-{index // 2}", **{"kubernetes.io/hostname": "x"})
    for index in range(8)
}


def test_the_lowest_part_of_a_clouds_network_is_the_leaf_group() -> None:
    drawn = build(label_reports("aws", NODES))
    groups: dict[tuple[str, ...], list[str]] = {}
    for server, places in drawn.places.items():
        groups.setdefault(tuple(places.values()), []).append(server)
    assert sorted(groups.values()) == [["n0", "n1"], ["n2", "n3"], ["n4", "n5"], ["n6", "n7"]]
    assert {name: device.role for name, device in drawn.devices.items() if device.kind != SERVER} == {
        "top": "super-spine",
        **{f"mid-{index}": "spine" for index in range(2)},
        **{f"low-{index}": "leaf" for index in range(4)},
    }
    assert drawn.findings == ()


def test_the_order_of_nodes_never_matters() -> None:
    assert label_reports("aws", dict(reversed(NODES.items()))) == label_reports("aws", NODES)


@pytest.mark.parametrize("kind", [kind for kind in CONVENTIONS if CONVENTIONS[kind].levels])
def test_every_vendor_has_a_tree(kind: str) -> None:
    levels = CONVENTIONS[kind].levels
    nodes = {f"n{index}": {level: f"{place}-{index // 2}" for place, level in enumerate(levels)} for index in range(4)}
    drawn = build(label_reports(kind, nodes))
    assert len({tuple(places.values()) for places in drawn.places.values()}) == 2


def test_a_gap_ends_the_chain_and_equal_names_of_two_levels_stay_two() -> None:
    gap = label_reports("aws", {"n0": {f"{AWS}3": "low", f"{AWS}1": "top"}})
    assert [report.speaker.name for report in gap] == ["n0", "low"]
    assert [one.name for one in gap[1].observations] == ["n0"]
    twice = label_reports("aws", {"n0": aws("a", "a", "a")})
    assert [report.speaker.name for report in twice] == ["n0", "a-tier-0", "a-tier-1", "a-tier-2"]
    same = label_reports("aws", {"a": {f"{AWS}3": "a"}})
    assert [report.speaker.name for report in same] == ["a", "a-tier-0"], "a node's own name is not taken from it"


def test_the_clique_of_feature_discovery_is_the_one_the_driver_tells() -> None:
    (report,) = label_reports("gfd", {"n0": {"nvidia.com/gpu.clique": CLIQUE, "nvidia.com/gpu.count": "4"}})
    assert report.scale_up == (ScaleUp(CLIQUE.lower(), "nvlink", 4),)
    assert not report.links


@pytest.mark.parametrize("clique", ["", "nonsense", "x" * 63, "4f1a0c1e-0000-4000-8000-0123456789ab"])
def test_a_label_that_is_no_clique_is_no_domain(clique: str) -> None:
    found = label_reports("gfd", {"n0": {"nvidia.com/gpu.clique": clique, "nvidia.com/gpu.count": "many"}})
    assert [report.scale_up for report in found] in ([], [()])


def test_nodes_without_labels_are_not_spoken_of() -> None:
    assert label_reports("oci", {"n0": {"kubernetes.io/hostname": "n0"}}) == []
