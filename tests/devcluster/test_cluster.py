"""A whole cluster by the command line: up, status, up again, a program that dies, down, nothing left."""

from __future__ import annotations

import json
import os
import signal
import stat
from pathlib import Path

import pytest

from railwise.devcluster.cluster import Cluster, Wish, free_ports, state_root
from railwise.devcluster.errors import ControlPlaneError, NoControlPlaneError
from railwise.devcluster.processes import birth_of, gone_within
from railwise.devcluster.programs import PROGRAMS, Programs, find_programs
from tests.cli.conftest import Railwise, folder, railwise
from tests.devcluster.test_programs import program

__all__ = ["folder", "railwise"]

PATIENCE = 60.0


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAILWISE_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "clusters"


@pytest.mark.slow
@pytest.mark.cluster
def test_up_status_and_down(railwise: Railwise, state: Path) -> None:
    try:
        if find_programs(list(PROGRAMS)) is None:
            pytest.skip("no control plane: `make control-plane` builds one, in about 20 minutes")
    except NoControlPlaneError as error:
        pytest.skip(str(error))
    cluster = Cluster(state / "try")
    try:
        done = railwise("dev", "cluster", "up", "--name", "try", "--with", "kwok", "-f", "two-units.yaml")
        assert done.code == 0, done.err
        assert done.out.startswith("cluster try is up: Kubernetes v1.")
        assert ", 64 nodes, programs from " in done.out
        assert done.err.splitlines() == [
            "starting etcd",
            "starting kube-apiserver",
            "starting kwok",
            "creating 64 nodes",
        ]
        assert stat.S_IMODE(cluster.kubeconfig.stat().st_mode) == 0o600
        pids = [row.pid for row in cluster.rows()]

        again = railwise("dev", "cluster", "up", "--name", "try")
        assert (again.code, again.out.splitlines()[0]) == (0, "cluster try is up already")
        status = railwise("dev", "cluster", "status", "--name", "try", "-o", "json")
        items = json.loads(status.out)["items"]
        assert [(one["program"], one["running"]) for one in items] == [
            ("etcd", True),
            ("kube-apiserver", True),
            ("kwok", True),
        ]
        kwok = cluster.daemon("kwok").process()
        assert kwok is not None
        os.kill(kwok.pid, signal.SIGKILL)
        assert gone_within(kwok, PATIENCE)
        lame = railwise("dev", "cluster", "status", "--name", "try")
        assert (lame.code, lame.out.splitlines()[-1].split()[:2]) == (1, ["kwok", "ended"])
        half = railwise("dev", "cluster", "up", "--name", "try")
        assert (half.code, half.err.splitlines()[0]) == (2, "error: cluster try is up in part, kwok ended")
    finally:
        down = railwise("dev", "cluster", "down", "--name", "try")
    assert down.out == "cluster try is down: ended etcd, kube-apiserver\n"
    assert not (state / "try").exists()
    assert [birth_of(pid) for pid in pids] == ["", "", ""]
    assert railwise("dev", "cluster", "down", "--name", "try").out == "cluster try was not up\n"
    assert railwise("dev", "cluster", "status", "--name", "try").code == 1


def test_a_program_that_ends_at_once_leaves_nothing_but_its_words(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "etcd", "#!/bin/sh\nexec sleep 60\n")
    program(tmp_path / "bin" / "kube-apiserver", "#!/bin/sh\necho 'bad flag'; exit 1\n")
    cluster = Cluster(tmp_path / "state" / "bad")
    with pytest.raises(ControlPlaneError, match="kube-apiserver ended while cluster bad was starting:\nbad flag"):
        cluster.up(Programs(tmp_path / "bin", "a test"), Wish(), lambda _line: None, PATIENCE)
    assert (cluster.rows(), cluster.running()) == ([], False)
    assert not cluster.daemon("etcd").alive()
    assert cluster.daemon("kube-apiserver").last_words() == "bad flag"


def test_a_program_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("etcd", "kube-apiserver"):
        program(tmp_path / "bin" / name, "#!/bin/sh\nexec sleep 60\n")
    cluster = Cluster(tmp_path / "state" / "mute")
    with pytest.raises(ControlPlaneError, match="kube-apiserver is not ready after 0 s: GET /readyz: cannot connect"):
        cluster.up(Programs(tmp_path / "bin", "a test"), Wish(), lambda _line: None, 0.3)
    assert not cluster.daemon("kube-apiserver").alive()


@pytest.mark.parametrize(
    ("line", "error", "hint"),
    [
        ("up --with kwokk", "there is no part of a control plane 'kwokk'", "did you mean kwok?"),
        ("up --name ../x", "--name ../x: is no name", "up to 40 lower case letters, digits and hyphens"),
        ("up --nodes 4 -f two-units.yaml", "--nodes and -f both say which nodes there are", "give one of them"),
        ("up -f one-more-job.yaml", "one-more-job.yaml: has no nodes", "see spec.nodes of a scenario"),
        ("down --name A", "--name A: is no name", "up to 40 lower case letters, digits and hyphens"),
        (
            "up",
            "RAILWISE_CONTROL_PLANE is none: there is to be no control plane on this machine",
            "unset RAILWISE_CONTROL_PLANE to use or build one",
        ),
        (
            "build",
            "RAILWISE_CONTROL_PLANE is none: there is to be no control plane on this machine",
            "unset RAILWISE_CONTROL_PLANE to use or build one",
        ),
    ],
)
def test_mistakes_are_named_and_hinted(
    line: str, error: str, hint: str, railwise: Railwise, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAILWISE_CONTROL_PLANE", "none")
    done = railwise("dev", "cluster", *line.split())
    assert (done.code, done.err) == (2, f"error: {error}\nhint: {hint}\n")
    assert not state.exists()


def test_a_build_that_is_not_possible_is_no_failure_where_that_is_asked_for(
    railwise: Railwise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAILWISE_CONTROL_PLANE", "none")
    done = railwise("dev", "cluster", "build", "--if-possible")
    assert (done.code, done.err) == (0, "")
    assert "tests that need a control plane are skipped" in done.out


def test_state_lies_where_the_environment_says() -> None:
    assert state_root({"RAILWISE_STATE": "/a"}) == Path("/a/clusters")
    assert state_root({"XDG_STATE_HOME": "/b"}) == Path("/b/railwise/clusters")
    assert state_root({}) == Path.home() / ".local/state/railwise/clusters"


def test_free_ports_are_different_ones() -> None:
    ports = free_ports(["a", "b", "c"])
    assert len(set(ports.values())) == len(ports) == 3
