"""A policy test is read strictly, and every fault is named with its path."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.formats.cases.model import Bounds, Case, Refused, Share, Slots
from railwise.formats.cases.reader import read_cases
from railwise.model.errors import InputError

API = "apiVersion: railwise.dev/v1alpha1\n"
HEAD = f"{API}kind: Case\nmetadata: {{name: x}}\nspec:\n  scenario: {{}}\n"


def _read(expect: str, more: str = "") -> Case:
    return read_cases(f"{HEAD}{more}  expect:\n  - {expect}\n".encode(), "x.yaml")[0]


def _faults(text: str) -> dict[str, str]:
    with pytest.raises(InputError) as refused:
        read_cases(text.encode(), "x.yaml")
    assert refused.value.source == "x.yaml"
    return {fault.path: f"{fault.message} {fault.hint}" for fault in refused.value.faults}


def _faults_of(expect: str, more: str = "") -> dict[str, str]:
    return _faults(f"{HEAD}{more}  expect:\n  - {expect}\n")


def test_every_assertion_about_a_workload_is_read() -> None:
    case = _read(
        "{workload: a, state: placed, reason: TooFragmented, counts: {total: 4}, nodes: ['n[1-2]'], notNodes: [n3],"
        " pods: {a-0: n1}, domains: {rack: [r1]}, count: {rack: 1, node: {max: 4}}, podsPer: {rack: [8, 8]},"
        " cutEdges: {rack: {min: 1, max: 2}}, cards: {a-0: [n1/0, n1/0@4]}, cardCount: 2,"
        " group: {name: g, nodes: [n1]}}"
    )
    wanted = case.expect[0].workload
    assert wanted is not None
    assert (wanted.name, wanted.state, wanted.reason, wanted.counts) == ("a", "placed", "TooFragmented", {"total": 4})
    where = wanted.where
    assert where.nodes == ("n1", "n2")
    assert where.not_nodes == ("n3",)
    assert where.pods == {"a-0": "n1"}
    assert where.domains == {"rack": ("r1",)}
    assert where.count == {"rack": Bounds(1, 1), "node": Bounds(None, 4)}
    assert where.pods_per == {"rack": (8, 8)}
    assert where.cut_edges == {"rack": Bounds(1, 2)}
    assert where.cards == {"a-0": ("n1/0", "n1/0@4")}
    assert where.card_count == Bounds(2, 2)
    assert wanted.group is not None
    assert (wanted.group.name, wanted.group.where.nodes) == ("g", ("n1",))


def test_every_assertion_about_the_plan_is_read() -> None:
    case = _read(
        "{evicted: {workloads: [old], gpus: {max: 8}, count: 1}, stable: true, free: {n1: 4}, warnings: [block],"
        " slots: {level: rack, size: 2, count: 3}, share: {queue: q, gpu: 32.5, cpu: 500m, memory: 1Gi, x.io/a: 2},"
        " error: {path: spec.nodes, contains: n4}, maxEvictionsPerWorkload: 1}"
    )
    item = case.expect[0]
    assert item.evicted is not None
    assert item.evicted.workloads == ("old",)
    assert (item.evicted.gpus, item.evicted.count) == (Bounds(None, 8000), Bounds(1, 1))
    assert item.stable is True
    assert item.free == {"n1": 4}
    assert item.warnings == ("block",)
    assert item.slots == Slots("rack", 2, Bounds(3, 3))
    assert item.share == Share("q", {"gpu": 32500, "cpu": 500, "memory": 1024, "x.io/a": 2})
    assert item.error == Refused("spec.nodes", "n4")
    assert item.max_evictions == Bounds(None, 1)


def test_a_simulation_knows_time() -> None:
    case = _read("{workload: a, at: 10m, starts: {max: 5m}}", "  run: simulate\n  until: 1h\n")
    assert case.until == 3_600_000_000
    assert case.expect[0].at == 600_000_000
    assert case.expect[0].workload is not None
    assert case.expect[0].workload.starts == Bounds(None, 300_000_000)


def test_choices_are_read_with_their_paths() -> None:
    case = _read("{oneOf: [{workload: a, state: moved}, {evicted: {count: 0}}]}")
    assert [one.path for one in case.expect[0].one_of] == ["spec.expect[0].oneOf[0]", "spec.expect[0].oneOf[1]"]


def test_a_scenario_is_inline_a_document_or_a_file() -> None:
    meta = "metadata: {name: x, labels: {area: rank}, source: s, notes: n}"
    text = f"{API}kind: Case\n{meta}\nspec: {{%s, expect: [stable: true]}}"
    inline = read_cases((text % "scenario: {seed: 1}").encode(), "x.yaml")[0]
    assert (inline.scenario, inline.document, inline.file) == ({"seed": 1}, None, "")
    assert (inline.area, inline.origin, inline.notes, inline.source) == ("rank", "s", "n", "x.yaml")
    assert read_cases((text % "document: abc").encode(), "")[0].document == b"abc"
    assert read_cases((text % "document: !!binary /w==").encode(), "")[0].document == b"\xff"
    file = read_cases((text % "scenario: two.yaml").encode(), "x.yaml")[0]
    assert file.file == "two.yaml"
    assert file.with_document(b"{}") == replace(file, document=b"{}", file="", source="two.yaml")


def test_a_misspelt_assertion_is_refused_with_a_guess() -> None:
    faults = _faults_of("{workload: a, sate: placed, nodes: [n1], count: {rack: {mx: 3}}}")
    assert "did you mean 'state'" in faults["spec.expect[0].sate"]
    assert "did you mean 'max'" in faults["spec.expect[0].count.rack.mx"]
    assert "did you mean 'placed'" in _faults_of("{workload: a, state: placd}")["spec.expect[0].state"]
    assert "did you mean 'NeverFits'" in _faults_of("{workload: a, reason: NeverFit}")["spec.expect[0].reason"]


@pytest.mark.parametrize(
    ("expect", "path"),
    [
        ("{}", "spec.expect[0]"),
        ("{evicted: {}}", "spec.expect[0].evicted"),
        ("{state: placed}", "spec.expect[0].state"),
        ("{workload: a, at: 5m}", "spec.expect[0].at"),
        ("{workload: a, starts: {max: 5m}}", "spec.expect[0].starts"),
        ("{oneOf: [{stable: true}], stable: true}", "spec.expect[0].oneOf"),
        ("{free: {n1: -1}}", "spec.expect[0].free.n1"),
        ("{free: {n1: yes}}", "spec.expect[0].free.n1"),
        ("{stable: 1}", "spec.expect[0].stable"),
        ("{share: {queue: a}}", "spec.expect[0].share"),
        ("{share: {queue: a, gpu: -1}}", "spec.expect[0].share.gpu"),
        ("{share: {queue: a, gpu: .nan}}", "spec.expect[0].share.gpu"),
        ("{slots: {level: rack, size: 0, count: 1}}", "spec.expect[0].slots.size"),
        ("{slots: {level: rack}}", "spec.expect[0].slots.count"),
        ("{workload: a, nodes: n1}", "spec.expect[0].nodes"),
        ("{workload: a, nodes: ['n[1']}", "spec.expect[0].nodes[0]"),
        ("{workload: a, nodes: [1]}", "spec.expect[0].nodes[0]"),
        ("{workload: a, count: {rack: {}}}", "spec.expect[0].count.rack"),
        ("{workload: a, count: {rack: {min: 3, max: 2}}}", "spec.expect[0].count.rack"),
        ("{workload: a, count: [1]}", "spec.expect[0].count"),
        ("{workload: a, podsPer: {rack: [1, x]}}", "spec.expect[0].podsPer.rack[1]"),
        ("{workload: a, group: {nodes: [n1]}}", "spec.expect[0].group.name"),
        ("[]", "spec.expect[0]"),
    ],
)
def test_a_faulty_assertion_is_named(expect: str, path: str) -> None:
    assert path in _faults_of(expect)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("kind: Cas\nmetadata: {name: x}\nspec: {scenario: {}, expect: [stable: true]}", "kind"),
        ("apiVersion: v1\nkind: Case\nmetadata: {name: x}\nspec: {scenario: {}, expect: [stable: true]}", "apiVersion"),
        ("kind: Case\nmetadata: {}\nspec: {scenario: {}, expect: [stable: true]}", "metadata.name"),
        ("kind: Case\nmetadata: {name: x}", "spec"),
        ("kind: Case\nmetadata: {name: x}\nspec: {scenario: {}, expect: []}", "spec.expect"),
        ("kind: Case\nmetadata: {name: x}\nspec: {expect: [stable: true]}", "spec"),
        ("kind: Case\nmetadata: {name: x}\nspec: {scenario: {}, document: '', expect: [stable: true]}", "spec"),
        ("kind: Case\nmetadata: {name: x}\nspec: {document: 3, expect: [stable: true]}", "spec.document"),
        ("kind: Case\nmetadata: {name: x}\nspec: {scenario: {}, until: 1h, expect: [stable: true]}", "spec.until"),
        ("kind: Case\nmetadata: {name: x}\nspec: {scenario: {}, run: once, expect: [stable: true]}", "spec.run"),
        ("[]", ""),
    ],
)
def test_a_faulty_case_is_named(text: str, path: str) -> None:
    assert path in _faults(text if text.startswith(("[", "api")) else API + text)


def test_faults_of_several_documents_are_told_apart_and_told_at_once() -> None:
    case = f"{API}kind: Case\nmetadata: {{name: x}}\nspec: {{scenario: {{}}, expect: [{{stable: 1}}]}}\n"
    faults = _faults(f"{case}---\n{case}")
    assert set(faults) == {
        "documents[0].spec.expect[0].stable",
        "documents[1].spec.expect[0].stable",
        "documents[1].metadata.name",
    }


def test_bounds_speak_plainly() -> None:
    assert [Bounds(4, 4).text(), Bounds(1).text(), Bounds(None, 4).text(), Bounds(1, 4).text()] == [
        "4",
        "at least 1",
        "at most 4",
        "1 to 4",
    ]
    assert [number for number in range(6) if Bounds(1, 4).hold(number)] == [1, 2, 3, 4]
