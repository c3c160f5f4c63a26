"""Reading a sweep: every fault is named in one go, each with its path, before anything runs.

Whether a value suits the field of the scenario that it is put into is found by reading the scenario with it (see
``twin/sweep_scenarios.py``), so that no second list of fields can drift from the first.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from railwise.formats.document import load
from railwise.formats.faults import Faults, at_key, described, guess, shown
from railwise.formats.kinds import Kind, Parsed, Whole
from railwise.formats.scenario.reader import check_kind
from railwise.formats.scenario.traffic import TRAFFIC
from railwise.formats.scenario.workloads import CHECKPOINT_RECORD
from railwise.formats.sweep.model import Axis, Choice, Setting, Sweep, Trace
from railwise.formats.sweep.paths import parse_path
from railwise.formats.sweep.records import LABEL, SCENARIO, SWEEP
from railwise.formats.sweep.ways import parse_way
from railwise.formats.terms import MOST_NODES, PATH
from railwise.formats.traces.assumptions import assumed
from railwise.formats.traces.job_trace import LoadOptions
from railwise.model.errors import Fault, InputError
from railwise.model.quantity import EXPECTED_THOUSANDTHS, parse_thousandths

MOST_RUNS = 1_000_000
"""A sweep has at most so many runs."""

MOST_LETTERS = 40
"""A value is shown with at most so many letters; a longer one wants a name."""

SPECIAL: dict[str, Kind[Any]] = {
    "load": Parsed(parse_thousandths, EXPECTED_THOUSANDTHS, "", numbers=True, least=1),
    "nodes": Whole(1, MOST_NODES),
    "scenario": SCENARIO,
    "cluster": PATH,
    "traffic": TRAFFIC,
    "checkpoint": CHECKPOINT_RECORD,
}
"""The parameters that are no path into the scenario."""

VARIANT = "variant"
"""The name of the axis that ``variants`` makes."""


def read_sweep(data: bytes, source: str = "") -> Sweep:
    """Return the sweep of a file of one document; raises InputError with every fault."""
    documents = load(data, source)
    if len(documents) > 1:
        raise InputError([Fault("", f"expected one sweep, not {len(documents)} documents")], source)
    value = documents[0].value
    if not isinstance(value, dict):
        raise InputError([Fault("", f"expected a mapping with apiVersion, kind and spec, not {described(value)}")])
    check_kind(value, "Sweep", source)
    faults = Faults()
    entries = SWEEP.read(value, "", faults) or {}
    sweep = _built(entries.get("metadata", {}).get("name", ""), entries.get("spec", {}), faults)
    faults.raise_any(source)
    return sweep


def _built(name: str, spec: dict[str, Any], faults: Faults) -> Sweep:
    axes = [_axis(key, value, faults) for key, value in spec.get("parameters", {}).items()]
    if "variants" in spec:
        axes.append(_variants(spec["variants"], faults))
    _check_keys(axes, faults)
    scenario = spec.get("scenario")
    _check_source(spec, {name for axis in axes for name in _keys(axis)}, faults)
    policies = tuple(dict.fromkeys(spec.get("policies", ["railwise"])))
    against = spec.get("against", policies[0] if policies else "")
    if policies and against not in policies:
        faults.add("spec.against", f"'{against}' is none of the policies of this sweep: {', '.join(policies)}")
    sweep = Sweep(
        name=name,
        scenario=_files(scenario),
        policies=policies,
        against=against,
        seeds=_seeds(spec.get("seeds", 1), faults),
        resample=_resample(spec.get("resample"), faults),
        until=spec.get("until", 0),
        axes=tuple(axis for axis in axes if axis.choices),
        trace=_trace(spec["trace"], faults) if "trace" in spec else None,
        cluster=spec.get("cluster", ""),
    )
    if sweep.size() > MOST_RUNS:
        faults.add("spec", f"{sweep.size()} runs, at most {MOST_RUNS} are made")
    return sweep


def _check_source(spec: dict[str, Any], varied: set[str], faults: Faults) -> None:
    """Name what is missing, or too much, of a scenario or a trace with its cluster."""
    scenario = "scenario" in spec or "scenario" in varied
    if "trace" in spec and scenario:
        faults.add("spec.trace", "a sweep has a scenario or a trace, not both", "cluster: says where a trace runs")
    elif "trace" not in spec and ("cluster" in spec or "cluster" in varied):
        faults.add("spec", "the field 'trace' is required where there is a cluster")
    elif "trace" not in spec and not scenario:
        hint = "name a file: `railwise init` writes one to start from"
        faults.add("spec", "the field 'scenario' or 'trace' is required", hint)


def _trace(record: dict[str, Any], faults: Faults) -> Trace:
    assume = tuple(f"{key}={value}" for key, value in record.get("assume", {}).items())
    try:
        assumed(assume, LoadOptions())
    except InputError as error:
        for fault in error.faults:
            faults.add("spec.trace.assume", fault.message, fault.hint)
    start, until, files = record.get("from", 0), record.get("until", 0), record.get("files", [])
    if until and until <= start:
        faults.add("spec.trace.until", "expected more than 'from': both count from the first submission")
    return Trace(
        kind=record.get("kind", ""),
        files=(files,) if isinstance(files, str) else tuple(files),
        jobs=record.get("jobs", 0),
        start=start,
        until=until,
        skip_bad=record.get("skipBad", False),
        assume=assume,
    )


def _files(scenario: object) -> tuple[str, ...] | dict[str, Any]:
    if isinstance(scenario, dict):
        return scenario
    return (scenario,) if isinstance(scenario, str) else tuple(scenario) if isinstance(scenario, list) else ()


def _seeds(value: int | list[int], faults: Faults) -> tuple[int, ...]:
    if isinstance(value, int):
        return tuple(range(value))
    twice = [seed for seed, times in Counter(value).items() if times > 1]
    if twice:
        faults.add("spec.seeds", f"the seed {twice[0]} is named twice")
    return tuple(value)


def _resample(text: str | None, faults: Faults) -> tuple[str, int] | None:
    if text is None:
        return None
    try:
        return parse_way(text, "spec.resample")
    except InputError as error:
        faults.found.extend(error.faults)
        return None


def _axis(key: str, value: object, faults: Faults) -> Axis:
    """Return one parameter with its values: a list, or a mapping from names to values."""
    path = at_key("spec.parameters", key)
    if not _known(key, path, faults):
        return Axis(key, ())
    if isinstance(value, dict):
        named = [(str(label), item, at_key(path, label)) for label, item in value.items()]
        for label, _, where in named:
            _check_label(label, where, faults)
    elif isinstance(value, list):
        named = [(_label(item), item, f"{path}[{index}]") for index, item in enumerate(value)]
    else:
        faults.add(path, f"expected a list of values or a mapping from names to values, not {described(value)}")
        return Axis(key, ())
    if not named:
        faults.add(path, "expected at least 1 value")
    same = [label for label, times in Counter(label for label, _, _ in named).items() if times > 1]
    if same:
        faults.add(path, f"two values are called {shown(same[0])}", "name them: a mapping from names to values")
    return Axis(
        key.removeprefix("spec."),
        tuple(Choice(label, (_setting(key, item, where, faults),)) for label, item, where in named),
    )


def _variants(value: dict[str, Any], faults: Faults) -> Axis:
    choices = []
    for label, settings in value.items():
        path = at_key("spec.variants", label)
        _check_label(str(label), path, faults)
        if not isinstance(settings, dict):
            faults.add(path, f"expected a mapping from parameters to their values, not {described(settings)}")
            continue
        choices.append(
            Choice(
                str(label),
                tuple(
                    _setting(key, item, at_key(path, key), faults)
                    for key, item in settings.items()
                    if _known(key, at_key(path, key), faults)
                ),
            )
        )
    if not value:
        faults.add("spec.variants", "expected at least 1 variant")
    return Axis(VARIANT, tuple(choices))


def _known(key: object, path: str, faults: Faults) -> bool:
    """Return whether a key is something that can be varied."""
    if isinstance(key, str) and key in SPECIAL:
        return True
    if key == "spec.seed":
        faults.add(path, "the seed is no parameter", "spec.seeds of the sweep says which seeds are run")
        return False
    if isinstance(key, str) and key.startswith("spec."):
        try:
            parse_path(key)
        except ValueError as error:
            faults.add(path, str(error))
            return False
        return True
    likely = guess(key, SPECIAL)
    faults.add(
        path, f"unknown parameter{likely}", f"known are {', '.join(SPECIAL)} and paths such as spec.policy.backfill"
    )
    return False


def _setting(key: str, value: object, path: str, faults: Faults) -> Setting:
    kind = SPECIAL.get(key)
    read = value if kind is None else kind.read(value, path, faults)
    return key, _files(read) if key == "scenario" else read


def _check_label(label: str, path: str, faults: Faults) -> None:
    problem = LABEL.problem(label)
    if problem:
        faults.add(path, f"the name: {problem}")


def _label(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _check_keys(axes: list[Axis], faults: Faults) -> None:
    """Name what two axes set at once: one of the two would be lost."""
    owners = Counter(key for axis in axes for key in set(_keys(axis)))
    for key, times in owners.items():
        if times > 1:
            faults.add("spec.variants", f"'{key}' is a parameter already")


def _keys(axis: Axis) -> list[str]:
    return [key for choice in axis.choices for key, _ in choice.settings]
