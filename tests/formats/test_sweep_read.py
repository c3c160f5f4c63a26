"""Sweeps are read strictly: the grid that follows from a document, and every fault with its path."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from railwise.formats.schema import schema_of
from railwise.formats.sweep.model import Sweep
from railwise.formats.sweep.paths import Item, NoSuchPlaceError, parse_path, with_value
from railwise.formats.sweep.reader import read_sweep
from railwise.model.errors import InputError
from tests.formats.schema_check import problems


def document(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": "Sweep", "spec": {"scenario": "day.yaml"} | spec}


def read(**spec: Any) -> Sweep:
    return read_sweep(yaml.safe_dump(document(**spec), sort_keys=False).encode(), "s.yaml")


GRIDS: list[tuple[dict[str, Any], list[dict[str, str]]]] = [
    ({}, [{}]),
    ({"parameters": {"load": [1]}}, [{}]),
    (
        {"parameters": {"load": [0.5, 2], "spec.policy.backfill": ["easy", "none"]}},
        [
            {"load": "0.5", "policy.backfill": "easy"},
            {"load": "0.5", "policy.backfill": "none"},
            {"load": "2", "policy.backfill": "easy"},
            {"load": "2", "policy.backfill": "none"},
        ],
    ),
    (
        {"parameters": {"nodes": [4, 8]}, "variants": {"as-is": {}, "late": {"load": 0.5, "spec.events": []}}},
        [
            {"nodes": "4", "variant": "as-is"},
            {"nodes": "4", "variant": "late"},
            {"nodes": "8", "variant": "as-is"},
            {"nodes": "8", "variant": "late"},
        ],
    ),
    (
        {"parameters": {"spec.policy.defrag": {"off": None, "one move": {"maxMoves": 1}}}},
        [{"policy.defrag": "off"}, {"policy.defrag": "one move"}],
    ),
    (
        {"parameters": {"scenario": ["a.yaml", ["b.yaml", "c.yaml"]]}},
        [{"scenario": "a.yaml"}, {"scenario": '["b.yaml", "c.yaml"]'}],
    ),
]


@pytest.mark.parametrize(("spec", "labels"), GRIDS)
def test_the_grid(spec: dict[str, Any], labels: list[dict[str, str]]) -> None:
    sweep = read(**spec, policies=["railwise", "flat", "railwise"], seeds=3)
    assert [dict(variant.labels) for variant in sweep.variants()] == labels
    assert sweep.size() == len(labels) * 2 * 3
    assert (sweep.policies, sweep.against, sweep.seeds) == (("railwise", "flat"), "railwise", (0, 1, 2))


def test_what_a_variant_sets() -> None:
    sweep = read(parameters={"load": [0.5]}, variants={"late": {"spec.policy.backfill": "none", "nodes": 4}})
    (variant,) = sweep.variants()
    assert variant.labels == ()
    assert variant.settings == (("load", 500), ("spec.policy.backfill", "none"), ("nodes", 4))


def test_defaults_and_other_keys() -> None:
    bare = read()
    assert (bare.policies, bare.seeds, bare.resample, bare.until) == (("railwise",), (0,), None, 0)
    full = read(policies=["flat", "spread"], against="spread", seeds=[7, 3], resample="blocks:6h", until="2d")
    assert (full.against, full.seeds, full.resample, full.until) == (
        "spread",
        (7, 3),
        ("blocks", 21_600_000_000),
        172_800_000_000,
    )


FAULTS: list[tuple[dict[str, Any], str, str]] = [
    ({"polices": ["flat"]}, "spec.polices", "did you mean 'policies'?"),
    ({"policies": ["flt"]}, "spec.policies[0]", "did you mean 'flat'?"),
    ({"policies": []}, "spec.policies", "at least 1 item"),
    ({"policies": ["flat"], "against": "railwise"}, "spec.against", "none of the policies of this sweep: flat"),
    ({"seeds": 0}, "spec.seeds", "from 1 to 10000"),
    ({"seeds": [1, 1]}, "spec.seeds", "named twice"),
    ({"resample": "block"}, "spec.resample", "no way 'block'"),
    ({"until": "7"}, "spec.until", "a duration with its unit"),
    ({"parameters": {"lod": [1]}}, "spec.parameters.lod", "did you mean 'load'?"),
    ({"parameters": {"load": [0]}}, "spec.parameters.load[0]", "expected a number"),
    ({"parameters": {"load": 2}}, "spec.parameters.load", "expected a list of values"),
    ({"parameters": {"nodes": []}}, "spec.parameters.nodes", "at least 1 value"),
    ({"parameters": {"nodes": [4, 4]}}, "spec.parameters.nodes", "two values are called '4'"),
    ({"parameters": {"spec.policy..x": [1]}}, 'spec.parameters["spec.policy..x"]', "expected a path"),
    ({"parameters": {"spec.a[": [1]}}, 'spec.parameters["spec.a["]', "expected a path"),
    ({"parameters": {"spec.seed": [1]}}, 'spec.parameters["spec.seed"]', "the seed is no parameter"),
    ({"parameters": {"load": {"": 1}}}, 'spec.parameters.load[""]', "the name:"),
    ({"parameters": {"load": [1]}, "variants": {"a": {"load": 1}}}, "spec.variants", "'load' is a parameter already"),
    ({"variants": {}}, "spec.variants", "at least 1 variant"),
    ({"variants": {"a": 3}}, "spec.variants.a", "expected a mapping"),
    ({"variants": {"a": {"lod": 3}}}, "spec.variants.a.lod", "did you mean 'load'?"),
    ({"parameters": {"nodes": list(range(1, 2000))}, "seeds": 1000}, "spec", "1999000 runs, at most 1000000"),
]


@pytest.mark.parametrize(("spec", "path", "text"), FAULTS)
def test_faults(spec: dict[str, Any], path: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(**spec)
    assert [fault.path for fault in caught.value.faults] == [path]
    assert text in caught.value.faults[0].message


def test_a_sweep_of_no_scenario_is_none() -> None:
    bare = document()
    del bare["spec"]["scenario"]
    with pytest.raises(InputError, match="'scenario' or 'trace' is required"):
        read_sweep(yaml.safe_dump(bare).encode())
    bare["spec"]["parameters"] = {"scenario": ["a.yaml"]}
    assert read_sweep(yaml.safe_dump(bare).encode()).scenario == ()


def test_all_faults_are_named_in_one_go() -> None:
    with pytest.raises(InputError) as caught:
        read(seeds=0, until="x", policies=["y"], parameters={"z": []})
    assert len(caught.value.faults) == 4


@pytest.mark.parametrize(
    "text", ["[]", "3", "kind: Sweep", "{apiVersion: railwise.dev/v1alpha1, kind: Scenario, spec: {}}"]
)
def test_what_is_no_sweep_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_sweep(text.encode(), "s.yaml")


def test_the_schema_takes_what_the_reader_takes() -> None:
    schema = schema_of("sweep")
    for spec, _ in GRIDS:
        assert problems(document(**spec), schema) == []
    for spec, path, _ in FAULTS[:3]:
        assert problems(document(**spec), schema), path


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("spec.policy.backfill", ("spec", "policy", "backfill")),
        ("spec.nodes[0].name", ("spec", "nodes", 0, "name")),
        ("spec.queues[nlp].weight", ("spec", "queues", Item("nlp"), "weight")),
        ('spec.nodes[*].labels["a.b/c"]', ("spec", "nodes", Item("*"), "labels", "a.b/c")),
    ],
)
def test_paths(text: str, steps: tuple[Any, ...]) -> None:
    found = parse_path(text)
    assert found == steps
    assert [type(step) for step in found] == [type(step) for step in steps]


@pytest.mark.parametrize(
    "text", ["", ".", ".spec", "spec.", "spec..a", "spec[", "spec[]", 'spec["a]', "spec a", "spec[A]"]
)
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(ValueError, match="expected a path"):
        parse_path(text)


def test_setting_leaves_the_document_as_it_is() -> None:
    before: dict[str, Any] = {"spec": {"queues": [{"name": "a", "weight": 1}, {"name": "b"}], "policy": None}}
    copy = yaml.safe_load(yaml.safe_dump(before))
    assert with_value(before, parse_path("spec.queues[b].weight"), 7) == {
        "spec": {"queues": [{"name": "a", "weight": 1}, {"name": "b", "weight": 7}], "policy": None}
    }
    assert with_value(before, parse_path("spec.queues[*].quota.gpu"), 8) == {
        "spec": {
            "queues": [{"name": "a", "weight": 1, "quota": {"gpu": 8}}, {"name": "b", "quota": {"gpu": 8}}],
            "policy": None,
        }
    }
    assert with_value(before, parse_path("spec.policy.defrag.maxMoves"), 2) == {
        "spec": {"queues": before["spec"]["queues"], "policy": {"defrag": {"maxMoves": 2}}}
    }
    assert before == copy


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("spec.queues[c].weight", "spec.queues has no item named 'c'"),
        ("spec.queues[2].weight", "spec.queues has 2 items, so there is no [2]"),
        ("spec.policy[0]", "spec.policy is no list"),
        ("spec.queues.weight", "spec.queues is no mapping, so it has no field 'weight'"),
    ],
)
def test_paths_that_lead_nowhere(path: str, text: str) -> None:
    with pytest.raises(NoSuchPlaceError, match=text.replace("[", r"\[")):
        with_value({"spec": {"queues": [{"name": "a"}, {"name": "b"}]}}, parse_path(path), 1)
