"""Every assertion of a policy test can pass and can fail, and a failure says what was expected and what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.formats.cases import expectation, result
from railwise.formats.cases.expectation import Outcome, check, judge
from railwise.formats.cases.reader import Case, read_cases
from railwise.model.plan import Eviction, Plan
from railwise.model.scenario import Scenario

HEAD = "apiVersion: railwise.dev/v1alpha1\nkind: Case\nmetadata: {name: x}\n"
SCENARIO = """
    topologies: [{name: fabric, levels: [superpod, rack]}, {name: nvlink, levels: [clique]}]
    nodes:
    - {name: "n[1-4]", gpus: 8, in: {superpod: p1, rack: "r[1-2]"}, at: {nvlink: {clique: "c[1-2]"}}}
    - {name: n5, gpus: 2, in: {superpod: p2, rack: r1}}
    workloads:
    - {name: old, pods: 1, request: {gpu: 8}, running: {nodes: [n1]}}
    - {name: pair, pods: 2, request: {gpu: 8}, topology: {required: rack}}
    - name: serve
      groups:
      - {name: left, pods: 1, request: {gpu: 4}}
      - {name: right, groups: [{name: left, pods: 2, request: {gpu: 2}}]}
    - {name: wide, pods: 3, request: {gpu: 8}, topology: {required: rack}}
    - {name: odd, pods: 1, request: {gpu: 1}, topology: {preferred: block}}
"""
"""pair goes to n3 and n4 (r2), serve to n2, odd to n5; wide never fits a rack."""


def _case(expect: str, scenario: str = SCENARIO, more: str = "") -> Case:
    text = f"{HEAD}spec:\n{more}  scenario:{scenario}  expect:\n  - {expect}\n"
    return read_cases(text.encode())[0]


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ("{workload: pair, state: placed}", ""),
        ("{workload: old, state: running, nodes: [n1]}", ""),
        ("{workload: pair, state: running}", "workload pair: state: expected running, found placed"),
        ("{workload: wide, state: placed}", "workload wide: state: expected placed, found pending (NeverFits: "),
        ("{workload: wide, reason: NeverFits, counts: {total: 5}}", ""),
        ("{workload: wide, reason: TooFragmented}", "reason: expected TooFragmented, found NeverFits"),
        ("{workload: pair, reason: NeverFits}", "reason: expected NeverFits, found none"),
        ("{workload: wide, counts: {total: 4}}", "nodes counted under total: expected 4, found 5"),
        ("{workload: wide, counts: {taint: 1}}", "nodes counted under taint: expected 1, found 0"),
        ("{workload: nobody, state: placed}", "there is no workload nobody"),
        ("{workload: pair, nodes: ['n[3-4]'], notNodes: [n1]}", ""),
        ("{workload: pair, nodes: [n3]}", "nodes: expected n3, found n3, n4"),
        ("{workload: pair, nodes: []}", "nodes: expected none, found n3, n4"),
        ("{workload: pair, notNodes: [n4, n1]}", "nodes: expected none of n1, n4, found n4"),
        ("{workload: pair, pods: {pair-0: n3, pair-1: n4}}", ""),
        ("{workload: pair, pods: {pair-0: n4}}", "pod pair-0: expected on n4, found on n3"),
        ("{workload: pair, pods: {pair-2: n4}}", "pod pair-2: expected on n4, found none"),
        ("{workload: pair, domains: {superpod: [p1], rack: [r2], clique: [c2], node: [n3, n4]}}", ""),
        ("{workload: pair, domains: {rack: [p1/r2]}}", ""),
        ("{workload: pair, domains: {rack: [r1]}}", "domains of rack: expected r1, found r2"),
        ("{workload: odd, domains: {rack: [p1/r1]}}", "domains of rack: expected p1/r1, found r1"),
        ("{workload: pair, domains: {row: [r1]}}", "no topology has a level 'row'"),
        ("{workload: pair, count: {rack: 1, node: {min: 2}}}", ""),
        ("{workload: pair, count: {node: {max: 1}}}", "number of node domains: expected at most 1, found 2"),
        ("{workload: pair, podsPer: {rack: [2], node: [1, 1]}}", ""),
        ("{workload: pair, podsPer: {rack: [1, 1]}}", "pods per rack: expected [1, 1], found [2] (p1/r2: 2)"),
        ("{workload: pair, cutEdges: {rack: 0, node: 2}}", ""),
        ("{workload: pair, cutEdges: {node: {max: 1}}}", "ring edges that cross a node: expected at most 1, found 2"),
        ("{workload: odd, cutEdges: {node: 0}}", ""),
        ("{workload: odd, cards: {odd-0: [n5/0]}, cardCount: 1}", ""),
        ("{workload: odd, cards: {odd-0: [n5/1]}}", "cards of odd-0: expected n5/1, found n5/0"),
        ("{workload: odd, cards: {odd-1: [n5/1]}}", "cards of odd-1: expected n5/1, found none"),
        ("{workload: pair, cardCount: {max: 15}}", "number of cards: expected at most 15, found 16"),
        ("{workload: serve, group: {name: right, podsPer: {node: [2]}}, podsPer: {node: [3]}}", ""),
        ("{workload: serve, group: {name: left, nodes: [n2]}}", ""),
        ("{workload: serve, group: {name: right/left, nodes: [n3]}}", "group right/left: nodes: expected n3, found n2"),
        ("{workload: serve, group: {name: middle, nodes: [n3]}}", "group middle: there is none of that name"),
        ("{free: {n1: 0, n5: 1}}", ""),
        ("{free: {n1: 8}}", "free card-slots of n1: expected 8, found 0"),
        ("{free: {n9: 8}}", "free card-slots of n9: expected 8, found no such node"),
        ("{warnings: [BLOCK]}", ""),
        ("{warnings: [blok]}", "warning: expected one with 'blok', found "),
        ("{evicted: {count: 0, workloads: [], gpus: 0}}", ""),
        ("{evicted: {count: 1}}", "number of evicted workloads: expected 1, found 0"),
        ("{slots: {level: rack, size: 1, count: 0}}", ""),
        ("{slots: {level: row, size: 1, count: 0}}", "no topology has a level 'row'"),
        (
            "{slots: {level: rack, size: 1, count: {min: 1}}}",
            "gangs of 1 whole nodes that fit a rack: expected at least 1",
        ),
        ("{stable: true}", ""),
        ("{stable: false}", "a second plan on the result changes nothing"),
        ("{maxEvictionsPerWorkload: 0}", ""),
        ("{error: {path: spec}}", "expected a refusal at spec, the document was accepted"),
        ("{oneOf: [{workload: pair, state: moved}, {workload: pair, state: placed}]}", ""),
        (
            "{oneOf: [{workload: pair, state: moved}, {free: {n1: 1}}]}",
            "none of the accepted answers: workload pair: state: expected moved, found placed | free card-slots of n1",
        ),
    ],
)
def test_an_assertion_passes_or_says_what_was_found(expect: str, difference: str) -> None:
    found = check(_case(expect))
    if not difference:
        assert found == []
    else:
        assert [text for text in found if difference in text] != [], found
        assert all(text.startswith("spec.expect[0]: ") for text in found)


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ("{error: {path: 'spec.nodes[0].gpuz', contains: DID YOU MEAN}}", ""),
        ("{error: {path: 'spec.nodes[0]'}}", ""),
        ("{error: {path: spec.nodes}}", ""),
        ("{error: {}}", "asserts nothing"),
        ("{error: {contains: gpu}}", ""),
        ("{error: {path: 'spec.node'}}", "refusal: expected spec.node, found spec.nodes[0].gpuz"),
        ("{error: {path: spec.nodes, contains: rack}}", "refusal: expected spec.nodes with 'rack', found"),
        ("{free: {n1: 8}}", "the document was refused: spec.nodes[0].gpuz"),
        ("{oneOf: [{warnings: [x]}, {error: {path: spec}}]}", ""),
    ],
)
@pytest.mark.parametrize("run", ["plan", "simulate"])
def test_a_refusal_is_an_answer_too(expect: str, difference: str, run: str) -> None:
    if difference == "asserts nothing":
        with pytest.raises(Exception, match=difference):
            _case(expect)
        return
    case = _case(expect, "\n    nodes: [{name: n1, gpuz: 8}]\n", f"  run: {run}\n")
    found = check(case)
    assert (found == []) is (difference == "")
    assert all(difference in text for text in found)


def test_a_whole_document_is_read_as_one() -> None:
    document = "  document: |\n    apiVersion: railwise.dev/v1alpha1\n    kind: Scenaro\n"
    text = f"{HEAD}spec:\n{document}  expect:\n  - {{error: {{path: kind}}}}\n"
    assert check(read_cases(text.encode())[0]) == []


@pytest.mark.parametrize(
    ("expect", "more", "needs"),
    [
        ("{workload: pair, state: finished}", "  run: simulate\n", "the twin"),
        ("{workload: pair, starts: {max: 5m}}", "  run: simulate\n", "the twin"),
        ("{oneOf: [{workload: pair, state: finished}, {free: {n1: 8}}]}", "  run: simulate\n", "the twin"),
    ],
)
def test_what_cannot_be_judged_yet_says_what_it_needs(expect: str, more: str, needs: str) -> None:
    verdict = judge(_case(expect, more=more))
    assert verdict.outcome is Outcome.NEEDS
    assert verdict.lines() == [f"needs {needs}"]


def test_a_difference_weighs_more_than_what_cannot_be_judged() -> None:
    case = _case("{share: {queue: q, gpu: 4}}\n  - {free: {n1: 8}}")
    assert judge(case).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ("{evicted: {workloads: [old, pair], count: 2, gpus: {max: 16}}}", ""),
        ("{evicted: {workloads: [old]}}", "evicted workloads: expected old, found old, pair"),
        ("{evicted: {gpus: 8}}", "cards evicted: expected 8, found 16"),
        ("{maxEvictionsPerWorkload: 1}", "evictions of pair: expected at most 1, found 2"),
    ],
)
def test_evictions_are_counted_by_workload_and_by_card(
    expect: str, difference: str, monkeypatch: pytest.MonkeyPatch
) -> None:

    def with_evictions(scenario: Scenario) -> Plan:
        lost = [("old", ("old-0",)), ("pair", ("pair-1",)), ("pair", ("pair-1",))]
        evictions = tuple(Eviction(name, pods, "new", 0, "") for name, pods in lost)
        return replace(plan_scenario(scenario), evictions=evictions)

    monkeypatch.setattr(result, "plan_scenario", with_evictions)
    found = check(_case(expect))
    assert (found == []) is (difference == "")
    assert all(difference in text for text in found)


def test_a_plan_that_changes_its_own_result_is_not_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []

    def forgetful(scenario: Scenario) -> Plan:
        plan = plan_scenario(scenario)
        if plans:
            plan = replace(plan, workloads=tuple(replace(one, pods=()) for one in plan.workloads))
        plans.append(plan)
        return plan

    for module in (result, expectation):
        monkeypatch.setattr(module, "plan_scenario", forgetful)
    [text] = check(_case("{stable: true}"))
    assert text.startswith("spec.expect[0]: a second plan on the result changes it: old running on none")
