"""The runs of a sweep: scenarios with what was set, digests that say what a result is of, and what results say."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from railwise.formats.sweep.model import Sweep
from railwise.formats.sweep.reader import read_sweep
from railwise.model.errors import InputError
from railwise.report.run_data import Key
from railwise.twin.sweep import Cell, Numbers, Runner, cells_of
from railwise.twin.sweep_results import document, results_of
from railwise.twin.sweep_scenarios import Files, Material, collect, scenario_of

HOUR = 3_600_000_000

DAY: dict[str, Any] = {
    "topologies": [{"name": "fabric", "levels": ["rack"]}],
    "nodes": [{"name": "n[1-8]", "gpus": 8, "in": {"rack": "r[1-2]"}}],
    "queues": [{"name": "a"}, {"name": "b", "weight": 2}],
    "workloads": [
        {"name": "old", "queue": "a", "request": {"gpu": 8}, "running": {"nodes": ["n2"]}, "duration": "1h"},
        {"name": "j[1-6]", "queue": "b", "pods": 2, "request": {"gpu": 8}, "submit": "2h", "duration": "1h"},
    ],
    "events": [{"at": "3h", "node": "n7", "set": {"ready": False}}],
}


def scenario_text(spec: dict[str, Any]) -> bytes:
    return yaml.safe_dump({"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "spec": spec}).encode()


FILES = {
    "day.yaml": scenario_text(DAY),
    "nodes.yaml": scenario_text({key: DAY[key] for key in ("topologies", "nodes")}),
    "jobs.yaml": scenario_text({"workloads": [{"name": "j", "request": {"gpu": 8}, "duration": "1h"}]}),
    "pods.yaml": scenario_text({"manifests": ["node.yaml"]}),
    "node.yaml": b"apiVersion: v1\nkind: Node\nmetadata: {name: k1}\nstatus: {allocatable: {nvidia.com/gpu: '8'}}\n",
}


def disk(name: str, beside: tuple[str, ...]) -> Files:
    del beside
    if name not in FILES:
        raise FileNotFoundError(2, "no such file", name)
    return ((name, FILES[name]),)


def sweep(**spec: Any) -> Sweep:
    value = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Sweep", "spec": {"scenario": "day.yaml"} | spec}
    return read_sweep(yaml.safe_dump(value, sort_keys=False).encode())


def digests(known: Sweep) -> list[str]:
    return [cell.digest for cell in cells_of(known, collect(known, disk))]


def test_values_are_set_in_the_document() -> None:
    known = sweep(
        parameters={"spec.policy.backfill": ["none"], "spec.queues[b].weight": [5], "nodes": [6], "load": [4]}
    )
    (variant,) = known.variants()
    found = scenario_of(known, variant.settings, disk)
    assert found.policy.backfill == "none"
    assert {queue.name: queue.weight for queue in found.queues} == {"a": 1000, "b": 5000}
    assert [node.name for node in found.nodes] == [f"n{number}" for number in range(1, 7)]
    assert found.changes == ()
    assert [one.submit for one in found.workloads] == [0] + [HOUR // 2] * 6


def test_scenarios_inline_together_and_of_kubernetes() -> None:
    assert len(scenario_of(sweep(scenario=DAY), (), disk).nodes) == 8
    together = scenario_of(sweep(scenario=["nodes.yaml", "jobs.yaml"]), (), disk)
    assert (len(together.nodes), len(together.workloads)) == (8, 1)
    known = sweep(scenario="pods.yaml")
    material = collect(known, disk)
    assert [node.name for node in scenario_of(known, (), material.read).nodes] == ["k1"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"parameters": {"spec.policy.backfil": ["easy"]}}, "did you mean 'backfill'?"),
    ({"parameters": {"spec.policy.backfill": ["easy", "eas"]}}, "did you mean 'easy'?"),
    ({"parameters": {"spec.queues[c].weight": [1]}}, "no item named 'c'"),
    ({"parameters": {"nodes": [8, 9]}}, "there are 8 nodes, not 9"),
    ({"parameters": {"nodes": [8, 1]}}, "old runs on n2, which is not among 1"),
    ({"scenario": "node.yaml", "parameters": {"spec.policy.backfill": ["easy"]}}, "only a document of kind Scenario"),
    ({"variants": {"a": {}, "b": {"spec.nodes[0].gpus": "many"}}}, "spec.nodes[0].gpus"),
]


@pytest.mark.parametrize(("spec", "text"), MISTAKES)
def test_mistakes_show_before_anything_runs(spec: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError) as caught:
        collect(sweep(**spec), disk)
    assert text in str(caught.value)


def test_a_file_that_is_not_there_is_an_error_too() -> None:
    with pytest.raises(FileNotFoundError):
        collect(sweep(scenario="other.yaml"), disk)
    with pytest.raises(FileNotFoundError, match="was not read"):
        Material({}).read("day.yaml", ())


def test_runs_come_variant_by_variant_then_policy_then_seed() -> None:
    known = sweep(policies=["railwise", "flat"], seeds=2, parameters={"load": [1, 2]})
    cells = cells_of(known, collect(known, disk))
    assert [cell.name() for cell in cells] == [
        f"load={load} {policy} seed {seed}" for load in (1, 2) for policy in ("railwise", "flat") for seed in (0, 1)
    ]
    assert [cell.number for cell in cells] == list(range(8))
    assert len({cell.digest for cell in cells}) == 8


def test_a_digest_changes_with_everything_that_the_numbers_follow_from(monkeypatch: pytest.MonkeyPatch) -> None:
    base = digests(sweep())
    assert digests(sweep()) == base
    for other in (
        {"seeds": [1]},
        {"policies": ["flat"]},
        {"until": "5h"},
        {"resample": "jobs"},
        {"parameters": {"load": [1]}},
        {"scenario": ["nodes.yaml", "jobs.yaml"]},
        {"scenario": DAY},
    ):
        assert digests(sweep(**other)) != base, other
    monkeypatch.setitem(FILES, "day.yaml", FILES["day.yaml"] + b"# another day\n")
    assert digests(sweep()) != base


def test_a_digest_does_not_change_with_what_other_runs_need(monkeypatch: pytest.MonkeyPatch) -> None:
    base = digests(sweep(parameters={"scenario": ["day.yaml", "pods.yaml"]}))
    more = digests(sweep(policies=["railwise", "flat"], seeds=2, parameters={"scenario": ["day.yaml", "pods.yaml"]}))
    assert set(base) < set(more)
    monkeypatch.setitem(FILES, "node.yaml", FILES["node.yaml"] + b"# changed\n")
    changed = digests(sweep(parameters={"scenario": ["day.yaml", "pods.yaml"]}))
    assert (changed[0] == base[0], changed[1] == base[1]) == (True, False)


def runs(known: Sweep) -> list[tuple[Cell, Numbers]]:
    material = collect(known, disk)
    runner = Runner(known, material)
    return [(cell, runner.live(cell)) for cell in cells_of(known, material)]


def test_a_run_does_not_depend_on_those_before_it() -> None:
    known = sweep(policies=["random", "railwise"], seeds=3, resample="jobs", parameters={"load": [1, 2, 4]})
    material = collect(known, disk)
    forward = dict(runs(known))
    for cell in reversed(cells_of(known, material)):
        assert Runner(known, material).live(cell) == forward[cell]
    assert len({tuple(numbers.values()) for numbers in forward.values()}) > 4


def test_policies_see_the_same_arrivals() -> None:
    known = sweep(policies=["flat", "best-fit"], seeds=3, resample="jobs")
    comparisons = results_of(known, runs(known)).comparisons
    assert [one.pairs["workloads", ""].difference.mean for one in comparisons] == [0]


WAIT: Key = ("wait_mean", "")
HELD: Key = ("held", "")


def test_what_results_say() -> None:
    known = sweep(policies=["railwise", "flat"], seeds=3)
    cells = cells_of(known, collect(known, disk))
    waits = {"railwise": (12, 26, 5), "flat": (10, 20)}
    done: list[tuple[Cell, Numbers]] = [
        (cell, {HELD: 500} | ({WAIT: waits[cell.policy][cell.seed]} if cell.seed < len(waits[cell.policy]) else {}))
        for cell in cells
    ]
    results = results_of(known, done)
    means = {one.policy: one.means[WAIT] for one in results.summaries}
    assert (means["flat"].size, means["flat"].mean) == (2, 15)
    assert (means["railwise"].size, round(means["railwise"].mean, 3)) == (3, 14.333)
    (comparison,) = results.comparisons
    pair = comparison.pairs[WAIT]
    assert (comparison.policy, pair.difference.size, pair.difference.mean, pair.lower) == ("flat", 2, -4, 2)
    assert comparison.pairs[HELD].difference.size == 3
    told = document(known, results, done)
    assert told["differences"][0]["measures"]["waitMean"]["relative"] == pytest.approx(-4 / 19)
    assert [one["seed"] for one in told["cells"]] == [0, 1, 2, 0, 1, 2]
    assert document(known, results_of(known, done[::-1]), done[::-1]) == told


def test_results_of_a_part_leave_out_what_is_missing() -> None:
    known = sweep(policies=["railwise", "flat"], seeds=2)
    cells = cells_of(known, collect(known, disk))
    part = results_of(known, [(cells[3], {HELD: 1})])
    assert [one.policy for one in part.summaries] == ["flat"]
    assert part.comparisons == []
    assert results_of(known, []) == ([], [])
