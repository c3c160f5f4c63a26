"""Reading policy tests (``kind: Case``): every fault of a file is named in one go, each with its path.

In a file of several documents a path begins with the number of the document, counted from 0.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.cases.model import RUN_PLAN, RUN_SIMULATE, Case, Expectation
from railwise.formats.cases.records import CASE
from railwise.formats.document import load
from railwise.formats.faults import Faults, at_index, at_key, described

__all__ = ["Case", "read_cases"]


def read_cases(data: bytes, source: str = "") -> list[Case]:
    """Return the cases of a file of one or more documents; raises ``InputError`` with every fault."""
    documents = load(data, source)
    faults = Faults()
    cases: list[Case] = []
    names: set[str] = set()
    for document in documents:
        prefix = at_index("documents", document.index) if len(documents) > 1 else ""
        entries = CASE.read(document.value, prefix, faults) or {}
        metadata, spec = entries.get("metadata", {}), entries.get("spec", {})
        name = metadata.get("name", "")
        if name in names:
            faults.add(at_key(at_key(prefix, "metadata"), "name"), f"'{name}' stands in this file twice")
        names.add(name)
        if spec:
            _check(spec, at_key(prefix, "spec"), faults)
            cases.append(_case(name, metadata, spec, source))
    faults.raise_any(source)
    return cases


def _check(spec: dict[str, Any], path: str, faults: Faults) -> None:
    scenario, document = spec.get("scenario"), spec.get("document")
    if (scenario is None) == (document is None):
        faults.add(path, "one of 'scenario' and 'document' must be given")
    if scenario is not None and not isinstance(scenario, dict | str):
        faults.add(at_key(path, "scenario"), f"expected a mapping or the path of a file, not {described(scenario)}")
    if document is not None and not isinstance(document, str | bytes):
        faults.add(at_key(path, "document"), f"expected the text of a document, not {described(document)}")
    if spec.get("run", RUN_PLAN) == RUN_SIMULATE:
        return
    if "until" in spec:
        faults.add(at_key(path, "until"), "only a simulation has an end", "run: simulate")
    above = path.removesuffix("spec")
    for item in _with_choices(spec.get("expect", [])):
        if item.at is not None:
            faults.add(f"{above}{item.path}.at", "a plan knows no time", "run: simulate")
        if item.workload is not None and item.workload.starts is not None:
            faults.add(f"{above}{item.path}.starts", "a plan knows no time", "run: simulate")


def _with_choices(items: list[Expectation]) -> list[Expectation]:
    return [one for item in items for one in (item, *_with_choices(list(item.one_of)))]


def _case(name: str, metadata: dict[str, Any], spec: dict[str, Any], source: str) -> Case:
    scenario, document = spec.get("scenario"), spec.get("document")
    return Case(
        name=name,
        expect=tuple(spec.get("expect", ())),
        run=spec.get("run", RUN_PLAN),
        until=spec.get("until", 0),
        area=metadata.get("labels", {}).get("area", ""),
        origin=metadata.get("source", ""),
        notes=metadata.get("notes", ""),
        scenario=None if isinstance(scenario, str) else scenario,
        document=document.encode() if isinstance(document, str) else document,
        file=scenario if isinstance(scenario, str) else "",
        source=source,
    )
