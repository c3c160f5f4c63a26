"""``railwise fabric``: what it writes, and what it says when it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.cli.fabric_convert import FORMS, PROFILES
from railwise.cli.fabric_generate import DIALECTS, NAMES
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Dialect
from railwise.formats.fabric import forms
from railwise.formats.fabric.reader import read_fabric_text
from tests.cli.conftest import Railwise


def test_the_names_of_the_command_line_are_those_of_the_program() -> None:
    assert tuple(DESIGNS) == NAMES
    assert tuple(Dialect) == DIALECTS
    assert tuple(forms.FORMS) == FORMS
    assert forms.PROFILES == PROFILES


def test_a_fabric_is_written_to_a_file(railwise: Railwise, folder: Path) -> None:
    done = railwise("fabric", "generate", "rail-optimised", "--units", "2", "--rails", "4", "-o", "fabric.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("wrote fabric.yaml: 64 servers, 16 switches, 320 cables\n")
    assert len(read_fabric_text((folder / "fabric.yaml").read_bytes(), "fabric.yaml").servers) == 64


@pytest.mark.parametrize("name", NAMES)
def test_every_design_is_printed_as_a_fabric_that_reads_back(railwise: Railwise, name: str) -> None:
    done = railwise("fabric", "generate", name, "--units", "2", "--servers", "2")
    assert (done.code, done.err) == (0, "")
    assert read_fabric_text(done.out.encode(), "out").name == name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["torus"], "'torus' is not one of"),
        (["nvl72", "--seed", "4"], "--seed means nothing to nvl72"),
        (["irregular", "--gpus", "4"], "--gpus means nothing to irregular"),
        (["fat-tree", "--units", "10000", "--servers", "10000"], "100000000 servers are too many"),
        (["fat-tree", "--units", "0"], "0 is not in the range"),
    ],
)
def test_a_wrong_size_is_told(railwise: Railwise, line: list[str], message: str) -> None:
    done = railwise("fabric", "generate", *line)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "hint: " in done.err


@pytest.fixture
def fabric(railwise: Railwise, folder: Path) -> Path:
    """Return a small fabric with two faults in it and a third one after ten minutes."""
    path = folder / "fabric.yaml"
    railwise("fabric", "generate", "rail-optimised", "--units", "2", "--servers", "4", "--rails", "4", "-o", str(path))
    faults = """  actual:
  - {replug: [leaf-1/Ethernet0, leaf-6/Ethernet60]}
  - {nic: gpu-3/rail1, set: {up: false}}
  timeline:
  - {at: 10m, switch: leaf-2, set: {up: false}}
"""
    path.write_text(path.read_text() + faults)
    return path


def test_show_prints_groups_and_findings(railwise: Railwise, fabric: Path, golden: Callable[[str, str], None]) -> None:
    done = railwise("fabric", "show", fabric.name)
    assert done.code == 0
    golden("fabric/show.txt", done.transcript("railwise fabric show fabric.yaml"))


def test_show_draws(railwise: Railwise, fabric: Path, folder: Path) -> None:
    assert railwise("fabric", "show", fabric.name, "--svg", "out.svg").code == 0
    assert (folder / "out.svg").read_text().startswith("<svg ")
    done = railwise("fabric", "show", fabric.name, "--svg", "-")
    assert done.out.startswith("<svg ")


def test_check_names_what_differs_and_exits_1(
    railwise: Railwise, fabric: Path, golden: Callable[[str, str], None]
) -> None:
    done = railwise("fabric", "check", fabric.name, "-o", "wide")
    assert done.code == 1
    golden("fabric/check.txt", done.transcript("railwise fabric check fabric.yaml -o wide"))


def test_check_as_data(railwise: Railwise, fabric: Path) -> None:
    done = railwise("fabric", "check", fabric.name, "-o", "json")
    items = json.loads(done.out)["items"]
    wrong = next(one for one in items if one["kind"] == "Miswired")
    assert wrong["ports"] == ["gpu-1/eth0", "leaf-6/Ethernet60"]
    assert wrong["expected"] == ["leaf-1/Ethernet0", ""]


def test_a_timeline_is_played_until_a_time(railwise: Railwise, fabric: Path) -> None:
    before = railwise("fabric", "check", fabric.name, "--at", "9m").out
    after = railwise("fabric", "check", fabric.name, "--at", "10m").out
    assert "gpu-2/eth1" not in before
    assert "no link between gpu-2/eth1 and leaf-2/Ethernet4" in after


def test_another_file_says_how_it_is(railwise: Railwise, folder: Path) -> None:
    sizes = ["--units", "2", "--servers", "4", "--rails", "4"]
    railwise("fabric", "generate", "rail-optimised", *sizes, "-o", "meant.yaml")
    good = railwise("fabric", "check", "meant.yaml")
    assert (good.out, good.code) == ("As it is meant: 96 cables, 8 servers.\n", 0)
    railwise("fabric", "convert", "meant.yaml", "--to", "ptm", "-o", "topology.dot")
    dot = (folder / "topology.dot").read_text().replace('"gpu-1":"eth0" -- "leaf-1"', '"gpu-1":"eth0" -- "leaf-8"')
    (folder / "actual.dot").write_text(dot.replace('"leaf-8":"Ethernet0"\n', '"leaf-8":"Ethernet60"\n', 1))
    done = railwise("fabric", "check", "topology.dot", "--actual", "actual.dot")
    assert done.code == 1
    assert "gpu-1/eth0 leads to leaf-8/Ethernet60, should lead to leaf-1/Ethernet0" in done.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["show", "nowhere.yaml"], "nowhere.yaml: no such file"),
        (["show", "fabric.yaml", "--from", "lego"], "unknown form 'lego'"),
        (["check", "fabric.yaml", "--at", "soon"], "--at: expected a duration"),
        (["show", "two-units.yaml", "--from", "fabric"], "kind: expected 'Fabric'"),
        (["convert", "fabric.yaml", "two-units.yaml", "--from", "fabric"], "2 files, but one topology"),
        (["convert", "fabric.yaml", "--to", "air", "--queue", "mixed:3"], "--queue makes workloads"),
        (["convert", "fabric.yaml", "--to", "lego"], "'lego' is not one of"),
    ],
)
def test_what_cannot_be_shown_is_told(railwise: Railwise, fabric: Path, line: list[str], message: str) -> None:
    assert fabric.exists()
    done = railwise("fabric", *line)
    assert done.code == 2
    assert message in done.err
    assert "hint: " in done.err or "kind:" in message


def test_a_published_form_becomes_a_scenario_that_plans(railwise: Railwise, folder: Path) -> None:
    model = (
        "switches: {s: {switches: [a, b]}}\nblocks: [{switch: a, nodes: ['n[1-2]']}, {switch: b, nodes: ['n[3-4]']}]"
    )
    (folder / "model.yaml").write_text(model)
    assert railwise("fabric", "convert", "model.yaml", "--gpus", "8", "-o", "s.yaml").code == 0
    assert "leaf-group a,b" in railwise("get", "topology", "s.yaml").out
