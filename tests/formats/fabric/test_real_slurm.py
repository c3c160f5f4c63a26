"""Slurm's own controller reads the tree that we write, and its ``scontrol`` shows the same groups.

It needs ``slurmctld`` and ``scontrol`` (Debian and Ubuntu: ``slurmctld``, ``slurm-client`` and
``slurm-wlm-basic-plugins``), and says so where they are not to be had. No authentication daemon is needed.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Fabric
from railwise.formats.fabric.slurm import slurm_tree_text
from railwise.formats.fabric.tree import tree_of_fabric
from railwise.formats.hostlist import expand

pytestmark = pytest.mark.slow
PATIENCE = 30.0


def program(*names: str) -> Path:
    found = next((path for name in names if (path := shutil.which(name)) is not None), None)
    if found is None:
        pytest.skip(f"no {names[0]} here")
    return Path(found)


@contextmanager
def controlled(folder: Path, fabric: Fabric) -> Iterator[dict[str, str]]:
    """Run the controller on a topology.conf, and yield the environment in which ``scontrol`` asks it."""
    daemon = program("slurmctld", "slurmctld-wlm")
    plugins = next(iter(daemon.parents[1].glob("lib/*/slurm-wlm")), None)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    (folder / "topology.conf").write_text(slurm_tree_text(tree_of_fabric(fabric)))
    (folder / "state").mkdir()
    settings = {
        "ClusterName": "tests", "SlurmctldHost": f"{socket.gethostname()}(127.0.0.1)", "SlurmctldPort": port,
        "AuthType": "auth/none", "CredType": "cred/none", "MpiDefault": "none", "SelectType": "select/linear",
        "ProctrackType": "proctrack/linuxproc", "SlurmUser": getpass.getuser(),
        "StateSaveLocation": folder / "state", "SlurmctldPidFile": folder / "pid", "TopologyPlugin": "topology/tree",
        "AccountingStorageType": "accounting_storage/none",
    } | ({"PluginDir": plugins} if plugins else {})  # fmt: skip
    names = ",".join(server.name for server in fabric.servers)
    nodes = f"NodeName={names} NodeAddr=127.0.0.1 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES\n"
    (folder / "slurm.conf").write_text("".join(f"{key}={value}\n" for key, value in settings.items()) + nodes)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [daemon, "-D", "-c", "-f", str(folder / "slurm.conf")], stdout=log, stderr=subprocess.STDOUT
        )
    try:
        yield os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def shown(folder: Path, environment: dict[str, str]) -> str:
    """Return what ``scontrol show topology`` prints once the controller answers."""
    deadline = time.monotonic() + PATIENCE
    while True:
        command = [str(program("scontrol")), "show", "topology"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if done.returncode == 0 and "SwitchName" in done.stdout:
            return done.stdout
        log = (folder / "log").read_text(errors="replace")
        if "cannot find auth plugin" in log or "Invalid authentication plugin" in log:
            pytest.skip("this Slurm has no auth/none")
        assert time.monotonic() < deadline, log[-1500:]
        time.sleep(0.2)


def test_slurm_itself_reads_our_tree(tmp_path: Path) -> None:
    program("scontrol")
    design = DESIGNS["rail-optimised"]
    fabric = design.draw(replace(design.usual, units=3, servers=4, rails=4, spines=2))
    with controlled(tmp_path, fabric) as environment:
        told = shown(tmp_path, environment)
    leaves = {
        frozenset(expand(line["nodes"]))
        for line in re.finditer(r"SwitchName=\S+ Level=0 LinkSpeed=\d+ Nodes=(?P<nodes>\S+)", told)
    }
    assert leaves == {frozenset(f"gpu-{4 * unit + at:02}" for at in range(1, 5)) for unit in range(3)}, told
    assert re.search(r"Level=1 \S+ Nodes=gpu-\[01-12\] Switches=", told), told
