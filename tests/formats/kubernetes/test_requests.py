from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.kubernetes.requests import demanded, in_base_units
from railwise.formats.kubernetes.schema import Container, PodSpec, Resources
from railwise.model.errors import Fault

AMOUNTS = st.integers(0, 9)
SIDECAR = "Always"


def needs(spec: PodSpec) -> dict[str, int]:
    faults: list[Fault] = []
    found = demanded(spec, "spec", faults)
    assert faults == []
    return found


def container(cpu: int, restart: str = "") -> Container:
    return Container(restart_policy=restart, resources=Resources(requests={"cpu": cpu}))


def highest_moment(init: list[tuple[int, bool]], main: list[int]) -> int:
    """Return the largest sum of what runs at once, moment by moment, in cores: the life of a pod played through."""
    moments = []
    sidecars = 0
    for cpu, stays in init:
        moments.append(sidecars + cpu)
        if stays:
            sidecars += cpu
    moments.append(sidecars + sum(main))
    return max(moments)


@given(st.lists(st.tuples(AMOUNTS, st.booleans()), max_size=5), st.lists(AMOUNTS, min_size=1, max_size=4), AMOUNTS)
def test_the_demand_is_the_highest_moment_of_a_pods_life(
    init: list[tuple[int, bool]], main: list[int], overhead: int
) -> None:
    spec = PodSpec(
        init_containers=tuple(container(cpu, SIDECAR if stays else "") for cpu, stays in init),
        containers=tuple(container(cpu) for cpu in main),
        overhead={"cpu": overhead},
    )
    assert needs(spec)["cpu"] == 1000 * (highest_moment(init, main) + overhead)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=6))
def test_memory_is_rounded_once_however_many_containers_share_it(sizes: list[int]) -> None:
    spec = PodSpec(containers=tuple(Container(resources=Resources(requests={"memory": size})) for size in sizes))
    assert in_base_units(needs(spec))["memory"] == -(-sum(sizes) // 2**20)


def test_a_sidecar_runs_beside_the_containers_and_beside_later_init_containers() -> None:
    spec = PodSpec(
        init_containers=(container(1, SIDECAR), container(5), container(2, SIDECAR)), containers=(container(2),)
    )
    assert needs(spec) == {"cpu": 6000}


def test_limits_stand_in_for_requests_that_are_not_given() -> None:
    resources = Resources(requests={"cpu": "500m"}, limits={"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": 8})
    spec = PodSpec(containers=(Container(resources=resources),))
    assert in_base_units(needs(spec)) == {"cpu": 500, "memory": 1024, "nvidia.com/gpu": 8}


def test_resources_of_the_pod_replace_the_sum_of_its_containers() -> None:
    spec = PodSpec(
        containers=(container(1), container(1)),
        resources=Resources(requests={"cpu": "5"}, limits={"memory": "1Gi"}),
        overhead={"cpu": "250m"},
    )
    assert in_base_units(needs(spec)) == {"cpu": 5250, "memory": 1024}


def test_hugepages_are_counted_in_pages() -> None:
    spec = PodSpec(
        containers=(Container(resources=Resources(limits={"hugepages-2Mi": "1Gi", "hugepages-1Gi": "2Gi"})),)
    )
    assert in_base_units(needs(spec)) == {"hugepages-2Mi": 512, "hugepages-1Gi": 2}


def test_bare_numbers_of_yaml_are_quantities() -> None:
    spec = PodSpec(containers=(Container(resources=Resources(requests={"cpu": 0.5, "memory": 1048576})),))
    assert in_base_units(needs(spec)) == {"cpu": 500, "memory": 1}


def test_quantities_that_cannot_be_read_are_faults_with_their_path() -> None:
    resources = Resources(requests={"cpu": "two", "memory": "-1Gi"}, limits={"nvidia.com/gpu": "0.5", "a/b": "1e999"})
    spec = PodSpec(containers=(Container(), Container(resources=resources)), overhead={"cpu": "x"})
    faults: list[Fault] = []
    demanded(spec, "pods.yaml[2].spec", faults)
    assert [fault.path for fault in faults] == [
        "pods.yaml[2].spec.containers[1].resources.limits.nvidia.com/gpu",
        "pods.yaml[2].spec.containers[1].resources.limits.a/b",
        "pods.yaml[2].spec.containers[1].resources.requests.cpu",
        "pods.yaml[2].spec.containers[1].resources.requests.memory",
        "pods.yaml[2].spec.overhead.cpu",
    ]
    assert all("expected" in fault.message for fault in faults)
    assert "'two'" in faults[2].message
