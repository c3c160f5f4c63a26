from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.kubernetes.objects import read_cluster
from railwise.model.errors import InputError
from railwise.model.workload import Running, TopologyRule
from tests.formats.kubernetes.objects import (
    Object,
    container,
    job,
    job_pod,
    node,
    own,
    owner,
    pod,
    read,
    reading,
    template,
    workload,
)


def test_a_job_and_its_pods_are_one_workload() -> None:
    objects = [
        node("n1", gpu=8),
        node("n2", gpu=8),
        job("llama", 3, template(8)),
        job_pod("llama", 2, 8, "n1"),
        job_pod("llama", 0, 8, "n2"),
        job_pod("llama", 1, 8),
    ]
    found = reading(*objects)
    (only,) = found.scenario.workloads
    assert (only.name, only.root.pods) == ("llama", 3)
    assert only.root.running == Running(("n2", None, "n1"))
    assert {rank: live.name for (_, _, rank), live in found.pods.items()} == {
        0: "llama-0-x7k2p",
        1: "llama-1-x7k2p",
        2: "llama-2-x7k2p",
    }


@given(st.permutations(range(7)))
def test_the_order_of_the_documents_does_not_matter_to_a_gang(order: list[int]) -> None:
    objects = [
        job("llama", 4, template(8)),
        job_pod("llama", 3, 8, "n1"),
        job_pod("llama", 1, 8, "n2"),
        job_pod("llama", 0, 8),
        node("n1", gpu=8),
        node("n2", gpu=8),
        pod("other", 1, nodeName="n1"),
    ]
    shuffled = read(*(objects[index] for index in order))
    assert workload(shuffled, "llama").root == workload(read(*objects), "llama").root


def test_pods_without_their_job_make_the_same_gang() -> None:
    pods = [node("n1", gpu=8), *(job_pod("llama", index, 2, "n1") for index in (1, 0, 2))]
    found = workload(read(*pods), "llama")
    assert (found.root.pods, found.root.min_pods, found.root.running) == (3, 3, Running(("n1", "n1", "n1")))


def test_ranks_without_an_index_follow_natural_order() -> None:
    def worker(name: str, on: str) -> Object:
        return pod(name, 1, meta={"ownerReferences": owner("PyTorchJob", "ddp")}, nodeName=on)

    objects = [
        node("n1"),
        node("n2"),
        node("n10"),
        worker("ddp-worker-10", "n10"),
        worker("ddp-worker-2", "n2"),
        worker("ddp-worker-1", "n1"),
    ]
    assert workload(read(*objects), "ddp").root.running == Running(("n1", "n2", "n10"))


def test_a_job_wants_no_more_pods_than_are_left_to_do() -> None:
    half_done = job("sweep", 4, template(1), completions=10, completionMode="NonIndexed")
    half_done["status"] = {"succeeded": 8}
    assert workload(read(half_done), "sweep").root.pods == 2
    half_done["status"] = {"succeeded": 10}
    assert read(half_done).workloads == ()


@pytest.mark.parametrize("condition", ["Complete", "Failed"])
def test_jobs_that_are_done_are_left_out(condition: str) -> None:
    done = job("a", 2, template(8))
    done["status"] = {"conditions": [{"type": condition, "status": "True"}]}
    assert read(done).workloads == ()


def test_a_suspended_job_waits_as_suspended() -> None:
    assert workload(read(job("a", 2, template(8), suspend=True)), "a").suspend


def test_a_jobset_is_one_workload_with_a_group_for_each_job() -> None:
    def replicated(name: str, replicas: int, pods: int, gpu: int, **notes: str) -> Object:
        inner = {"parallelism": pods, "completions": pods, "template": template(gpu, own(**notes))}
        return {"name": name, "replicas": replicas, "template": {"metadata": {}, "spec": inner}}

    jobs: list[Object] = [replicated("leader", 1, 1, 0), replicated("workers", 2, 4, 8, required="rack")]
    jobset: Object = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train", "annotations": own(required="superpod", kind="training")},
        "spec": {"replicatedJobs": jobs},
    }
    labels = {
        "jobset.sigs.k8s.io/jobset-name": "train",
        "jobset.sigs.k8s.io/replicatedjob-name": "workers",
        "jobset.sigs.k8s.io/job-index": "1",
        "batch.kubernetes.io/job-name": "train-workers-1",
        "batch.kubernetes.io/job-completion-index": "2",
    }
    live = pod(
        "train-workers-1-2-abcde",
        8,
        meta={"labels": labels, "ownerReferences": owner("Job", "train-workers-1")},
        nodeName="n1",
    )
    child = job("train-workers-1", 4, template(8), meta={"labels": labels})
    found = workload(read(node("n1", gpu=8), jobset, child, live), "train")
    assert found.root.topology == TopologyRule(required="superpod")
    assert found.root.min_groups == 3
    assert [(group.name, group.pods, group.request.cards.count) for group in found.root.groups] == [
        ("leader-0", 1, 0),
        ("workers-0", 4, 8),
        ("workers-1", 4, 8),
    ]
    assert found.root.groups[2].topology == TopologyRule(required="rack")
    assert found.root.groups[2].running == Running((None, None, "n1"))
    assert found.kind == "training"
    assert [one.name for one in read(node("n1", gpu=8), jobset, child, live).workloads] == ["train"]


def test_copies_that_serve_are_of_use_alone() -> None:
    deployment: Object = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat"},
        "spec": {"replicas": 3, "template": template(1)},
    }
    meta: Object = {"labels": {"pod-template-hash": "6c7f"}, "ownerReferences": owner("ReplicaSet", "chat-6c7f")}
    live = pod("chat-6c7f-zzzzz", 1, meta=meta, nodeName="n1")
    found = workload(read(node("n1", gpu=8), deployment, live), "chat")
    assert (found.kind, found.root.pods, found.root.min_pods) == ("inference", 3, 1)
    assert found.root.running == Running(("n1",))
    alone = workload(read(node("n1", gpu=8), live), "chat")
    assert (alone.kind, alone.root.pods, alone.root.min_pods) == ("inference", 1, 1)


def test_a_replica_set_of_a_deployment_is_not_counted_twice() -> None:
    made: Object = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "chat-6c7f", "ownerReferences": owner("Deployment", "chat")},
        "spec": {"replicas": 3, "template": template(1)},
    }
    assert read(made).workloads == ()


def test_each_replica_of_a_leader_worker_set_is_a_gang() -> None:
    shape: Object = {"size": 3, "leaderTemplate": template(1), "workerTemplate": template(8)}
    leaders: Object = {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "serve"},
        "spec": {"replicas": 2, "leaderWorkerTemplate": shape},
    }

    def live(name: str, rank: int, gpu: int) -> Object:
        labels = {
            "leaderworkerset.sigs.k8s.io/name": "serve",
            "leaderworkerset.sigs.k8s.io/group-index": "1",
            "leaderworkerset.sigs.k8s.io/worker-index": str(rank),
        }
        meta: Object = {"labels": labels, "ownerReferences": owner("StatefulSet", "serve-1")}
        return pod(name, gpu, meta=meta, nodeName=f"n{rank}")

    nodes = [node(f"n{index}", gpu=8) for index in range(3)]
    scenario = read(*nodes, leaders, live("serve-1-2", 2, 8), live("serve-1-1", 1, 8), live("serve-1", 0, 1))
    assert [one.name for one in scenario.workloads] == ["serve-0", "serve-1"]
    leader, worker = workload(scenario, "serve-1").root.groups
    assert (leader.name, leader.pods, leader.running) == ("leader", 1, Running(("n0",)))
    assert (worker.name, worker.pods, worker.running) == ("worker", 2, Running(("n1", "n2")))


def test_pods_of_one_maker_with_roles_become_groups() -> None:
    def role(name: str, group: str, gpu: int) -> Object:
        meta: Object = {"ownerReferences": owner("Service", "pd"), "annotations": own(group=group)}
        return pod(name, gpu, meta=meta)

    found = workload(read(role("p-0", "prefill", 8), role("d-0", "decode", 4), role("d-1", "decode", 4)), "pd")
    assert [(group.name, group.pods, group.request.cards.count) for group in found.root.groups] == [
        ("prefill", 1, 8),
        ("decode", 2, 4),
    ]


def test_unequal_pods_of_one_maker_become_groups_of_equal_ones() -> None:
    def made(name: str, gpu: int) -> Object:
        return pod(name, gpu, meta={"ownerReferences": owner("MPIJob", "mpi")})

    found = workload(read(made("launcher", 0), made("worker-0", 8), made("worker-1", 8)), "mpi")
    assert [(group.name, group.pods) for group in found.root.groups] == [("pods-1", 1), ("pods-2", 2)]


def test_makers_of_other_schedulers_are_left_to_them_and_their_pods_keep_their_room() -> None:
    theirs = template(8, schedulerName="default-scheduler")
    running = job_pod("a", 0, 8, "n1", schedulerName="default-scheduler")
    waiting = job_pod("a", 1, 8, schedulerName="default-scheduler")
    scenario = read(node("n1", gpu=8), job("a", 2, theirs), running, waiting)
    assert [(one.name, one.preemptible) for one in scenario.workloads] == [("a-0-x7k2p", False)]


def test_kinds_that_make_pods_and_are_not_read_are_named_and_others_ignored() -> None:
    def thing(version: str, kind: str) -> Object:
        return {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": 3}

    scenario = read(
        thing("v1", "Service"), thing("ray.io/v1", "RayJob"), thing("trainer.kubeflow.org/v1alpha1", "TrainJob")
    )
    assert scenario.workloads == ()
    assert scenario.warnings == (
        "in.yaml[1]: kind RayJob (ray.io/v1) is not read; its pods are, once they exist",
        "in.yaml[2]: kind TrainJob (trainer.kubeflow.org/v1alpha1) is not read; its pods are, once they exist",
    )


def test_lists_unfold_and_their_items_may_leave_out_their_kind() -> None:
    bare = node("n1", gpu=8)
    del bare["kind"], bare["apiVersion"]
    inner: Object = {"apiVersion": "v1", "kind": "List", "items": [pod("a", 1)]}
    lists: list[Object] = [
        {"apiVersion": "v1", "kind": "NodeList", "items": [bare]},
        {"apiVersion": "v1", "kind": "List", "items": [inner, pod("b", 1)]},
        {"apiVersion": "v1", "kind": "PodList", "items": None},
    ]
    scenario = read(*lists)
    assert len(scenario.nodes) == 1
    assert [one.name for one in scenario.workloads] == ["a", "b"]


def test_two_makers_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="a second job default/a"):
        read(job("a", 1, template(8)), job("a", 2, template(8)))


@pytest.mark.parametrize(
    "value", [[], "text", {"metadata": {}}, {"kind": "", "apiVersion": "v1"}, {"kind": "Pod", "apiVersion": 1}]
)
def test_what_is_no_object_is_refused(value: object) -> None:
    found = read_cluster([("in.yaml[0]", value)])
    assert [fault.path for fault in found.faults] == ["in.yaml[0]"]


def test_requests_of_a_running_gang_are_those_admission_left_on_its_pods() -> None:
    mutated = job_pod("a", 0, 8, "n1", containers=[container(8, cpu=4)])
    found = workload(read(node("n1", gpu=8, cpu=8), job("a", 2, template(8)), mutated), "a")
    assert found.root.request.resources == (("cpu", 4000),)


def test_numbers_of_pods_that_no_cluster_has_are_refused() -> None:
    inner: Object = {"parallelism": 1000, "completions": 1000, "template": template(1)}
    jobs: list[Object] = [{"name": "w", "replicas": 2000, "template": {"spec": inner}}]
    jobset: Object = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "many"},
        "spec": {"replicatedJobs": jobs},
    }
    found = reading(job("a", 10**9, template(8)), job("b", -1, template(8)), jobset)
    assert [fault.path for fault in found.faults] == [
        "in.yaml[0].spec.parallelism",
        "in.yaml[1].spec.parallelism",
        "in.yaml[2].spec",
    ]
    assert found.scenario.workloads == ()
