"""Kueue's objects and marks: what they become, and what becomes of what cannot be kept."""

from __future__ import annotations

import pytest

from railwise.formats.kubernetes.dialects.kueue import NEVER
from railwise.model.queue import Queue
from tests.formats.kubernetes.dialects.kueue import FLAVOR, GPU, TREE, cluster_queue, kueue, quota
from tests.formats.kubernetes.objects import Object, read, reading


def queues(*objects: Object) -> dict[str, Queue]:
    return {one.name: one for one in read(FLAVOR, *objects).queues}


def test_a_queue_alone_may_use_its_quota_and_no_more() -> None:
    found = queues(cluster_queue("a", quota("8", lendingLimit="4"), fairSharing={"weight": "2"}))["a"]
    assert (found.quota, found.limit, found.lend, found.weight) == ({"gpu": 8000}, {"gpu": 8000}, {"gpu": 4000}, 2000)


def test_in_a_cohort_it_borrows_up_to_its_limit_and_the_cohort_up_to_what_it_has() -> None:
    found = queues(
        cluster_queue("a", quota(8, borrowingLimit=4), cohortName="org"),
        cluster_queue("b", quota(8), cohort="org"),
        cluster_queue("c", {"coveredResources": ["cpu"], "flavors": []}, cohortName="org"),
    )
    assert (found["a"].parent, found["a"].limit) == ("org", {"gpu": 12_000})
    assert (found["b"].parent, found["b"].limit) == ("org", {})
    assert found["c"].limit == {"gpu": 0}, "what no group covers is not to be had"
    assert (found["org"].quota, found["org"].limit) == ({}, {"gpu": 16_000})


def test_a_cohorts_own_quota_is_added_to_what_lies_below() -> None:
    found = queues(
        cluster_queue("a", quota(8), cohortName="team"),
        kueue("Cohort", "team", parentName="org", resourceGroups=[quota(4, borrowingLimit=2, lendingLimit=1)]),
        kueue("Cohort", "org", fairSharing={"weight": "3"}),
    )
    assert (found["team"].quota, found["team"].limit) == ({"gpu": 12_000}, {"gpu": 14_000})
    assert (found["team"].lend, found["team"].parent) == ({"gpu": 1000}, "org")
    assert (found["org"].limit, found["org"].weight, found["org"].parent) == ({"gpu": 12_000}, 3000, "")


def test_flavors_are_added_up_and_one_without_a_limit_has_none() -> None:
    both = {
        "coveredResources": [GPU, "cpu"],
        "flavors": [
            {"name": "f", "resources": [{"name": GPU, "nominalQuota": 8, "borrowingLimit": 1}]},
            {"name": "g", "resources": [{"name": GPU, "nominalQuota": 4}, {"name": "cpu", "nominalQuota": "2500m"}]},
        ],
    }
    found = queues(cluster_queue("a", both, cohortName="org"), kueue("ResourceFlavor", "g"))["a"]
    assert (found.quota, found.limit) == ({"gpu": 12_000, "cpu": 2500}, {})


def test_equal_names_of_different_kinds_are_different_queues() -> None:
    own = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Queue", "metadata": {"name": "team"}, "spec": {}}
    found = queues(cluster_queue("team", quota(8), cohortName="team"), own)
    assert sorted(found) == ["kueue.clusterqueue.team", "kueue.cohort.team", "team"]
    assert found["kueue.clusterqueue.team"].parent == "kueue.cohort.team"


@pytest.mark.parametrize(
    ("policies", "protected", "told"),
    [
        ((None, None), (NEVER, NEVER), 0),
        (("Any", None), (NEVER, 0), 1),
        (("Any", "Any"), (0, 0), 0),
        (("LowerPriority", "Any"), (0, 0), 1),
    ],
)
def test_nobody_is_reclaimed_from_where_nobody_may_reclaim(
    policies: tuple[str | None, str | None], protected: tuple[int, int], told: int
) -> None:
    objects = [
        cluster_queue(name, quota(8), cohortName="org", preemption={"reclaimWithinCohort": policy} if policy else {})
        for name, policy in zip("ab", policies, strict=True)
    ]
    found = read(FLAVOR, *objects)
    by_name = {one.name: one for one in found.queues}
    assert (by_name["a"].reclaim_min_runtime, by_name["b"].reclaim_min_runtime) == protected
    assert sum("reclaimWithinCohort" in warning for warning in found.warnings) == told


def test_preemption_inside_a_queue() -> None:
    found = read(
        FLAVOR,
        cluster_queue("never", quota(8)),
        cluster_queue("lower", quota(8), preemption={"withinClusterQueue": "LowerPriority"}),
        cluster_queue("equal", quota(8), preemption={"withinClusterQueue": "LowerOrNewerEqualPriority"}),
    )
    assert {one.name: one.preempt_min_runtime for one in found.queues} == {"never": NEVER, "lower": 0, "equal": 0}
    assert [warning for warning in found.warnings if "withinClusterQueue" in warning] == [
        "in.yaml[3].spec.preemption.withinClusterQueue: LowerOrNewerEqualPriority counts as LowerPriority"
    ]


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        (
            kueue("ClusterQueue", "x", resourceGroups=[quota("eight")]),
            ".spec.resourceGroups[0].flavors[0].resources[0].nvidia.com/gpu",
        ),
        (kueue("ClusterQueue", "x", resourceGroups="none"), ".spec.resourceGroups"),
        (kueue("ClusterQueue", "x", fairSharing={"weight": "heavy"}), ".spec.fairSharing.weight"),
        (
            kueue("Cohort", "x", resourceGroups=[quota("-1Q")]),
            ".spec.resourceGroups[0].flavors[0].resources[0].nvidia.com/gpu",
        ),
        (kueue("LocalQueue", "x", clusterQueue=7), ".spec.clusterQueue"),
        (kueue("ResourceFlavor", "x", nodeLabels=[]), ".spec.nodeLabels"),
        (kueue("Topology", "x", levels=[{"nodeLabel": "no label"}]), ".spec.levels[0].nodeLabel"),
        (kueue("Topology", "x", levels=[TREE[0], TREE[0]]), ".spec.levels"),
    ],
)
def test_a_broken_object_is_named_and_the_others_count(broken: Object, path: str) -> None:
    found = reading(FLAVOR, cluster_queue("sound", quota(8)), broken)
    assert [fault.path for fault in found.faults] == [f"in.yaml[2]{path}"]
    assert [one.name for one in found.scenario.queues] == ["sound"]
