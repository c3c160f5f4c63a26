"""The table of compatibility keeps its word: every published field has a row, and each row is what happens."""

from __future__ import annotations

import copy
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from railwise.formats.kubernetes.dialects.compatibility import TABLES
from railwise.formats.kubernetes.dialects.fields import IDLE, Row
from railwise.formats.kubernetes.dialects.marks import Mark
from railwise.formats.kubernetes.dialects.sources import IGNORED, REFUSED, UPSTREAM, Kind
from railwise.formats.kubernetes.dialects.speaking import DIALECTS
from railwise.formats.kubernetes.objects import Reading
from tests.conftest import SHARED
from tests.formats.kubernetes.dialects.samples import BASES, CHANGES, MARKED, Change, rest
from tests.formats.kubernetes.objects import Object, job, pod, reading, template

pytestmark = pytest.mark.slow

EVERY = [(table.kind, row) for table in TABLES for row in table.rows]
MARKS = [mark for _, marks, _ in DIALECTS for mark in marks]
DEEP = ("spec.tasks[].template", "spec.volumes", "spec.plugins")
"""Fields that stand for all that is in them."""


def definition(kind: Kind) -> Object | None:
    path = SHARED / "crds" / f"{kind.group}_{kind.plural}.yaml"
    for one in (path, Path(f"{path}.gz")):
        if one.is_file():
            data = gzip.decompress(one.read_bytes()) if one.suffix == ".gz" else one.read_bytes()
            found: Object = yaml.safe_load(data)
            return found
    return None


def leaves(schema: Object, path: str) -> Iterator[str]:
    properties = schema.get("properties")
    if properties and path not in DEEP:
        for name, inner in properties.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif schema.get("type") == "array" and path not in DEEP:
        yield from leaves(schema["items"], f"{path}[]")
    elif isinstance(schema.get("additionalProperties"), dict):
        yield f"{path}.*"
    else:
        yield path


def published(kind: Kind) -> set[str]:
    found = definition(kind)
    if found is None:
        pytest.skip(f"the published definition of {kind.plural}.{kind.group} is not here: ../shared/crds")
    fields: set[str] = set()
    for version in found["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        kept = {
            key: value for key, value in properties.items() if key not in ("apiVersion", "kind", "metadata", "status")
        }
        fields |= set(leaves({"properties": kept}, ""))
    return fields


@pytest.mark.parametrize(
    "table",
    [one for one in TABLES if one.kind.dialect != UPSTREAM],
    ids=lambda one: f"{one.kind.dialect}-{one.kind.kind}",
)
def test_every_published_field_has_a_row(table: Any) -> None:
    rows = [row.path for row in table.rows]
    for field in sorted(published(table.kind)):
        plain = field.removesuffix("[]")
        assert any(row in (plain, field) or field.startswith((f"{row}.", f"{row}[]")) for row in rows), field


def put(target: Object, path: str, value: object) -> None:
    """Set a field of an object by the path of its row: the first item of lists, the key ``k`` of mappings."""
    at: Any = target
    *steps, last = path.split(".")
    for step in steps:
        listed = step.endswith("[]")
        at = at.setdefault(step.removesuffix("[]"), [{}] if listed else {})
        at = at[0] if listed else at
    if last.endswith("[]"):
        last, value = last.removesuffix("[]"), [value]
    at["k" if last == "*" else last] = value


def changed(kind: Kind, row: Row, value: object) -> tuple[Object, Object]:
    base = copy.deepcopy(BASES[kind])
    if isinstance(value, Change):
        base["spec"] = copy.deepcopy(value.spec)
        base["metadata"]["name"] = value.name or base["metadata"]["name"]
        value = value.value
    other = copy.deepcopy(base)
    if isinstance(value, dict) and value.keys() == {"from", "to"}:
        put(base, row.path, value["from"])
        put(other, row.path, value["to"])
    else:
        put(other, row.path, value)
    return base, other


def decided(one: Object, kind: Kind) -> tuple[Any, ...]:
    found = reading(*rest(kind), one)
    scenario = found.scenario
    return scenario.topologies, scenario.nodes, scenario.queues, scenario.workloads, found.pods


@pytest.mark.parametrize(
    ("kind", "row"),
    [one for one in EVERY if one[1].verdict in (REFUSED, IGNORED)],
    ids=lambda one: getattr(one, "path", getattr(one, "kind", "")),
)
def test_what_is_refused_or_ignored_is_told_where_it_stands(kind: Kind, row: Row) -> None:
    base, other = changed(kind, row, CHANGES.get((kind, row.path), "something"))
    before, after = reading(*rest(kind), base), reading(*rest(kind), other)
    assert after.faults == before.faults == ()
    new = [one for one in after.scenario.warnings if one not in before.scenario.warnings]
    word = "is not supported" if row.verdict == REFUSED else "is ignored"
    assert any(word in one and row.path.split(".")[-1].removesuffix("[]").strip("*") in one for one in new), new
    waiting = {one.name for one in after.scenario.workloads if one.unsupported}
    if row.verdict == REFUSED:
        assert waiting, "nobody waits for it"
    else:
        assert not waiting
        assert decided(base, kind) == decided(other, kind)


@pytest.mark.parametrize(
    ("kind", "row"),
    [one for one in EVERY if one[1].verdict not in (REFUSED, IGNORED)],
    ids=lambda one: getattr(one, "path", getattr(one, "kind", "")),
)
def test_what_is_honoured_or_approximated_decides(kind: Kind, row: Row) -> None:
    base, other = changed(kind, row, CHANGES.get((kind, row.path), "something"))
    same = decided(base, kind) == decided(other, kind)
    assert same == (row.how.startswith(IDLE) or row.path.startswith("spec.nodeTaints"))


def jobset(inner: Object) -> Object:
    jobs = [{"name": name, "template": {"spec": {"parallelism": 1, "template": inner}}} for name in ("w", "v")]
    meta = {"name": "js", "namespace": "default"}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": meta,
        "spec": {"replicatedJobs": jobs},
    }


@pytest.mark.parametrize("mark", MARKS, ids=lambda one: one.key)
def test_each_key_on_a_pod_is_what_its_row_says(mark: Mark) -> None:
    value, beside = MARKED.get(mark.key, ("something", {}))

    def with_mark(written: Object) -> Reading:
        metas = [copy.deepcopy(beside), copy.deepcopy(beside)]
        for meta in metas if "index" not in mark.key else metas[1:]:
            meta.setdefault(f"{mark.form}s", {}).update(written)
        inner = template(1) | {"metadata": metas[0]}
        one = job("j", 4, inner, meta={"labels": metas[0].get("labels", {})})
        return reading(*rest(None), one, jobset(inner), pod("a", 1, meta=metas[0]), pod("b", 1, meta=metas[1]))

    before, after = with_mark({}), with_mark({mark.key: value})
    new = [one for one in after.scenario.warnings if one not in before.scenario.warnings]
    waiting = [one.unsupported for one in after.scenario.workloads if one.unsupported]
    same = before.scenario.workloads == after.scenario.workloads and before.pods == after.pods
    if mark.verdict == REFUSED:
        assert any(mark.key in one for one in waiting)
    elif mark.verdict == IGNORED:
        assert any(mark.key in one and "ignored" in one for one in new)
        assert same
    else:
        assert same == mark.how.startswith(IDLE)
