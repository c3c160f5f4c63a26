from __future__ import annotations

from pathlib import Path

import pytest

from railwise.cli.main import run
from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario

TOPO = "ip,DSW,PSW,ASW\n" + "".join(f"{index:064x},G1,P{index % 2},S{index // 4}\n" for index in range(32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "map").mkdir()
    (tmp_path / "map" / "topo.csv").write_text(TOPO)
    (tmp_path / "map" / "README.md").write_text("not a table")
    return tmp_path / "map"


def test_a_folder_becomes_a_scenario_with_a_queue(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder.parent / "out.yaml"
    assert run(["fabric", "convert", str(folder), "--queue", "mixed:5", "--gpus", "4", "-o", str(target)]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {target}: 32 nodes and 5 workloads")
    (document,) = load(target.read_bytes(), "out.yaml")
    scenario = read_scenario(document.value)
    assert [node.name for node in scenario.nodes[:3]] == ["p0-s0-1", "p0-s0-2", "p0-s1-1"]
    assert {node.card_count() for node in scenario.nodes} == {4}
    assert len(scenario.workloads) == 5


def test_another_seed_draws_another_queue_and_the_scenario_goes_to_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for seed in ("1", "1", "2"):
        assert run(["fabric", "convert", str(folder / "topo.csv"), "--queue", "mixed:5", "--seed", seed]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]
    assert outputs[0].startswith("apiVersion: railwise.dev/v1alpha1\nkind: Scenario\n")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nowhere"], "no such file"),
        (["{folder}", "--from", "philly"], "unknown data set"),
        (["{folder}/README.md"], "no form that is known"),
        (["{folder}", "--queue", "many"], "mixed:COUNT"),
        (["{folder}", "--gpus", "0", "--queue", "mixed:5"], "no node has cards"),
        (["{folder}", "--from", "zhejianglab-a100-2000"], "needs the file cluster_topology.csv"),
    ],
)
def test_what_cannot_be_converted_says_what_would(
    arguments: list[str], word: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fabric", "convert", *(argument.format(folder=folder) for argument in arguments)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert word in printed.err
