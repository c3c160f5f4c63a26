from __future__ import annotations

import pytest

from railwise.formats.kubernetes.cards import Offers, read_offer
from railwise.model.node import Cards
from railwise.model.workload import CARDS_TIME_SLICE, CARDS_WHOLE, CardRequest
from tests.formats.kubernetes.objects import Object, container, node, node_of, pod, read, workload

H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.memory": "81559"}
SLICED = {
    "nvidia.com/gpu.product": "Tesla-T4-SHARED",
    "nvidia.com/gpu.replicas": "4",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
}
MIG_SINGLE = {"nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"}


def other(name: str, resource: str, count: int) -> Object:
    return node(name, None, **{resource: count})


def asking(**limits: int) -> Object:
    resources = {key.replace("__", "/").replace("_", "."): str(value) for key, value in limits.items()}
    return {"name": "main", "resources": {"limits": resources}}


def test_cards_come_with_model_and_memory_from_the_labels() -> None:
    offer = read_offer(H100, {"nvidia.com/gpu": 8}, {"nvidia.com/gpu": 8})
    assert offer.cards == (Cards(8, "H100-80GB", 81559),)
    amd = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM", "amd.com/gpu.vram": "191G"}
    assert read_offer(amd, {"amd.com/gpu": 8}, {}).cards == (Cards(8, "MI300X-192GB", 191 * 1024),)
    unknown = {"nvidia.com/gpu.product": "NVIDIA-X9000"}
    assert read_offer(unknown, {"nvidia.com/gpu": 1}, {}).cards == (Cards(1, "NVIDIA-X9000"),)
    gke = {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}
    assert read_offer(gke, {"nvidia.com/gpu": 1}, {}).cards == (Cards(1, "H100-80GB", 81559),)


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/xe", "habana.ai/gaudi"])
def test_the_cards_of_every_vendor_are_cards(resource: str) -> None:
    scenario = read(other("n1", resource, 4), pod("a", containers=[{"resources": {"limits": {resource: "2"}}}]))
    assert node_of(scenario, "n1").cards == (Cards(4),)
    assert resource not in node_of(scenario, "n1").resources
    assert workload(scenario, "a").root.request.cards == CardRequest(CARDS_WHOLE, 2)
    assert workload(scenario, "a").root.request.resources == ()


def test_cards_that_the_device_plugin_took_away_are_unhealthy() -> None:
    offer = read_offer({}, {"nvidia.com/gpu": 6}, {"nvidia.com/gpu": 8})
    assert offer.cards[0].count == 8
    assert offer.unhealthy == {6, 7}
    assert read_offer({}, {"nvidia.com/gpu": 0}, {"nvidia.com/gpu": 2}).unhealthy == {0, 1}


def test_another_vendors_cards_are_never_given() -> None:
    nvidia, amd = node("n1", gpu=8), other("n2", "amd.com/gpu", 8)
    scenario = read(nvidia, amd, pod("a", 8), pod("b", containers=[asking(amd_com__gpu=8)]))
    assert node_of(scenario, "n1").resources == {"nvidia.com/gpu": 8}
    assert node_of(scenario, "n2").resources == {"amd.com/gpu": 8}
    assert workload(scenario, "a").root.request.resources == (("nvidia.com/gpu", 8),)
    assert workload(scenario, "b").root.request.resources == (("amd.com/gpu", 8),)
    only_amd = read(amd, pod("a", 8))
    assert workload(only_amd, "a").root.request.resources == (("nvidia.com/gpu", 8),)


def test_replicas_are_time_slices_where_every_node_has_them() -> None:
    scenario = read(node("n1", SLICED, gpu=16), pod("a", 1))
    assert node_of(scenario, "n1").cards == (Cards(4, "T4-16GB", 15360, time_slices=4),)
    assert workload(scenario, "a").root.request.cards == CardRequest(CARDS_TIME_SLICE, 1)
    assert scenario.warnings == ()


def test_waiting_pods_get_whole_cards_where_nodes_differ_and_running_ones_are_read_by_their_node() -> None:
    scenario = read(node("n1", SLICED, gpu=16), node("n2", H100, gpu=8), pod("a", 1), pod("b", 1, nodeName="n1"))
    assert workload(scenario, "a").root.request.cards == CardRequest(CARDS_WHOLE, 1)
    assert workload(scenario, "b").root.request.cards == CardRequest(CARDS_TIME_SLICE, 1)
    assert scenario.warnings == ("nodes differ in what nvidia.com/gpu means: waiting pods are given whole cards",)


def test_slices_under_their_own_name_leave_whole_cards_alone() -> None:
    labels = {"nvidia.com/gpu.product": "Tesla-T4", **{key: SLICED[key] for key in SLICED if "product" not in key}}
    shared = {"nvidia.com/gpu": 0, "nvidia.com/gpu.shared": 8}
    scenario = read(node("n1", labels, **shared), pod("a", containers=[asking(nvidia_com__gpu_shared=2)]))
    assert node_of(scenario, "n1").cards == (Cards(2, "T4-16GB", 15360, time_slices=4),)
    assert node_of(scenario, "n1").resources == {}


@pytest.mark.parametrize("labels", [MIG_SINGLE, {**SLICED, "nvidia.com/gpu.replicas": "many"}])
def test_pieces_that_are_no_cards_are_counted_by_name(labels: dict[str, str]) -> None:
    scenario = read(node("n1", labels, gpu=14), pod("a", 1))
    assert node_of(scenario, "n1").cards == ()
    assert node_of(scenario, "n1").resources == {"nvidia.com/gpu": 14}
    request = workload(scenario, "a").root.request
    assert (request.cards, request.resources) == (CardRequest(), (("nvidia.com/gpu", 1),))


def test_a_waiting_pod_never_takes_a_mig_slice_for_a_card() -> None:
    scenario = read(node("n1", MIG_SINGLE, gpu=14), node("n2", H100, gpu=8), pod("a", 1), pod("b", 1, nodeName="n1"))
    assert workload(scenario, "a").root.request.cards == CardRequest(CARDS_WHOLE, 1)
    assert workload(scenario, "b").root.request.resources == (("nvidia.com/gpu", 1),)


def test_mig_slices_with_a_name_of_their_own_are_devices() -> None:
    profile = {"nvidia.com/mig-1g.5gb": "7", "cpu": "4"}
    scenario = read(node("n1", None, **profile), pod("a", containers=[container(0, **{"nvidia.com/mig-1g.5gb": 2})]))
    assert node_of(scenario, "n1").resources == {"cpu": 4000, "nvidia.com/mig-1g.5gb": 7}
    assert workload(scenario, "a").root.request.resources == (("nvidia.com/mig-1g.5gb", 2),)


def test_cards_of_two_kinds_in_one_pod_are_refused_not_ignored() -> None:
    both = asking(nvidia_com__gpu=1, amd_com__gpu=1)
    assert "two kinds" in workload(read(pod("a", containers=[both])), "a").unsupported


def test_without_nodes_cards_are_read_as_cards() -> None:
    request, trouble = Offers().request({"nvidia.com/gpu": 8, "cpu": 0}, "")
    assert (request.cards, request.resources, trouble) == (CardRequest(CARDS_WHOLE, 8), (), "")
