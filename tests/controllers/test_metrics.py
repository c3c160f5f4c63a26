"""Figures of a scheduler are those of its plans."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from railwise.controllers.metrics import FRESH, SchedulerMetrics, rule_of
from railwise.engine.cycle import Engine, Finish
from railwise.engine.slots import slots_left
from railwise.formats.cases.model import RUN_PLAN
from railwise.formats.cases.reader import read_cases
from railwise.formats.cases.result import Result
from railwise.formats.inputs import read_inputs
from railwise.model.scenario import Scenario
from tests.conftest import ROOT
from tests.controllers.world import Clock


def example(name: str) -> Scenario:
    return read_inputs([(name, (ROOT / "examples" / name).read_bytes())])


class Watched:
    """An engine whose rounds are told to metrics."""

    def __init__(self, scenario: Scenario) -> None:
        self.clock = Clock()
        self.registry = CollectorRegistry()
        self.metrics = SchedulerMetrics(self.registry, self.clock)
        self.engine = Engine(scenario)
        self.metrics.began(self.engine)

    def round(self, *ended: str, now: int = 0) -> None:
        self.metrics.decided(self.engine.cycle([Finish(name) for name in ended], now), 0.25)

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(f"railwise_{name}", labels)


def test_a_round_is_counted_as_it_was_decided() -> None:
    seen = Watched(example("two-units.yaml"))
    seen.round()
    assert seen.value("decisions_total", result="placed") == 2
    assert seen.value("decisions_total", result="pending") == 1
    assert seen.value("refusals_total", code="TooFragmented") == 1
    assert seen.value("gang_wait_seconds_count") == 2
    assert seen.value("decision_seconds_sum") == 0.25
    assert seen.value("queue_waiting_workloads", queue="vision") == 1
    assert seen.value("queue_waiting_pods", queue="vision") == 16
    assert (seen.value("nodes"), seen.value("running_workloads")) == (64, 3)


def test_slots_are_counted_when_somebody_asks_and_not_too_often() -> None:
    seen = Watched(example("two-units.yaml"))
    seen.round()
    first = seen.value("slots_left", level="rack", nodes="1")
    assert first == slots_left(seen.engine.state)["rack"][1]
    seen.round("llama", "wide", now=1)
    assert seen.value("slots_left", level="rack", nodes="1") == first, "a moment ago is good enough"
    seen.clock.now += FRESH
    later = seen.value("slots_left", level="rack", nodes="1")
    assert later == slots_left(seen.engine.state)["rack"][1] != first


def test_communication_is_compared_with_the_best_place() -> None:
    seen = Watched(example("slow-uplinks.yaml"))
    seen.round()
    count, total = seen.value("communication_ratio_count"), seen.value("communication_ratio_sum")
    assert count
    assert total
    assert total >= count, "nothing is better than the best place"


def test_binds_take_from_the_decision_to_the_answer() -> None:
    seen = Watched(example("small-mix.yaml"))
    seen.metrics.binding(["a", "b", "c"])
    seen.clock.now += 2.0
    seen.metrics.bound("a")
    seen.metrics.failed("b", "refused")
    seen.metrics.bound("unknown")
    assert (seen.value("bind_seconds_count"), seen.value("bind_seconds_sum")) == (1, 2.0)
    assert seen.value("bound_pods_total") == 2
    assert seen.value("bind_failures_total", outcome="refused") == 1


@pytest.mark.slow
def test_every_eviction_of_the_policy_tests_has_a_rule() -> None:
    rules = set()
    for path in sorted((ROOT / "cases").glob("*.yaml")):
        for case in read_cases(path.read_bytes(), path.name):
            if case.run == RUN_PLAN and not case.file and not (result := Result(case)).faults:
                rules |= {rule_of(eviction.why) for eviction in result.plan.evictions}
    assert rules >= {"priority", "quota", "fair-share"}
    assert "other" not in rules
