"""The files of ``deploy/`` as they stand: complete, written from the code, and hardened alike."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.deploy.generate import NAMESPACE, TABLES, written
from tests.deploy.kustomize import built, names

DEPLOY = ROOT / "deploy"
ROOTS = sorted(path.parent for path in DEPLOY.rglob("kustomization.yaml"))
FOR_FEW = {"ascend"}
WORKLOADS = ("DaemonSet", "Deployment")


@cache
def everything() -> list[dict[str, Any]]:
    return built(DEPLOY)


def workloads() -> list[dict[str, Any]]:
    return [one for one in everything() if one["kind"] in WORKLOADS]


@pytest.mark.parametrize("path", sorted(written()))
def test_the_roles_are_those_of_the_code(path: str) -> None:
    assert (DEPLOY / path).read_text() == written()[path], "run `python -m tests.deploy.generate`"


@pytest.mark.parametrize("table", sorted(TABLES))
def test_no_right_stands_twice_and_none_is_a_wildcard(table: str) -> None:
    granted = [(one.group, one.resource, verb, one.names) for one in TABLES[table] for verb in one.verbs]
    assert len(granted) == len(set(granted))
    assert not any("*" in part for one in granted for part in one[:3])


@pytest.mark.parametrize("folder", ROOTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_folder_is_complete(folder: Path) -> None:
    objects = built(folder)
    found = names(objects)
    assert len(found) == len(set(found))
    kept = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
    document = yaml.safe_load((folder / "kustomization.yaml").read_text())
    named = {*document["resources"], *(file for one in document.get("configMapGenerator", []) for file in one["files"])}
    assert kept <= named, "a file that no kustomization names is applied by nobody"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ROOTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_kustomize_sees_the_same(folder: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed: kustomize itself is not asked")
    answer = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, check=True).stdout
    assert names([one for one in yaml.safe_load_all(answer) if one]) == names(built(folder))


def test_names_lead_somewhere() -> None:
    found = {(kind, name) for kind, _, name in names(everything())}
    for one in workloads():
        spec = one["spec"]["template"]["spec"]
        assert ("ServiceAccount", spec["serviceAccountName"]) in found
        labels = one["spec"]["template"]["metadata"]["labels"]
        assert one["spec"]["selector"]["matchLabels"].items() <= labels.items()
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        for container in spec["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
    for one in everything():
        if one["kind"] == "Service":
            chosen = [pods for pods in workloads() if _selects(one["spec"]["selector"], pods)]
            ports = {port["name"] for pods in chosen for port in _container(pods).get("ports", [])}
            assert {port["targetPort"] for port in one["spec"]["ports"]} <= ports, one["metadata"]["name"]
        if one["kind"] == "PodDisruptionBudget":
            chosen = [pods for pods in workloads() if _selects(one["spec"]["selector"]["matchLabels"], pods)]
            assert [pods["spec"]["replicas"] for pods in chosen] == [2]
        if one["kind"].endswith("Binding") and "roleRef" in one:
            assert (one["roleRef"]["kind"], one["roleRef"]["name"]) in found
        if "namespace" in one["metadata"]:
            assert one["metadata"]["namespace"] == NAMESPACE


@pytest.mark.parametrize("one", workloads(), ids=lambda one: str(one["metadata"]["name"]))
def test_pods_can_do_no_more_than_they_need(one: dict[str, Any]) -> None:
    spec = one["spec"]["template"]["spec"]
    container = _container(one)
    security = container["securityContext"]
    assert security == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
    writable = {volume["name"] for volume in spec.get("volumes", []) if "emptyDir" in volume}
    for mount in container.get("volumeMounts", []):
        assert mount.get("readOnly") is True or mount["name"] in writable, mount
    assert container["resources"]["limits"].keys() == {"memory"}


@pytest.mark.parametrize("one", workloads(), ids=lambda one: str(one["metadata"]["name"]))
def test_the_command_knows_its_arguments(one: dict[str, Any]) -> None:
    from railwise.cli.run import group  # noqa: PLC0415 -- the command line is loaded where it is needed

    words = _container(one)["args"]
    assert words[0] == "run"
    command = group.commands[words[1]]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    assert {word.partition("=")[0] for word in words[2:]} <= known


def test_the_image_comes_from_where_the_builder_says() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM")] == ["FROM ${BASE} AS build", "FROM ${BASE}"]
    assert "ARG BASE" in lines, "without a default: where images come from is the builder's to say"
    assert any("--require-hashes" in line for line in lines)
    assert [line for line in lines if line.startswith("USER")] == ["USER 65532:65532"]


def test_what_the_image_is_made_of_is_there_and_reaches_the_builder() -> None:
    copied = [
        name
        for line in (DEPLOY / "Dockerfile").read_text().splitlines()
        if line.startswith("COPY") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    kept = [line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")]
    for name in copied:
        assert (ROOT / name).exists(), name
        assert any(PurePath(name).match(pattern) for pattern in kept), name


def test_folders_stand_in_the_whole_unless_few_clusters_want_them() -> None:
    whole = names(everything())
    for folder in ROOTS:
        if folder.name in FOR_FEW:
            assert not set(names(built(folder))) & set(whole)
            continue
        assert set(names(built(folder))) <= set(whole), json.dumps(str(folder))


def _container(one: dict[str, Any]) -> dict[str, Any]:
    (container,) = one["spec"]["template"]["spec"]["containers"]
    return dict(container)


def _selects(labels: dict[str, str], pods: dict[str, Any]) -> bool:
    return bool(labels.items() <= pods["spec"]["template"]["metadata"]["labels"].items())
