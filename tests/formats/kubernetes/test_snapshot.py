"""What ``kubectl get nodes,pods -A -o json`` prints on a small cluster, with all that does not matter left in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.formats.kubernetes.objects import Reading, read_cluster
from railwise.model.node import Cards, Node, Taint
from railwise.model.plan import State
from railwise.model.reason import Code
from railwise.model.workload import CARDS_WHOLE, CardRequest, Running
from tests.formats.kubernetes.objects import Object, node, node_of, pod, read, workload

DATA = Path(__file__).parents[3] / "examples" / "kubectl-nodes-pods.json"
HOUR = 3_600_000_000
MINUTE = 60_000_000


@pytest.fixture(scope="module")
def snapshot() -> Reading:
    return read_cluster([("cluster.json", json.loads(DATA.read_bytes()))])


def test_nothing_in_it_is_a_fault_and_what_was_left_out_is_told(snapshot: Reading) -> None:
    assert snapshot.faults == ()
    assert snapshot.scenario.warnings == ("1 waiting pod is left to default-scheduler",)


def test_levels_come_from_the_labels_and_cliques_without_a_fabric_are_none(snapshot: Reading) -> None:
    (fabric,) = snapshot.scenario.topologies
    assert fabric.level_names() == ("region", "zone", "spine", "leaf")
    assert node_of(snapshot.scenario, "cp-1").places == {"fabric": {"region": "eu-1", "zone": "eu-1a"}}
    assert node_of(snapshot.scenario, "gpu-05").places["fabric"]["leaf"] == "leaf-b"


def test_nodes_have_what_agents_leave(snapshot: Reading) -> None:
    found = node_of(snapshot.scenario, "gpu-01")
    assert found.cards == (Cards(8, "H100-80GB", 81559),)
    assert found.resources == {
        "cpu": 191_400,
        "ephemeral-storage": 6_857_947_608_427 // 2**20,
        "memory": (2_108_199_460 * 1024 - 100_000_000) // 2**20,
        "pods": 109,
        "rdma/hca": 8,
    }
    assert found.taints == (Taint("nvidia.com/gpu", "present", "NoSchedule"),)
    assert node_of(snapshot.scenario, "cp-1").resources["cpu"] == 15_750


def test_health_is_what_the_nodes_report(snapshot: Reading) -> None:
    def state(node: Node) -> tuple[bool, bool, frozenset[int]]:
        return node.ready, node.unschedulable, node.unhealthy

    nodes = {node.name: state(node) for node in snapshot.scenario.nodes}
    assert nodes == {
        "cp-1": (True, False, frozenset()),
        "gpu-01": (True, False, frozenset()),
        "gpu-02": (True, False, frozenset()),
        "gpu-03": (True, False, frozenset()),
        "gpu-04": (True, False, frozenset()),
        "gpu-05": (True, False, frozenset()),
        "gpu-06": (True, True, frozenset({7})),
        "gpu-07": (False, False, frozenset({0})),
    }


def test_every_pod_that_holds_room_or_is_ours_to_place_is_in_one_workload(snapshot: Reading) -> None:
    found = [(one.name, one.preemptible, one.submit) for one in snapshot.scenario.workloads]
    newest = 9 * HOUR + 40 * MINUTE
    assert found == [
        ("coredns-6f6b679f8f-2xkzq", False, 2 * HOUR - newest),
        ("bert-0-6tq8w", False, 3 * HOUR - newest),
        ("chat-7d4b9c6f5-h8v2m", False, 3 * HOUR + 10 * MINUTE - newest),
        ("old-run", False, 4 * HOUR - newest),
        ("llama", True, 8 * HOUR + 30 * MINUTE - newest),
        ("sweep", True, 0),
    ]


def test_a_gang_of_which_a_pod_is_missing_keeps_its_ranks(snapshot: Reading) -> None:
    llama = workload(snapshot.scenario, "llama")
    (workers,) = llama.root.groups
    assert (workers.name, workers.pods, workers.min_pods) == ("workers-0", 2, 2)
    assert workers.running == Running(("gpu-05",), since=-70 * MINUTE)
    assert (llama.queue, llama.kind, llama.priority) == ("default", "training", 100)
    assert snapshot.pods["llama", "workers-0", 1].name == "llama-workers-0-1-fghij"


def test_a_waiting_job_asks_for_its_highest_moment(snapshot: Reading) -> None:
    sweep = workload(snapshot.scenario, "sweep")
    assert (sweep.root.pods, sweep.root.topology.required) == (2, "leaf")
    assert sweep.root.request.cards == CardRequest(CARDS_WHOLE, 4)
    assert sweep.root.request.resources == (("cpu", 88_500), ("memory", 801 * 1024))


def test_it_can_be_planned_as_it_is(snapshot: Reading) -> None:
    plan = plan_scenario(snapshot.scenario)
    found = {one.name: one for one in plan.workloads}
    assert found["sweep"].state is State.PLACED
    assert {pod.node for pod in found["sweep"].pods} <= {"gpu-01", "gpu-02", "gpu-03", "gpu-04"}
    assert found["llama"].state is State.RUNNING
    assert found["llama"].pods[0].node == "gpu-05"
    for name in ("coredns-6f6b679f8f-2xkzq", "bert-0-6tq8w", "chat-7d4b9c6f5-h8v2m", "old-run"):
        assert found[name].state is State.RUNNING
    assert plan.evictions == ()


def test_a_rule_that_cannot_be_honoured_makes_the_workload_wait() -> None:
    affinity: Object = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}
    (found,) = plan_scenario(read(node("n1", gpu=8), pod("a", 1, affinity=affinity))).workloads
    assert found.state is State.PENDING
    assert found.reason is not None
    assert found.reason.code is Code.UNSUPPORTED
    assert "podAntiAffinity" in found.reason.summary
    assert "topologyKey: a label is needed" in found.reason.summary
