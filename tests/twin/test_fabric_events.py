"""Cables and switches that fail in virtual time: slower steps, other places, findings, and nobody is evicted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from railwise.fabric.elements import Action, Event, Fabric, Port
from railwise.model.scenario import Scenario
from railwise.twin.contended_pace import ContendedPace
from railwise.twin.simulation import Simulation
from tests.examples import examples
from tests.fabric.fabrics import drawn, small
from tests.formats.fabric.test_wired import read

HOUR = 3600 * 1_000_000

TRAIN = "kind: training, duration: 2h, request: {gpu: 8}, traffic: {pattern: dense, tensorParallel: 8, gradients: 14Gi}"


def document(workloads: str, events: str = "", fabric: Fabric | None = None) -> Scenario:
    spec = f"spec: {{fabric: fabric.yaml, workloads: [{workloads}], events: [{events}]}}"
    return read(spec, fabric or small("rail-optimised"))


def lived(scenario: Scenario, until: int = 0) -> Simulation:
    simulation = Simulation(scenario)
    simulation.run(until)
    return simulation


def hours(simulation: Simulation, name: str) -> float:
    return simulation.history.ended[name] / HOUR


def nodes(simulation: Simulation, name: str) -> set[str]:
    engine = simulation.engine
    return {engine.state.nodes[node].name for node, _ in engine.records[name].pods.values()}


PAIR = f"{{name: pair, pods: 2, {TRAIN}, running: {{nodes: [gpu-1, gpu-2]}}}}"


def test_a_cable_that_is_down_slows_the_gang_by_its_rail() -> None:
    """Communication alone over four NICs: three of four carry as much in 4/3 of the time, for one hour of two."""
    quiet, lame = (
        lived(document(PAIR)),
        lived(
            document(
                PAIR,
                "{at: 0s, cable: [gpu-1/rail2, leaf-3], set: {up: false}}, "
                "{at: 1h, cable: [gpu-1/rail2, leaf-3], set: {up: true}}",
            )
        ),
    )
    assert hours(quiet, "pair") == 2
    assert isinstance(lame.pace, ContendedPace)
    steps = lame.pace.steps["pair"]
    assert steps.worst == pytest.approx(steps.best * 4 / 3, rel=0.02)
    slow = steps.worst / steps.best
    assert hours(lame, "pair") == pytest.approx(1 + (2 - 1 / slow), rel=1e-4)
    assert not lame.history.evictions


def test_new_gangs_stay_clear_of_dead_rails() -> None:
    """Both units would do; the first one has a node with a dead rail (criterion 4)."""
    late = f"{{name: late, pods: 4, submit: 10m, {TRAIN}}}"
    assert nodes(lived(document(late), HOUR // 3), "late") == {"gpu-1", "gpu-2", "gpu-3", "gpu-4"}
    lame = lived(document(late, "{at: 1m, cable: [gpu-1/rail2, leaf-3], set: {up: false}}"), HOUR // 3)
    assert nodes(lame, "late") == {"gpu-5", "gpu-6", "gpu-7", "gpu-8"}


def test_below_a_switch_in_maintenance_who_runs_runs_and_nobody_comes() -> None:
    late = f"{{name: late, pods: 2, submit: 10m, {TRAIN}}}, {{name: last, pods: 2, submit: 90m, {TRAIN}}}"
    events = "{at: 5m, switch: leaf-2, set: {maintenance: true}}, {at: 1h, switch: leaf-2, set: {maintenance: false}}"
    scenario = document(f"{PAIR}, {late}", events)
    half = lived(scenario, HOUR // 2)
    assert nodes(half, "pair") == {"gpu-1", "gpu-2"}
    assert nodes(half, "late") == {"gpu-5", "gpu-6"}
    assert nodes(lived(scenario, 100 * HOUR // 60), "last") == {"gpu-3", "gpu-4"}
    assert hours(lived(scenario), "pair") == 2


def test_a_spine_that_is_down_halves_what_crosses() -> None:
    """Eight nodes cross between units over two spines; with one of them the uplink is as wide as two nodes."""
    wide = (
        f"{{name: wide, pods: 8, {TRAIN}, traffic: {{pattern: moe, tokens: 4096, hidden: 7168, topK: 8, layers: 58}}}}"
    )
    wide = wide.replace("traffic: {pattern: dense, tensorParallel: 8, gradients: 14Gi}, ", "")
    whole = lived(document(wide))
    half = lived(document(wide, "{at: 0s, switch: spine-1, set: {up: false}}"))
    assert hours(whole, "wide") == 2
    assert hours(half, "wide") > 2.5


REPLUG = tuple(
    Event(HOUR, Action.REPLUG, ports=(Port("gpu-2", f"eth{rail}"), Port("gpu-8", f"eth{rail}"))) for rail in range(4)
)


def test_a_map_change_that_breaks_a_rule_is_told_and_evicts_nobody() -> None:
    fabric = replace(small("rail-optimised"), timeline=REPLUG)
    strict = PAIR.replace("pods: 2", "pods: 2, topology: {required: leaf-group}")
    simulation = lived(
        document(f"{strict}, {PAIR.replace('pair', 'free').replace('gpu-1, gpu-2', 'gpu-3, gpu-4')}", "", fabric)
    )
    (broken,) = simulation.map_rules.broken
    assert (broken.at, broken.workload, broken.level) == (HOUR, "pair", "leaf-group")
    (warning,) = simulation.plan().warnings
    assert warning == (
        "workload 'pair': the map has changed, its pods are not in one leaf-group any more "
        "(spine-1-2/su-1, spine-1-2/su-2); it runs on"
    )
    assert not simulation.history.evictions
    assert hours(simulation, "pair") == 2


def test_a_server_that_is_off_loses_its_pods_as_any_node() -> None:
    fabric = replace(small("rail-optimised"), timeline=(Event(HOUR, Action.SERVER, on=False, device="gpu-2"),))
    simulation = lived(document(PAIR, "", fabric), HOUR)
    assert nodes(simulation, "pair") == {"gpu-1", "gpu-3"}


@examples(15)
@given(drawn())
def test_whatever_happens_to_cables_and_switches_nobody_is_evicted_and_all_work_is_done(fabric: Fabric) -> None:
    servers = [event.device for event in fabric.timeline if event.action == Action.SERVER]
    jobs = ", ".join(f"{{name: j{number}, pods: 2, submit: {number}s, {TRAIN}}}" for number in range(4))
    scenario = document(jobs, "", fabric)
    simulation = lived(scenario)
    assert not simulation.history.evictions
    for effect in scenario.effects:
        assert effect.target in {"node", "uplink", "place"}
        assert servers or "ready" not in effect.values
