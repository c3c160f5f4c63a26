"""Our own Queue and Topology objects: the fields of a scenario, under ``spec``."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.formats.inputs import read_inputs
from railwise.formats.kubernetes.dialects.crds import QUEUE_SPEC, TOPOLOGY_SPEC, crds
from railwise.formats.scenario.queues import QUEUE_RECORD
from railwise.formats.scenario.topology import LEVEL_RECORD, TOPOLOGY_RECORD
from railwise.model.errors import InputError
from railwise.model.queue import LinkPart, Queue
from railwise.model.topology import Level, Topology
from tests.formats.kubernetes.objects import Object, node, read, reading

RACK = {"name": "rack", "label": "example.com/rack"}


def queue(name: str, **spec: Any) -> Object:
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": "Queue", "metadata": {"name": name}, "spec": spec}


def topology(name: str, *levels: Object, **spec: Any) -> Object:
    whole = {"levels": list(levels), **spec}
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": "Topology", "metadata": {"name": name}, "spec": whole}


def test_a_queue_has_the_fields_of_a_scenario() -> None:
    found = read(
        queue("org"),
        queue(
            "team",
            parent="org",
            quota={"gpu": "8", "cpu": "64", "memory": "64Gi"},
            limit={"gpu": 16},
            lend={"gpu": 4},
            weight=0.5,
            priority=-3,
            stopped=True,
            preemptMinRuntime="1m",
            reclaimMinRuntime="10m",
            guarantee={"rack": 2},
            bandwidth={"rack": "25%"},
        ),
    )
    assert found.warnings == ()
    assert found.queues == (
        Queue("org"),
        Queue(
            "team",
            "org",
            {"gpu": 8000, "cpu": 64_000, "memory": 65_536},
            {"gpu": 16_000},
            {"gpu": 4000},
            500,
            -3,
            stopped=True,
            preempt_min_runtime=60_000_000,
            reclaim_min_runtime=600_000_000,
            guarantee={"rack": 2},
            bandwidth={"rack": LinkPart(thousandths=250)},
        ),
    )


@pytest.mark.parametrize(
    ("spec", "path", "words"),
    [
        ({"quota": {"gpus": 8}}, "in.yaml[0].spec.quota.gpus", "did you mean 'gpu'"),
        ({"qouta": {"gpu": 8}}, "in.yaml[0].spec.qouta", "did you mean 'quota'"),
        ({"weight": "much"}, "in.yaml[0].spec.weight", "expected"),
        ({"bandwidth": {"rack": "fast"}}, "in.yaml[0].spec.bandwidth.rack", "a part of an uplink"),
    ],
)
def test_what_cannot_be_read_is_named_and_costs_this_queue_alone(spec: Object, path: str, words: str) -> None:
    found = reading(queue("odd", **spec), queue("sound"))
    assert [fault.path for fault in found.faults] == [path]
    assert words in found.faults[0].message
    assert [one.name for one in found.scenario.queues] == ["sound"]


def test_a_missing_parent_and_a_circle_are_told() -> None:
    found = read(
        queue("a", parent="b"), queue("b", parent="a"), queue("lost", parent="gone"), queue("below", parent="a")
    )
    assert [warning for warning in found.warnings if "takes no work" in warning] == [
        "in.yaml[0].spec: its parents form a circle, so it takes no work",
        "in.yaml[1].spec: its parents form a circle, so it takes no work",
        "in.yaml[2].spec: there is no parent 'gone', so it takes no work",
    ]


NODES = [
    node(f"n-{index}", {"example.com/rack": f"r{index // 2}", "topology.kubernetes.io/zone": "z"}) for index in range(4)
]


def test_a_topology_names_levels_and_becomes_the_default() -> None:
    found = read(*NODES, topology("hall", {**RACK, "uplink": "400Gbps"}, {"name": "node", "uplink": "3.2Tbps"}))
    assert found.topologies == (
        Topology("hall", (Level("rack", "example.com/rack", 400_000),), 3_200_000),
        Topology("fabric", (Level("zone", "topology.kubernetes.io/zone"),)),
    )
    assert [one.places["hall"]["rack"] for one in found.nodes] == ["r0", "r0", "r1", "r1"]


def test_one_named_fabric_replaces_what_would_be_found_and_one_may_ask_to_be_the_default() -> None:
    found = read(*NODES, topology("a", RACK), topology("fabric", RACK | {"name": "row"}, default=True))
    assert [one.name for one in found.topologies] == ["fabric"], "the labels are the same, so it is one topology"
    other = {"name": "zone", "label": "topology.kubernetes.io/zone"}
    found = read(*NODES, topology("a", RACK), topology("z", other, default=True))
    assert [one.name for one in found.topologies] == ["z", "a"]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"levels": ["rack"]}, "in.yaml[0].spec.levels[0]"),
        ({"levels": [RACK, RACK]}, "in.yaml[0].spec.levels[1]"),
        ({"levels": [{"name": "host", "label": "kubernetes.io/hostname"}]}, "in.yaml[0].spec.levels[0].label"),
        ({"levels": [RACK], "default": "yes"}, "in.yaml[0].spec.default"),
        ({}, "in.yaml[0].spec.levels"),
    ],
)
def test_a_topology_that_cannot_be_read_is_named(spec: Object, path: str) -> None:
    whole = {**topology("odd"), "spec": spec}
    found = reading(whole, *NODES)
    assert path in [fault.path for fault in found.faults]
    assert [one.name for one in found.scenario.topologies] == ["fabric"]


def test_objects_of_ours_stand_beside_scenarios_in_the_same_input() -> None:
    scenario = b"apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec: {nodes: [{name: n, gpus: 8}]}\n"
    objects = b"---\napiVersion: railwise.dev/v1alpha1\nkind: Queue\nmetadata: {name: team}\nspec: {quota: {gpu: 8}}\n"
    assert [one.name for one in read_inputs([("in.yaml", scenario + objects)]).queues] == ["team"]
    with pytest.raises(InputError, match="Quota"):
        read_inputs([("in.yaml", objects.replace(b"kind: Queue", b"kind: Quota"))])


def test_the_crds_have_the_fields_that_are_read() -> None:
    assert set(QUEUE_SPEC["properties"]) == set(QUEUE_RECORD.fields) - {"name"}
    assert set(TOPOLOGY_SPEC["properties"]) == set(TOPOLOGY_RECORD.fields) - {"name"} | {"default"}
    assert set(TOPOLOGY_SPEC["properties"]["levels"]["items"]["properties"]) == set(LEVEL_RECORD.fields)
    assert [one["metadata"]["name"] for one in crds()] == ["queues.railwise.dev", "topologies.railwise.dev"]
