"""The strict reader of scenario documents: everything is read or refused, and all faults are named in one go.

Three answers, by who can have made the mistake (see the user guide on bad input): *refused* is what no cluster can
contain, only a typist; a workload that contradicts itself loads and *waits*; what a live cluster may contain loads with
a *warning*. So a snapshot of any cluster opens, and no misspelt rule is ever dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from railwise.fabric.elements import Fabric
from railwise.formats.faults import Faults, at_key, described, guess
from railwise.formats.kinds import Anything, ByForm, ListOf, Whole
from railwise.formats.merge import merge
from railwise.formats.records import Field, Record
from railwise.formats.scenario.events import EVENTS, build_changes
from railwise.formats.scenario.failures import FAILURES, build_failures
from railwise.formats.scenario.manifests import ReadFile, read_manifests
from railwise.formats.scenario.nodes import NODES, build_nodes
from railwise.formats.scenario.policy import POLICY_RECORD, build_policy
from railwise.formats.scenario.queues import QUEUES, build_queues
from railwise.formats.scenario.topology import TOPOLOGIES, build_topologies
from railwise.formats.scenario.warnings import warn
from railwise.formats.scenario.workloads import WORKLOADS, build_workloads
from railwise.formats.terms import LABELS, NAME, NOTE, PATH
from railwise.model.errors import Fault, InputError
from railwise.model.scenario import Scenario

API_VERSION = "railwise.dev/v1alpha1"
HEAD = ("apiVersion", "kind", "metadata", "spec")
"""The fields of every document."""

KINDS = ("Scenario", "Plan", "Case", "Fabric", "Discovery", "Sweep")


OBJECT = Anything({"type": "object"})
"""A mapping that is read elsewhere, or not at all."""

MANIFESTS = ListOf(ByForm[Any]("a path or a Kubernetes object", {str: PATH, dict: OBJECT}))

SPEC_RECORD = Record(
    "ScenarioSpec",
    {
        "seed": Field(Whole(0, (1 << 63) - 1), "seed of all chance; default 0"),
        "topologies": Field(TOPOLOGIES, "named trees over the nodes, the first is the default"),
        "nodes": Field(NODES, "the nodes, in the order that breaks ties"),
        "queues": Field(QUEUES, "the queues"),
        "workloads": Field(WORKLOADS, "the workloads, in order of submission where `submit` is equal"),
        "policy": Field(POLICY_RECORD, "knobs of the decision"),
        "events": Field(EVENTS, "what happens during a simulation"),
        "failures": Field(FAILURES, "what breaks by chance during a simulation"),
        "fabric": Field(PATH, "a file of kind Fabric"),
        "manifests": Field(MANIFESTS, "Kubernetes objects, or paths of files and folders with them"),
    },
    hints={"jobs": "did you mean 'workloads'?", "topology": "did you mean 'topologies'?"},
)

METADATA_RECORD = Record(
    "Metadata",
    {
        "name": Field(NAME, "the name of the document"),
        "labels": Field(LABELS, "labels"),
        "annotations": Field(ByForm[Any]("a mapping", {dict: OBJECT}, or_nothing=True), "not read"),
        "source": Field(NOTE, "where it comes from"),
        "notes": Field(NOTE, "what it is for"),
    },
)


def read_scenario(value: object, source: str = "", read_file: ReadFile | None = None) -> Scenario:
    """Return the scenario of a whole document.

    ``read_file`` finds the files that ``manifests`` names. Raises InputError with all faults.
    """
    faults = Faults()
    return _complete(draft_document(value, source, read_file, faults), source, read_file, faults)


def read_spec(spec: object, source: str = "", read_file: ReadFile | None = None) -> Scenario:
    """Return the scenario of a ``spec`` alone, as a policy test holds it. Raises InputError with all faults."""
    faults = Faults()
    return _complete(draft(spec, "", read_file, faults), source, read_file, faults)


def check_kind(value: dict[str, Any], wanted: str, source: str) -> None:
    """Raise InputError unless the document is of the wanted kind; the kind decides how all the rest is read."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if version != API_VERSION:
        found = "it is missing" if "apiVersion" not in value else f"not {described(version)}"
        raise InputError([Fault("apiVersion", f"expected '{API_VERSION}', {found}")], source)
    if kind != wanted:
        found = "it is missing" if "kind" not in value else f"not {described(kind)}{guess(kind, KINDS)}"
        raise InputError([Fault("kind", f"expected '{wanted}', {found}")], source)


def read_head(
    value: object, kind: str, fields: Mapping[str, Field], source: str, faults: Faults
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a whole document and its metadata; ``fields`` are those of its ``spec``, which are no fields of its own.

    Raises InputError if it is no mapping, or of another kind; other faults are noted.
    """
    if not isinstance(value, dict):
        message = f"expected a mapping with apiVersion, kind and spec, not {described(value)}"
        raise InputError([Fault("", message)], source)
    check_kind(value, kind, source)
    for key in value:
        if key not in HEAD:
            belongs = ", it belongs under 'spec'" if key in fields else ""
            faults.add(at_key("", key), f"unknown field{guess(key, HEAD) or belongs}")
    return value, METADATA_RECORD.read(value.get("metadata") or {}, "metadata", faults) or {}


class Draft(NamedTuple):
    """A document as read, before what it says about other documents' nodes is checked."""

    scenario: Scenario
    events: list[dict[str, Any]]
    failures: list[dict[str, Any]]


def draft_document(value: object, source: str, read_file: ReadFile | None, faults: Faults) -> Draft:
    """Return what a whole document says by itself; faults are noted, InputError if it is no scenario at all."""
    document, metadata = read_head(value, "Scenario", SPEC_RECORD.fields, source, faults)
    if document.get("spec") is None:
        faults.add("spec", "the field 'spec' is required")
        return Draft(Scenario(), [], [])
    return draft(document["spec"], metadata.get("name", ""), read_file, faults)


def draft(spec: object, name: str, read_file: ReadFile | None, faults: Faults) -> Draft:
    """Return what a ``spec`` says by itself; faults are noted."""
    record = SPEC_RECORD.read(spec, "spec", faults) or {}
    topologies = build_topologies(record.get("topologies", []), "spec.topologies", faults)
    scenario = Scenario(
        name=name,
        seed=record.get("seed", 0),
        topologies=topologies,
        nodes=build_nodes(record.get("nodes", []), "spec.nodes", topologies, faults),
        queues=build_queues(record.get("queues", []), "spec.queues", faults),
        workloads=build_workloads(record.get("workloads", []), "spec.workloads", faults),
        policy=build_policy(record.get("policy", {}), "spec.policy", faults),
        fabric=record.get("fabric", ""),
    )
    if record.get("manifests"):
        extra = read_manifests(record["manifests"], "spec.manifests", topologies, read_file, faults)
        scenario = merge(scenario, extra, "spec.manifests", faults)
    return Draft(scenario, record.get("events", []), record.get("failures", []))


def finish(scenario: Scenario, faults: Faults) -> Scenario:
    """Return a scenario without faults with all its warnings."""
    warn(scenario, faults)
    return replace(scenario, warnings=(*scenario.warnings, *faults.warnings))


def wired(scenario: Scenario, read_file: ReadFile | None, faults: Faults) -> tuple[Scenario, Fabric | None]:
    """Return the scenario with the topologies of the fabric it names, and that fabric.

    Without ``read_file`` nothing is known of the fabric but its name.
    """
    if not scenario.fabric or read_file is None:
        return scenario, None
    from railwise.formats.scenario.wired import read_wiring, with_wiring  # noqa: PLC0415 - read only where named

    fabric = read_wiring(scenario.fabric, "spec.fabric", read_file, faults)
    return (with_wiring(scenario, fabric, "spec.fabric", faults), fabric) if fabric else (scenario, None)


def with_effects(scenario: Scenario, fabric: Fabric | None) -> Scenario:
    """Return a scenario without faults with what its fabric's cables and switches mean when they change."""
    if fabric is None:
        return scenario
    from railwise.formats.scenario.wired_events import effects  # noqa: PLC0415 - needed only where a fabric is named

    return replace(scenario, effects=effects(scenario, fabric))


def _complete(one: Draft, source: str, read_file: ReadFile | None, faults: Faults) -> Scenario:
    scenario, fabric = wired(one.scenario, read_file, faults)
    nodes = {node.name for node in scenario.nodes}
    changes = build_changes(one.events, "spec.events", nodes, scenario.fabric, faults, fabric)
    failures = build_failures(one.failures, "spec.failures", scenario, faults)
    faults.raise_any(source)
    return finish(with_effects(replace(scenario, changes=changes, failures=failures), fabric), faults)
