"""Whatever stands in an object, reading it ends in a scenario and faults with paths, never in another error."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.kubernetes.objects import read_cluster
from tests.formats.kubernetes.objects import Object, job, job_pod, node, owner, pod, template

SNAPSHOT = json.loads((Path(__file__).parents[3] / "examples" / "kubectl-nodes-pods.json").read_bytes())

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.sampled_from(
        ["", "0", "-1", "1e999999999", "9" * 400, "\x00", "é", "a/b", "{}", "1Ei", "NaN", "٣", "2026-01-01"]
    ),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just({"a": None}),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a document, as (container, key)."""
    found: list[tuple[Any, Any]] = []
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        found.extend(places(value[key]))
    return found


def check(objects: list[Any]) -> None:
    reading = read_cluster([(f"in.json[{index}]", value) for index, value in enumerate(objects)])
    assert all(fault.path.startswith("in.json[") and fault.message for fault in reading.faults)
    names = [workload.name for workload in reading.scenario.workloads]
    assert len(set(names)) == len(names)
    for workload in reading.scenario.workloads:
        groups = workload.root.groups or (workload.root,)
        assert all(min(group.min_pods, group.pods) > 0 for group in groups)


@given(st.data())
def test_one_odd_value_anywhere_in_a_snapshot_is_survived(data: st.DataObject) -> None:
    document = copy.deepcopy(SNAPSHOT)
    found = places(document)
    container, key = found[data.draw(st.integers(0, len(found) - 1))]
    container[key] = copy.deepcopy(data.draw(ODD))
    check([document])


@given(st.data())
def test_several_odd_values_in_objects_of_every_kind_are_survived(data: st.DataObject) -> None:
    jobs: list[Object] = [
        {"name": "w", "replicas": 2, "template": {"spec": {"parallelism": 2, "template": template(8)}}}
    ]
    shape: Object = {"size": 2, "leaderTemplate": template(1), "workerTemplate": template(8)}
    objects: list[Any] = [
        node("n1", {"topology.kubernetes.io/zone": "a", "nvidia.com/gpu.replicas": "4"}, gpu=8, cpu=4),
        job("a", 2, template(8, {"railwise.dev/duration": "1h", "railwise.dev/segment-size": "2"})),
        job_pod("a", 0, 8, "n1"),
        pod("b", 1, meta={"ownerReferences": owner("DaemonSet", "b"), "creationTimestamp": "2026-01-01T00:00:00Z"}),
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "js"},
            "spec": {"replicatedJobs": jobs},
        },
        {
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "metadata": {"name": "lws"},
            "spec": {"replicas": 2, "leaderWorkerTemplate": shape},
        },
    ]
    objects = copy.deepcopy(objects)
    for _ in range(data.draw(st.integers(1, 4))):
        found = places(objects)
        container, key = found[data.draw(st.integers(0, len(found) - 1))]
        container[key] = copy.deepcopy(data.draw(ODD))
    check(objects)
