"""Commands against a real API server, as somebody who may only read there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import yaml

from railwise.controllers.look import Look, look_at
from railwise.devcluster.cluster import Cluster
from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.writer import scenario_text
from railwise.kubeapi.client import Client, connect
from railwise.kubeapi.kubeconfig import access_from, merge
from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.pods import PodName, bind
from railwise.kubeapi.resources import JOBS, NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS, Resource
from railwise.kubeapi.watching import Scope
from tests.cli.conftest import Railwise
from tests.control_plane import node, pod, uid_of

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

SPACE = "look"
SCHEDULER = "railwise-look"
RACK = "fabric.railwise.dev/rack"
ROLES = Resource("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", namespaced=False)
BINDINGS = Resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", namespaced=False)


PICKY: dict[str, Any] = {
    "preemptionPolicy": "PreemptLowerPriority",
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "odd", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchExpressions": [{"key": RACK, "operator": "NotIn", "values": ["r9"]}]},
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["look-3"]}]},
                ]
            }
        },
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "picky"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        },
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": RACK,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "picky"}},
        }
    ],
}
"""Rules of a pod that a snapshot must not lose."""


class Readable(NamedTuple):
    """Options that name the cluster: for who may read all that counts, and for who may read nodes and pods alone."""

    all: list[str]
    part: list[str]
    nothing: list[str]


class Builder:
    """Puts objects into the cluster, and takes them away again."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def pod(self, name: str, gpus: int, on: str = "", **more: Any) -> None:
        container: dict[str, Any] = {
            "name": "main",
            "image": "none",
            "resources": {"limits": {"nvidia.com/gpu": str(gpus)}},
        }
        port = more.pop("port", 0)
        container["ports"] = [{"containerPort": port, "hostPort": port}] if port else []
        body = pod(name, schedulerName=more.pop("scheduler", SCHEDULER), containers=[container], **more.pop("spec", {}))
        notes = {f"railwise.dev/{key}": value for key, value in more.pop("notes", {}).items()}
        body["metadata"] |= {"annotations": notes, **more}
        body["spec"].setdefault("restartPolicy", "Never")
        uid = uid_of(await self.client.create(PODS, SPACE, body))
        if on:
            await bind(self.client, PodName(SPACE, name, uid), on)

    async def job(self, name: str, parallelism: int, pods: int, gpus: int, on: tuple[str, ...] = ()) -> None:
        template = {"metadata": {}, "spec": pod("x", restartPolicy="Never")["spec"]}
        spec = {"parallelism": parallelism, "completions": parallelism, "template": template}
        uid = uid_of(await self.client.create(JOBS, SPACE, {"metadata": {"name": name}, "spec": spec}))
        owner = [{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}]
        for index in range(pods):
            where = on[index] if on else ""
            await self.pod(f"{name}-{index}-abcde", gpus, where, ownerReferences=owner, notes={"required": "rack"})

    async def fill(self) -> None:
        await self.client.create(NAMESPACES, "", {"metadata": {"name": SPACE}})
        for index in range(4):
            await self.client.create(NODES, "", node(f"look-{index}", **{RACK: f"r{index // 2}"}))
        await self.job("llama", 2, 2, 8, ("look-0", "look-1"))
        await self.pod("small", 2, "look-2")
        await self.pod("theirs", 1, "look-2", scheduler="somebody")
        await self.pod("waits", 1, scheduler="somebody")
        await self.pod("next", 4)
        gate = {"schedulingGates": [{"name": "railwise.dev/gate"}]}
        await self.pod("gated", 1, scheduler="default-scheduler", spec=gate)
        await self.pod("huge", 16)
        await self.pod("odd", 1, notes={"required": "no such level"})
        await self.pod("odder", 1, notes={"required": "\x1b]0;x\n" + "x" * 9000})
        await self.pod("oddest", 1, notes={"required": "a-long-prefix.example.com/" + "z" * 63})
        await self.pod("picky", 1, spec=PICKY, labels={"app": "picky"})
        await self.pod("ports", 1, spec={"priorityClassName": "system-cluster-critical"}, port=8080)
        await self.job("half", 4, 2, 1)

    async def reader(self, name: str, rules: list[dict[str, Any]]) -> str:
        """Make an account that may do so much, and return a token of it."""
        await self.client.create(SERVICE_ACCOUNTS, SPACE, {"metadata": {"name": name}})
        await self.client.create(ROLES, "", {"metadata": {"name": name}, "rules": rules})
        subject = {"kind": "ServiceAccount", "name": name, "namespace": SPACE}
        reference = {"apiGroup": ROLES.group, "kind": "ClusterRole", "name": name}
        await self.client.create(
            BINDINGS, "", {"metadata": {"name": name}, "subjects": [subject], "roleRef": reference}
        )
        path = SERVICE_ACCOUNTS.path(SPACE, name, "token")
        answer = await self.client.write("POST", path, SERVICE_ACCOUNTS, {"spec": {"expirationSeconds": 3600}})
        token: str = msgspec.json.decode(answer)["status"]["token"]
        return token

    async def clear(self) -> None:
        for kind, space in ((PODS, SPACE), (JOBS, SPACE), (NODES, "")):
            for found in (await self.client.list(kind, PartialObject, Scope(space))).objects:
                await self.client.delete(kind, space, found.metadata.name, grace=0)


@pytest.fixture(scope="module")
def cluster(control_plane: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readable]:
    """Return ways into a cluster in which things run and wait, for people who may only read."""
    core = {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list"]}
    jobs = {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list"]}
    classes = {"apiGroups": ["scheduling.k8s.io"], "resources": ["priorityclasses"], "verbs": ["list"]}
    volumes = {"apiGroups": [""], "resources": ["persistentvolumeclaims", "persistentvolumes"], "verbs": ["list"]}
    drivers = {"apiGroups": ["storage.k8s.io"], "resources": ["csinodes"], "verbs": ["list"]}
    whole = [core, jobs, classes, volumes, drivers]
    folder = tmp_path_factory.mktemp("kubeconfigs")

    async def make() -> Readable:
        async with connect(access_from(merge([control_plane.kubeconfig]))) as client:
            builder = Builder(client)
            await builder.fill()
            found = []
            for name, rules in (("reads", whole), ("reads-pods", [core]), ("reads-nothing", [jobs])):
                document = msgspec.json.decode(control_plane.kubeconfig.read_bytes())
                document["users"][0]["user"] = {"token": await builder.reader(name, rules)}
                path = folder / name
                path.write_bytes(msgspec.json.encode(document))
                found.append(["--kubeconfig", str(path), "--scheduler-name", SCHEDULER])
            return Readable(*found)

    async def clear() -> None:
        async with connect(access_from(merge([control_plane.kubeconfig]))) as client:
            await Builder(client).clear()

    yield asyncio.run(make())
    asyncio.run(clear())


def test_why_of_pods_and_workloads(cluster: Readable, railwise: Railwise) -> None:
    done = railwise("why", "huge", *cluster.all, "-o", "json")
    assert (done.code, json.loads(done.out)["reason"]["code"]) == (0, "NeverFits")
    done = railwise("why", "llama-1-abcde", *cluster.all)
    assert (done.code, done.err) == (0, "note: pod llama-1-abcde is one of the workload llama\n")
    assert "look-[0-1]" in done.out
    assert railwise("why", f"pod/{SPACE}/llama-1-abcde", *cluster.all).out == done.out
    done = railwise("why", "odd", *cluster.all)
    assert "Invalid" in done.out
    assert "no such level" in done.out
    done = railwise("why", "half", *cluster.all)
    assert (done.code, done.out.partition(".")[0]) == (0, "half waits for the rest of its gang: 2 of 4 pods are there")
    done = railwise("why", "half-0-abcde", *cluster.all, "-o", "yaml")
    assert yaml.safe_load(done.out) == {"name": "half", "state": "incomplete", "pods": 2, "needed": 4}
    done = railwise("why", "waits", *cluster.all)
    assert (done.code, "is left to the scheduler 'somebody'" in done.err) == (2, True)
    done = railwise("why", "lama", *cluster.all)
    assert (done.code, "did you mean llama?" in done.err) == (2, True)


def test_what_the_gate_holds_is_planned_with_the_rest(cluster: Readable, railwise: Railwise) -> None:
    done = railwise("why", "gated", *cluster.all, "-o", "json")
    assert (done.code, json.loads(done.out)["pods"][0]["node"]) == (0, "look-2")


def test_get_and_plan_with_manifests(cluster: Readable, railwise: Railwise, tmp_path: Path) -> None:
    done = railwise("get", "nodes", *cluster.all, "-o", "json")
    free = {one["name"]: one["freeSlots"] for one in json.loads(done.out)["items"] if one["name"].startswith("look")}
    assert free == {"look-0": 0, "look-1": 0, "look-2": 5, "look-3": 8}
    for kind in ("topology", "workloads", "queues", "slots"):
        assert railwise("get", kind, *cluster.all).code == 0
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "mine"},
        "spec": {
            "parallelism": 2,
            "template": {
                "metadata": {"annotations": {"railwise.dev/required": RACK}},
                "spec": {"containers": [{"name": "m", "resources": {"limits": {"nvidia.com/gpu": 3}}}]},
            },
        },
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    done = railwise("plan", "-f", str(tmp_path / "job.json"), *cluster.all, "-o", "json")
    entries = {one["name"]: one for one in json.loads(done.out)["workloads"]}
    assert (entries["mine"]["state"], entries["mine"]["domains"]) == ("placed", {"rack": ["r1"]})
    assert entries["next"]["state"] == "placed"
    job["metadata"] = {"name": "llama"}
    (tmp_path / "twice.json").write_text(json.dumps(job))
    done = railwise("plan", "-f", str(tmp_path / "twice.json"), *cluster.all)
    assert (done.code, "there is already a workload 'llama'" in done.err) == (2, True)
    assert "hint: leave one of them out" in done.err
    done = railwise("plan", *cluster.all, "--what-if-submit", str(tmp_path / "job.json"))
    assert "mine" in done.out
    assert railwise("plan", *cluster.all, "--what-if-drain", "look-3").code in (0, 1)
    assert railwise("defrag", *cluster.all).code in (0, 1)


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_the_same_plan_comes_out_of_a_snapshot(
    cluster: Readable, railwise: Railwise, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"snap.{ending}"
    done = railwise("snapshot", "-o", str(path), *cluster.all)
    assert done.code == 0, done.err
    assert "half is left out: 2 of its pods are there" in done.err
    live = railwise("plan", *cluster.all, "-o", "json")
    offline = railwise("plan", str(path), "-o", "json")
    assert (live.code, live.out) == (0, offline.out)
    assert {one["state"] for one in json.loads(live.out)["workloads"]} == {"placed", "running", "pending"}
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_snapshot_loses_nothing(cluster: Readable, form: str) -> None:
    async def taken() -> Look:
        async with connect(access_from(merge([Path(cluster.all[1])]))) as client:
            return await look_at(client, SCHEDULER)

    scenario = asyncio.run(taken()).scenario
    again = read_inputs([(f"snap.{form}", scenario_text(scenario, form).encode())])
    assert again.nodes == scenario.nodes
    assert again.workloads == scenario.workloads
    assert replace(again, warnings=()) == scenario
    picky = next(one for one in scenario.workloads if one.name == "picky").root
    assert (len(picky.selection.terms), len(picky.selection.tolerations) > 0) == (2, True)


def test_the_policy_of_the_scheduler_counts(cluster: Readable, railwise: Railwise, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    document = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "spec": {"policy": {"reserveAfter": "5m"}}}
    settings.write_text(json.dumps(document))
    done = railwise("snapshot", *cluster.all, "--settings", str(settings))
    assert yaml.safe_load(done.out)["spec"]["policy"] == {"nodeGrace": "1m", "reserveAfter": "5m"}
    done = railwise("plan", *cluster.all, "--settings", str(settings))
    assert done.out.rstrip().endswith(f"--settings {settings} --scheduler-name {SCHEDULER}")


def test_what_may_not_be_read_is_said(cluster: Readable, railwise: Railwise) -> None:
    done = railwise("get", "workloads", *cluster.part, "-o", "json")
    assert done.code == 0
    assert "jobs.batch may not be listed: what they say is not known here" in done.err
    pods = {one["name"]: one["pods"] for one in json.loads(done.out)["items"]}
    assert (pods["llama"], pods["half"]) == (2, 2)
    done = railwise("get", "nodes", *cluster.nothing)
    assert (done.code, done.out) == (2, "")
    assert "403 Forbidden" in done.err
    assert "hint: a Role or ClusterRole has to allow this verb" in done.err


def test_an_audit_of_a_cluster(cluster: Readable, railwise: Railwise) -> None:
    done = railwise("audit", *cluster.all, "-o", "json")
    found = {(one["check"], one["where"]): one for one in json.loads(done.out)["items"]}
    assert done.code == 1
    assert found["incomplete", "workload half"]["what"] == "lacks pods: 2 of 4 are there"
    assert any(check == "never-starts" and "huge" in where for check, where in found)
    assert not any(check == "lonely-domains" for check, _ in found)


def test_bad_input_is_told_from_a_bad_cluster(cluster: Readable, railwise: Railwise, tmp_path: Path) -> None:
    done = railwise("get", "nodes", "--kubeconfig", str(tmp_path / "none"))
    assert (done.code, "none" in done.err) == (2, True)
    done = railwise("get", "nodes", *cluster.all, "--context", "elsewhere")
    assert (done.code, "elsewhere" in done.err) == (2, True)
    document: dict[str, Any] = {"clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}], "users": []}
    document |= {"contexts": [{"name": "c", "context": {"cluster": "c"}}], "current-context": "c"}
    (tmp_path / "closed").write_text(json.dumps(document))
    done = railwise("snapshot", "--kubeconfig", str(tmp_path / "closed"))
    assert (done.code, done.out, "Traceback" in done.err) == (2, "", False)
    done = railwise("snapshot", "-o", str(tmp_path / "snap.txt"), *cluster.all)
    assert (done.code, "hint: name a file that ends in .yaml or .json" in done.err) == (2, True)
