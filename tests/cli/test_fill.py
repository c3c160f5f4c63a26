"""``railwise fill`` and ``railwise learn``: what they print, and what they say to bad input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Railwise
from tests.formats.traces.test_openb import NODE_FILE, NODES, POD_FILE, PODS

SHARED = """\
apiVersion: railwise.dev/v1alpha1
kind: Scenario
metadata:
  name: shared
spec:
  nodes:
  - {name: "n[1-4]", gpus: 4, resources: {cpu: 32}}
  - {name: "s[1-2]", gpu: {count: 1, model: T4}, resources: {cpu: 8}}
  workloads:
  - {name: tiny, request: {gpu: 0.2, cpu: 2}}
  - {name: half, request: {gpu: 0.6, cpu: 4}}
  - {name: one, request: {gpu: 1, cpu: 8}}
  - {name: other, request: {gpu: 1, cpu: 8}}
  - {name: four, request: {gpu: 4, cpu: 16}}
  - {name: t4, request: {gpu: 1, cpu: 4}, gpu: {model: T4}}
  - {name: bare, request: {cpu: 8}}
"""
CASES = {
    "fill": "fill shared.yaml --seeds 2",
    "fill-wide": "fill shared.yaml --policy railwise --policy random --demand 80 -o wide",
    "fill-json": "fill shared.yaml --policy fgd -o json",
    "fill-openb": "fill --trace openb --cluster set set --policy fgd --policy gpu-packing",
    "fill-two-lists": "fill --trace openb --cluster set set other --policy fgd --policy weighted-fit",
    "fill-no-file": "fill",
    "fill-no-cards": "fill bare.yaml",
    "fill-no-workloads": "fill empty.yaml",
    "fill-no-trace": "fill shared.yaml --cluster set",
    "fill-no-jobs": "fill --trace openb nothing",
    "fill-from": "fill --trace openb set --from 1h",
    "learn": "learn shared.yaml --cover 80",
    "learn-yaml": "learn shared.yaml -o yaml --cover 100",
    "learn-openb": "learn --trace openb set",
    "learn-nothing": "learn empty.yaml",
}


@pytest.fixture
def histories(folder: Path) -> Path:
    """Put a scenario with shares and a small trace beside the examples."""
    (folder / "shared.yaml").write_text(SHARED)
    head = "apiVersion: railwise.dev/v1alpha1\nkind: Scenario\nspec:\n"
    (folder / "bare.yaml").write_text(head + "  nodes: [{name: n1}]\n  workloads: [{name: w}]\n")
    (folder / "empty.yaml").write_text(head + "  nodes: [{name: n1, gpus: 8}]\n")
    (folder / "set").mkdir()
    (folder / "set" / NODE_FILE).write_text(NODES)
    (folder / "set" / POD_FILE).write_text(PODS)
    (folder / "other").mkdir()
    (folder / "other" / "openb_pod_list_cpu050.csv").write_text(PODS)
    (folder / "nothing").mkdir()
    return folder


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("histories")
def test_output(name: str, railwise: Railwise, golden: Callable[[str, str], None]) -> None:
    golden(f"fill/{name}.txt", railwise(*shlex.split(CASES[name])).transcript(f"railwise {CASES[name]}"))


def test_what_was_learned_can_be_pasted_into_the_scenario(histories: Path, railwise: Railwise) -> None:
    document = yaml.safe_load(SHARED)
    learned = yaml.safe_load(railwise("learn", "shared.yaml", "-o", "yaml").out)
    document["spec"]["policy"] = learned["spec"]["policy"]
    (histories / "pasted.yaml").write_text(yaml.safe_dump(document))
    filled = railwise("fill", "pasted.yaml", "-o", "json")
    assert filled == railwise("fill", "shared.yaml", "-o", "json")
    assert railwise("plan", "pasted.yaml").code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("histories")
def test_runs_side_by_side_print_the_same(railwise: Railwise) -> None:
    one, two = (railwise("fill", "shared.yaml", "--seeds", "3", "--processes", count) for count in ("1", "2"))
    assert one == two
    assert one.code == 0


@pytest.mark.usefixtures("histories")
def test_the_order_of_nodes_changes_nothing_of_ours(railwise: Railwise) -> None:
    told = {
        json.dumps(json.loads(railwise("fill", "shared.yaml", "--node-order", order, "-o", "json").out)["items"][0])
        for order in ("1", "2", "3")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    ("entry", "path", "word"),
    [
        ("{weight: 0, gpu: 1}", "spec.policy.mix[0].weight", "expected a whole number from 1"),
        ("{gpu: 1}", "spec.policy.mix[0].weight", "the field 'weight' is required"),
        ("{weight: 1, gpu: 1.5}", "spec.policy.mix[0].gpu", "expected whole cards or a share of one card"),
        ("{weight: 1, cpu: 1, model: T4}", "spec.policy.mix[0].model", "a pod without cards accepts any model"),
        ("{weight: 1, gpus: 1}", "spec.policy.mix[0].gpus", "did you mean 'gpu'?"),
        ("{weight: 1, memory: 1Gi}", "spec.policy.mix[0].memory", "memory does not count here"),
    ],
)
def test_a_faulty_mix_is_named_by_its_path(
    entry: str, path: str, word: str, histories: Path, railwise: Railwise
) -> None:
    (histories / "faulty.yaml").write_text(SHARED + f"  policy: {{mix: [{entry}]}}\n")
    done = railwise("plan", "faulty.yaml")
    assert done.code == 2
    assert path in done.err
    assert word in done.err
