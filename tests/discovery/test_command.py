"""``railwise discover`` as a person uses it, against a laboratory in another process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SMALL = ("--units", "2", "--servers", "4", "--rails", "4", "--spines", "2")
SWAP = ("fabric", "miswire", "leaf-1/Ethernet0", "leaf-5/Ethernet0")


def railwise(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "railwise", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("site")
    assert railwise("fabric", "generate", "rail-optimised", *SMALL, "-o", "f.yaml", folder=folder).returncode == 0
    command = [sys.executable, "-m", "railwise", "fabric", "serve", "f.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Ctrl-C"):
                break
        yield folder
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def test_the_map_is_printed(lab: Path) -> None:
    shown = railwise("discover", "--lab", "railwise-lab", folder=lab)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("8 servers, 10 switches, 48 links, 2 leaf groups\n")
    assert "Nothing is found to be wrong." in shown.stdout
    assert re.search(r"gpu-\[1-4\] +4 +leaf-\[1-4\]", shown.stdout)


def test_a_document_says_whom_to_ask_and_what_is_meant(lab: Path) -> None:
    directory = json.loads((lab / "railwise-lab" / "lab.json").read_text())
    leaf = next(one for one in directory["switches"] if one["name"] == "leaf-1")
    host, _, port = leaf["address"].rpartition(":")
    (lab / "discover.yaml").write_text(
        "apiVersion: railwise.dev/v1alpha1\nkind: Discovery\nspec:\n"
        f"  switches:\n  - {{name: leaf-1, host: {host}, port: {port}, insecure: true}}\n"
        "  files:\n  - {kind: lldpctl, path: 'railwise-lab/hosts/*/lldpctl.json'}\n  intent: f.yaml\n"
    )
    shown = railwise("discover", "--config", "discover.yaml", "--check", "-o", "json", folder=lab)
    assert shown.returncode == 0, shown.stderr + shown.stdout
    document = json.loads(shown.stdout)
    assert document["findings"] == []
    assert sorted(document["places"]) == [f"gpu-{number}" for number in range(1, 9)]


def test_a_moved_cable_is_found_named_and_mended(lab: Path) -> None:
    assert railwise("discover", "--lab", "railwise-lab", "--state", "map.json", folder=lab).returncode == 0
    assert railwise(*SWAP, folder=lab).returncode == 0
    try:
        found = railwise("discover", "--lab", "railwise-lab", "--intent", "f.yaml", "--check", folder=lab)
        assert found.returncode == 1
        assert "gpu-1/eth0 leads to leaf-5/Ethernet0, should lead to leaf-1/Ethernet0" in found.stdout
        compared = railwise("discover", "--lab", "railwise-lab", "--state", "map.json", "--diff", folder=lab)
        assert compared.returncode == 1
        assert "gpu-1/eth0: leaf-1/Ethernet0 -> leaf-5/Ethernet0\n" in compared.stdout
        assert " leaf-group: " not in compared.stdout
        expected = railwise("discover", "--lab", "railwise-lab", "--expect", "map.json", folder=lab)
        assert (expected.returncode, expected.stdout) == (1, compared.stdout)
    finally:
        assert railwise(*SWAP, folder=lab).returncode == 0
    again = railwise("discover", "--lab", "railwise-lab", "--expect", "map.json", folder=lab)
    assert (again.returncode, again.stdout) == (0, "Nothing differs.\n")


def test_a_watched_map_tells_what_changes(lab: Path) -> None:
    command = [sys.executable, "-m", "railwise", "discover", "--lab", "railwise-lab", "--watch"]
    with subprocess.Popen(command, cwd=lab, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "8 servers, 10 switches, 48 links" in process.stdout.readline()
        assert railwise(*SWAP, folder=lab).returncode == 0
        begin = time.monotonic()
        lines = iter(process.stdout)
        assert any("gpu-1/eth0: leaf-1/Ethernet0 -> leaf-5/Ethernet0" in line for line in lines)
        assert time.monotonic() - begin < 60
        assert railwise(*SWAP, folder=lab).returncode == 0
        assert any("gpu-1/eth0: leaf-5/Ethernet0 -> leaf-1/Ethernet0" in line for line in lines)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: whom shall be asked?\nhint: give --config FILE"),
        (("--config", "a", "--lab", "b"), "error: either --config or --lab\n"),
        (("--lab", "elsewhere"), "error: spec.lab: no laboratory runs in elsewhere: No such file or directory\nhint: "),
        (("--lab", "railwise-lab", "--diff"), "error: --diff compares with the map of --state\n"),
        (("--lab", "railwise-lab", "--expect", "none.json"), "error: none.json: "),
        (("--config", "f.yaml"), "error: f.yaml: kind: "),
    ],
)
def test_what_cannot_be_meant_is_said_with_a_hint(lab: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = railwise("discover", *arguments, folder=lab)
    assert answer.returncode == 2
    assert answer.stderr.startswith(message), answer.stderr


def test_silence_of_everybody_is_an_error_and_of_one_a_warning(lab: Path) -> None:
    text = "apiVersion: railwise.dev/v1alpha1\nkind: Discovery\nspec:\n  switches:\n"
    (lab / "nobody.yaml").write_text(text + "  - {name: leaf-1, host: 127.0.0.1, port: 1, insecure: true}\n")
    answer = railwise("discover", "--config", "nobody.yaml", folder=lab)
    assert answer.returncode == 2
    assert answer.stderr.startswith("warning: gnmi:leaf-1: port 1: UNAVAILABLE")
    assert "error: nothing was heard of any device\n" in answer.stderr


def test_the_map_is_drawn(lab: Path) -> None:
    shown = railwise("discover", "--lab", "railwise-lab", "--svg", "now.svg", folder=lab)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "2 leaf groups" in shown.stdout
    drawing = (lab / "now.svg").read_text()
    assert drawing.startswith("<svg")
    assert "leaf-[1-4]" in drawing
    alone = railwise("discover", "--lab", "railwise-lab", "--svg", "-", folder=lab)
    assert alone.stdout == drawing


def test_every_edge_is_told_with_its_evidence_and_age(lab: Path) -> None:
    shown = railwise("discover", "--lab", "railwise-lab", "-o", "json", folder=lab)
    links = json.loads(shown.stdout)["links"]
    plug = next(one for one in links if one["b"] == "leaf-1/Ethernet0")
    assert plug["a"].startswith("gpu-1/")
    assert [(one["source"].partition(":")[0], one["end"]) for one in plug["evidence"]] == [
        ("gnmi", "b"),
        ("lldpctl", "a"),
    ]
    assert 0 <= plug["age"] < 60_000_000
    assert all(one["since"] <= json.loads(shown.stdout)["time"] for one in plug["evidence"])
