"""``railwise fabric serve`` as a person uses it: one terminal serves, another acts, independent clients read."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

READ = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pygnmi.client import gNMIclient
with gNMIclient(target=("127.0.0.1", int(sys.argv[1])), insecure=True, skip_verify=True) as client:
    answer = client.get(path=["/LLDP_ENTRY_TABLE"], target="APPL_DB", encoding="json_ietf")
print(json.dumps(answer["notification"][0]["update"][0]["val"]))
"""


def railwise(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "railwise", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("lab")
    small = ("--units", "2", "--servers", "2", "--rails", "2", "--spines", "1")
    assert railwise("fabric", "generate", "rail-optimised", *small, "-o", "f.yaml", folder=folder).returncode == 0
    command = [sys.executable, "-m", "railwise", "fabric", "serve", "f.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Ctrl-C"):
                break
        yield folder
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "the laboratory has ended\n")
    assert not (folder / "railwise-lab" / "control.sock").exists()


pytestmark = pytest.mark.slow


def port_of(folder: Path, switch: str) -> str:
    directory = json.loads((folder / "railwise-lab" / "lab.json").read_text())
    return str(next(one["address"] for one in directory["switches"] if one["name"] == switch)).rpartition(":")[2]


def test_a_cable_is_pulled_and_plugged_in_again(lab: Path) -> None:
    down = railwise("fabric", "set-cable", "gpu-1/rail0", "leaf-1", "--down", folder=lab)
    assert (down.returncode, down.stdout) == (0, "changed gpu-1/eth0\nchanged leaf-1/Ethernet0\n")
    again = railwise("fabric", "set-cable", "gpu-1/rail0", "leaf-1", "--down", folder=lab)
    assert again.stdout == "done\n"
    up = railwise("fabric", "set-cable", "gpu-1/rail0", "leaf-1", "--up", folder=lab)
    assert up.stdout == down.stdout


def test_swapped_plugs_are_swapped_back(lab: Path) -> None:
    first = railwise("fabric", "miswire", "gpu-1/rail0", "gpu-1/rail1", folder=lab)
    second = railwise("fabric", "miswire", "gpu-1/rail0", "gpu-1/rail1", folder=lab)
    assert first.returncode == second.returncode == 0
    assert first.stdout.splitlines() == [
        "changed gpu-1/eth0", "changed gpu-1/eth1", "changed leaf-1/Ethernet0", "changed leaf-2/Ethernet0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [("kill-switch", "leaf-1"), ("kill-switch", "leaf-1", "--only", "telemetry"), ("maintain", "leaf-1")],
)
def test_switches_are_switched_off_silenced_and_worked_on(lab: Path, arguments: tuple[str, ...]) -> None:
    undo = "--done" if arguments[0] == "maintain" else "--revive"
    assert railwise("fabric", *arguments, folder=lab).returncode == 0
    assert railwise("fabric", *arguments, undo, folder=lab).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set-cable", "gpu-1/rail0", "leaf-1"), "error: which way?\nhint: give --down or --up\n"),
        (("set-cable", "gpu-1", "leaf-9", "--down"), "error: no cable runs between gpu-1 and leaf-9\n"),
        (("kill-switch", "leaf-99"), "error: no switch leaf-99\nhint: the first ones are leaf-1, "),
        (("miswire", "gpu-1/rail0", "x"), "error: no port x\n"),
        (("flap", "gpu-1/rail0", "leaf-1", "--every", "soon"), "error: --every soon: "),
        (("kill-switch", "leaf-1", "--lab", "elsewhere"), "error: no laboratory runs in elsewhere\nhint: start one "),
    ],
)
def test_what_makes_no_sense_is_said_with_a_hint(lab: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = railwise("fabric", *arguments, folder=lab)
    assert answer.returncode == 2
    assert answer.stderr.startswith(message)


def test_a_second_laboratory_does_not_take_the_first_ones_place(lab: Path) -> None:
    answer = railwise("fabric", "serve", "f.yaml", folder=lab)
    assert answer.returncode == 2
    assert "another laboratory listens on" in answer.stderr


def test_an_independent_client_reads_the_same(lab: Path) -> None:
    if importlib.util.find_spec("pygnmi") is None:
        pytest.skip("pygnmi is not installed")
    command = [sys.executable, "-c", READ, port_of(lab, "leaf-1")]
    environment = os.environ | {"GRPC_VERBOSITY": "NONE"}
    read = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    rows = json.loads(read.stdout)
    assert {port: row["lldp_rem_sys_name"] for port, row in rows.items()} == {
        "Ethernet0": "gpu-1", "Ethernet4": "gpu-2", "Ethernet8": "spine-1",
    }  # fmt: skip
