"""The scenario of a variant, made from bytes that were read beforehand, so that any process or machine can make it.

What a sweep varies is put into the document and the document is read again as a whole: the reader of scenarios decides
what a field may hold, and its faults name path and value as they always do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from railwise.formats.document import load
from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.reader import API_VERSION
from railwise.formats.scenario.traffic import build_traffic
from railwise.formats.scenario.writer import scenario_text
from railwise.formats.sweep.model import Setting, Sweep
from railwise.formats.sweep.paths import NoSuchPlaceError, parse_path, with_value
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import Checkpoint, Group
from railwise.twin.sweep_traces import Files, Read, named_cluster, replayed, with_checkpoints, with_traffic

__all__ = ["Files", "Material", "Read", "collect", "scenario_of"]

INLINE: Final = "spec.scenario"
"""The name of a scenario that stands in the sweep itself."""


def scenario_of(sweep: Sweep, settings: Sequence[Setting], read: Read) -> Scenario:
    """Return the scenario with everything set. Raises InputError, and OSError where ``read`` does."""
    given = dict(settings)
    if sweep.trace is not None:
        return _finished(replayed(sweep.trace, _cluster(sweep, given, read), read), given)
    files = given.get("scenario", sweep.scenario)
    return _finished(_first_nodes(_read_scenario(_sources(files, read), files, given, read), given), given)


def _read_scenario(
    sources: list[tuple[str, bytes]], files: tuple[str, ...] | dict[str, Any], given: Mapping[str, Any], read: Read
) -> Scenario:
    """Return the scenario of sources with what is set at paths."""
    changes = [(key, value) for key, value in given.items() if key.startswith("spec.")]
    if changes:
        sources[0] = (sources[0][0], _changed(*sources[0], changes))
    beside = () if isinstance(files, dict) else files
    return read_inputs(sources, read_file=lambda name: read(name, beside))


def _cluster(sweep: Sweep, given: Mapping[str, Any], read: Read) -> Scenario | None:
    """Return the cluster of a trace with what is set in it; None: one that fits the trace."""
    where = given.get("cluster", sweep.cluster)
    if not where:
        lost = next((key for key in given if key == "nodes" or key.startswith("spec.")), "")
        if lost:
            hint = "spec.cluster: a scenario, the folder of a published map, or a size such as 500x8"
            raise InputError([Fault(lost, "is set in the cluster, but the sweep names none", hint)])
        return None
    found = named_cluster(where, read)
    files: tuple[str, ...] | dict[str, Any] = (where,)
    sources = [(where, scenario_text(found, "json").encode())] if found is not None else _sources((where,), read)
    return _first_nodes(_read_scenario(sources, files, given, read), given)


def _first_nodes(scenario: Scenario, given: Mapping[str, Any]) -> Scenario:
    return first_nodes(scenario, given["nodes"]) if "nodes" in given else scenario


def _finished(scenario: Scenario, given: Mapping[str, Any]) -> Scenario:
    """Return the scenario with what is set for its workloads."""
    if "traffic" in given:
        scenario = with_traffic(scenario, build_traffic(given["traffic"]))
    if "checkpoint" in given:
        every, restore = given["checkpoint"]["every"], given["checkpoint"].get("restore", 0)
        scenario = with_checkpoints(scenario, Checkpoint(every, restore))
    return at_load(scenario, given["load"]) if "load" in given else scenario


def _sources(files: tuple[str, ...] | dict[str, Any], read: Read) -> list[tuple[str, bytes]]:
    if isinstance(files, dict):
        document = {"apiVersion": API_VERSION, "kind": "Scenario", "spec": files}
        return [(INLINE, json.dumps(document, ensure_ascii=False, default=str).encode())]
    return [source for name in files for source in read(name, ())]


def _changed(name: str, data: bytes, changes: Sequence[tuple[str, object]]) -> bytes:
    """Return a file with values set in its first scenario."""
    values = [document.value for document in load(data, name)]
    kinds = [value.get("kind") if isinstance(value, dict) else None for value in values]
    if "Scenario" not in kinds:
        raise InputError([Fault(changes[0][0], "only a document of kind Scenario has such a field")], name)
    place = kinds.index("Scenario")
    for key, value in changes:
        try:
            values[place] = with_value(values[place], parse_path(key), value)
        except NoSuchPlaceError as error:
            raise InputError([Fault(key, str(error))], name) from None
    return "\n---\n".join(json.dumps(value, ensure_ascii=False, default=str) for value in values).encode()


def first_nodes(scenario: Scenario, count: int) -> Scenario:
    """Return the scenario with its first so many nodes and the events that speak of them.

    Raises InputError where there are fewer nodes, or where something runs on one that is left out.
    """
    if count > len(scenario.nodes):
        raise InputError([Fault("nodes", f"there are {len(scenario.nodes)} nodes, not {count}")])
    nodes = scenario.nodes[:count]
    kept = {node.name for node in nodes}
    for workload in scenario.workloads:
        outside = _running_on(workload.root) - kept
        if outside:
            raise InputError([Fault("nodes", f"{workload.name} runs on {min(outside)}, which is not among {count}")])
    changes = tuple(one for one in scenario.changes if one.target != "node" or one.names[0] in kept)
    failures = [replace(one, nodes=tuple(name for name in one.nodes if name in kept)) for one in scenario.failures]
    left = tuple(one for one in failures if one.nodes or one.level)
    return replace(scenario, nodes=nodes, changes=changes, failures=left)


def _running_on(group: Group) -> set[str]:
    here = {node for node in group.running.nodes if node is not None} if group.running is not None else set()
    return here.union(*(_running_on(child) for child in group.groups))


def at_load(scenario: Scenario, thousandths: int) -> Scenario:
    """Return the scenario with arrivals that much faster: at 2000 all come in half the time, as the same work."""
    return replace(
        scenario,
        workloads=tuple(
            replace(one, submit=one.submit * 1000 // thousandths) if one.submit > 0 else one
            for one in scenario.workloads
        ),
    )


class Material:
    """The files of a sweep, by the name under which its documents ask for them."""

    def __init__(self, files: Mapping[tuple[str, tuple[str, ...]], Files]) -> None:
        """Keep them."""
        self.files: Final = dict(files)

    def read(self, name: str, beside: tuple[str, ...]) -> Files:
        """Return what was read under a name; OSError where nothing was."""
        found = self.files.get((name, beside))
        if found is None:
            raise FileNotFoundError(2, "was not read when the sweep began", name)
        return found


def collect(sweep: Sweep, read: Read) -> Material:
    """Read every file that the sweep needs, and every value in its place, so that mistakes show before anything runs.

    Each value is tried beside the first value of each other parameter, in every scenario. Raises InputError, OSError.
    """
    files: dict[tuple[str, tuple[str, ...]], Files] = {}

    def reading(name: str, beside: tuple[str, ...]) -> Files:
        if (name, beside) not in files:
            files[name, beside] = read(name, beside)
        return files[name, beside]

    for settings in _trials(sweep):
        scenario_of(sweep, settings, reading)
    return Material(files)


def _trials(sweep: Sweep) -> list[tuple[Setting, ...]]:
    """Return the settings to try: one value at a time away from the first ones."""
    first = [axis.choices[0].settings for axis in sweep.axes]
    trials = [tuple(setting for settings in first for setting in settings)]
    bases = [place for place, axis in enumerate(sweep.axes) if axis.name == "scenario"]
    scenarios = [choice.settings for choice in sweep.axes[bases[0]].choices] if bases else [()]
    for place, axis in enumerate(sweep.axes):
        for choice in axis.choices:
            for base in scenarios:
                changed = list(first)
                if bases:
                    changed[bases[0]] = base
                changed[place] = choice.settings
                trials.append(tuple(setting for settings in changed for setting in settings))
    return list({json.dumps(trial, default=str): trial for trial in trials}.values())
