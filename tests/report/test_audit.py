"""Each check finds what it is for, and nothing in a cluster that is well."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.formats.scenario.reader import read_spec
from railwise.model.scenario import Scenario
from railwise.report.audit import ADVICE, PROBLEM, Finding, audit_items, audit_lines
from railwise.report.audit_nodes import of_nodes
from railwise.report.audit_queues import of_queues
from railwise.report.audit_work import of_work

TREE = {"topologies": [{"name": "fabric", "levels": ["spine", "rack"]}]}
WELL = {"name": "n[1-4]", "in": {"spine": "s1", "rack": "r[1,1,2,2]"}, "gpu": {"count": 8, "model": "H100-80GB"}}


def cluster(*nodes: dict[str, Any], **spec: Any) -> Scenario:
    return read_spec({**TREE, "nodes": list(nodes or (WELL,)), **spec})


def found(scenario: Scenario) -> list[Finding]:
    return [*of_nodes(scenario), *of_queues(scenario), *of_work(scenario, plan_scenario(scenario))]


def checks(scenario: Scenario) -> list[tuple[str, str]]:
    return [(one.check, one.about) for one in found(scenario)]


def test_nothing_is_found_where_all_is_well() -> None:
    queues = [{"name": "a", "quota": {"gpu": 16}}, {"name": "b", "quota": {"gpu": 16}}]
    work = [{"name": "w", "queue": "a", "pods": 2, "request": {"gpu": 8}, "topology": {"required": "rack"}}]
    scenario = cluster(queues=queues, workloads=work)
    assert found(scenario) == []
    assert [str(getattr(line, "text", line)) for line in audit_lines([])] == ["Nothing is found that would hurt."]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([{"name": "n1", "in": {"spine": "s", "rack": "r"}}], [("no-cards", "nodes")]),
        (
            [WELL, {"name": "x[1-2]", "in": {"spine": "s1"}, "gpus": 8}],
            [("no-model", "x[1-2]"), ("unlabelled", "x[1-2]")],
        ),
        ([{**WELL, "ready": False}], [("not-ready", "n[1-4]")]),
        ([{**WELL, "unschedulable": True}], [("cordoned", "n[1-4]")]),
        ([{**WELL, "gpu": {"count": 8, "unhealthy": [1, 2]}}], [("sick-cards", "n[1-4]")]),
        ([{**WELL, "in": {"spine": "s1", "rack": "r[1-4]"}}], [("lonely-domains", "level rack of fabric")]),
        ([{**WELL, "in": {"spine": "s1"}}], [("empty-level", "level rack of fabric")]),
        (
            [WELL, {"name": "small", "in": {"spine": "s1", "rack": "r1"}, "gpu": {"count": 4, "model": "H100-80GB"}}],
            [("mixed-sizes", "rack s1/r1")],
        ),
    ],
)
def test_nodes_and_levels(nodes: list[dict[str, Any]], expected: list[tuple[str, str]]) -> None:
    assert checks(cluster(*nodes)) == expected


def test_no_levels_and_one_domain() -> None:
    flat = read_spec({"nodes": [{"name": "n[1-2]", "gpus": 8}]})
    assert checks(flat) == [("no-topology", "nodes")]
    zone = {"topologies": [{"name": "t", "levels": ["zone"]}]}
    one = read_spec({**zone, "nodes": [{"name": "n[1-2]", "in": {"zone": "z"}, "gpus": 8}]})
    assert checks(one) == [("one-domain", "level zone of t")]


def test_promises_beyond_what_there_is() -> None:
    queues = [
        {"name": "top", "quota": {"gpu": 24}},
        {"name": "a", "parent": "top", "quota": {"gpu": 20}},
        {"name": "b", "parent": "top", "quota": {"gpu": 8}},
        {"name": "other"},
        {"name": "c", "parent": "other", "quota": {"gpu": 16}},
        {"name": "guests"},
    ]
    findings = found(cluster(queues=queues))
    assert [(one.check, one.grade, one.about) for one in findings] == [
        ("over-promised", PROBLEM, "quotas"),
        ("over-promised", ADVICE, "queue top"),
        ("no-quota", ADVICE, "queue guests"),
    ]
    assert findings[0].what == "promise 40 GPUs, and there are 32"
    assert findings[1].what == "has a quota of 24 GPUs, and those below it 28"


def test_circles_of_queues_come_to_an_end() -> None:
    queues = [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}, {"name": "c", "quota": {"gpu": 1}}]
    assert "over-promised" not in {one.check for one in found(cluster(queues=queues))}


def test_work_that_can_never_start_is_one_finding_a_code() -> None:
    work = [
        {"name": "w[1-5]", "pods": 3, "request": {"gpu": 8}, "topology": {"required": "rack"}},
        {"name": "odd", "pods": 1, "request": {"gpu": 1}, "topology": {"required": "row"}},
        {"name": "fine", "pods": 1, "request": {"gpu": 1}},
    ]
    findings = found(cluster(workloads=work))
    assert [(one.check, one.about) for one in findings] == [
        ("never-starts", "workload odd"),
        ("never-starts", "5 workloads w1, w2, w3 and 2 more"),
    ]
    assert findings[1].what.startswith("can never start: NeverFits, 3 pods of 8 GPUs can never fit inside one rack")


def test_habits_of_many() -> None:
    queues = [{"name": "a", "quota": {"gpu": 8}}]
    work = [{"name": f"w{index}", "pods": 1, "request": {"gpu": 8}} for index in range(12)]
    scenario = cluster(queues=queues, workloads=work)
    assert checks(scenario) == [("no-queue", "12 workloads w0, w1, w2 and 9 more"), ("no-duration", "workloads")]
    told = list(of_work(scenario, plan_scenario(scenario), {"half": "3 of 4 are there"}))
    assert told[0] == Finding(
        "incomplete",
        ADVICE,
        "workload half",
        "lacks pods: 3 of 4 are there",
        "look at the events of whoever makes its pods",
    )


def test_problems_come_first() -> None:
    findings = [Finding("b", ADVICE, "x", "y", "z"), Finding("a", PROBLEM, "x", "y", "z")]
    assert [one["check"] for one in audit_items(findings)] == ["a", "b"]
    assert audit_lines(findings)[-1] == "1 problem, 1 piece of advice."
