"""Work slowed by its place and by neighbours on the same uplinks: closed forms, conserved work, recounted by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Traffic, Workload
from railwise.traffic.contention import Flow, fair_rates
from railwise.traffic.links import transfer_time
from railwise.twin.contended_pace import MILLION, ContendedPace
from railwise.twin.simulation import Simulation
from tests.engine.small import gang, racks, request, running, scenario
from tests.examples import examples

GIGA = 1000
SECOND = 1_000_000
LINKED = Topology("fabric", (Level("superpod"), Level("rack", uplink=400 * GIGA)), 3_200 * GIGA)
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})


def tenant(name: str, *nodes: str, hours: int = 1, traffic: Traffic = DENSE) -> Workload:
    made = running(name, nodes, request(8))
    return replace(made, traffic=traffic, duration=hours * 3600 * SECOND)


def document(*workloads: Workload, topology: Topology = LINKED) -> Scenario:
    return replace(scenario(racks(3, 3, 3), *workloads), topologies=(topology,))


def lived(*workloads: Workload, topology: Topology = LINKED) -> tuple[Simulation, ContendedPace]:
    simulation = Simulation(document(*workloads, topology=topology))
    simulation.run()
    assert isinstance(simulation.pace, ContendedPace)
    return simulation, simulation.pace


def ended(simulation: Simulation, name: str) -> Fraction:
    """Return the end in hours."""
    return Fraction(simulation.history.ended[name], 3600 * SECOND)


def near(hours: Fraction) -> object:
    return pytest.approx(float(hours), rel=1e-5)


def test_a_place_across_racks_takes_as_much_longer_as_its_step_does() -> None:
    simulation, pace = lived(tenant("a", "n0", "n3"))
    steps = pace.steps["a"].summary(simulation.now)
    assert steps is not None
    assert steps.mean == steps.worst > 5 * steps.best
    assert float(ended(simulation, "a")) == near(Fraction(steps.worst, steps.best))


def test_the_best_place_is_not_slowed() -> None:
    simulation, _ = lived(tenant("a", "n0", "n1"))
    assert ended(simulation, "a") == 1


def test_two_tenants_halve_the_uplink_until_one_ends() -> None:
    """Both need ``alone`` hours by themselves; the shorter has half its work, so it ends after twice half of that."""
    simulation, pace = lived(tenant("a", "n0", "n3", hours=2), tenant("b", "n1", "n4", hours=1))
    steps = pace.steps["b"].summary(simulation.now)
    assert steps is not None
    usable = simulation.engine.link_time.capacity(0, 1) if simulation.engine.link_time else 0
    beside = transfer_time(14 << 30, usable // 2)
    assert steps.worst == pytest.approx(beside, rel=1e-6)
    first = Fraction(beside, steps.best)
    assert float(ended(simulation, "b")) == near(first)
    alone, _ = lived(tenant("a", "n0", "n3", hours=1))
    assert float(ended(simulation, "a")) == near(first + ended(alone, "a"))


def test_without_links_nothing_is_slowed_and_nothing_recorded() -> None:
    simulation, pace = lived(tenant("a", "n0", "n3"), topology=Topology("fabric", LINKED.levels))
    assert ended(simulation, "a") == 1
    assert (pace.links.levels, pace.steps) == ({}, {})


def test_prefill_to_decode_is_only_slowed_when_links_do_not_keep_up() -> None:
    quick = Traffic("pd", {"bytesPerToken": "64Ki", "tokensPerSecond": "1000"})
    made = running("serve", ["n0", "n3"], request(8))
    halves = [replace(made.root, name=name, pods=1, min_pods=1) for name in ("prefill", "decode")]
    nodes = [
        replace(half, running=replace(half.running, nodes=(node,)))
        for half, node in zip(halves, ("n0", "n3"), strict=True)
        if half.running
    ]
    root = replace(made.root, pods=0, min_pods=0, running=None, groups=tuple(nodes), min_groups=2)
    serve = replace(made, root=root, traffic=quick, duration=3600 * SECOND)
    assert ended(lived(serve)[0], "serve") == 1
    heavy = replace(serve, traffic=replace(quick, sizes={"bytesPerToken": "320Ki", "tokensPerSecond": "500000"}))
    assert ended(lived(heavy)[0], "serve") > 3


def test_uplinks_are_full_while_two_share_them() -> None:
    _, pace = lived(tenant("a", "n0", "n3", hours=2), tenant("b", "n1", "n4", hours=1))
    (level,) = pace.links.levels.values()
    assert level.name == "rack"
    assert level.samples[0].peak >= 999
    assert level.samples[-1][1:] == (0, 0)
    first = level.samples[0]
    assert first.mean == pytest.approx(1000 * 4 / 6, abs=2)  # four of six directions of three uplinks
    assert 0 < level.mean(level.samples[-1].at) <= first.mean


def recounted(engine: Engine) -> dict[str, int]:
    """Return the pace of everybody in millionths: one water filling over all links and all workloads."""
    link_time = engine.link_time
    assert link_time is not None
    steps = {
        record: step
        for record in engine.records.values()
        if link_time.known(record.demand) and not record.short() and (step := link_time.step_here(record.demand))
    }
    speaking = [record for record, step in steps.items() if step.carried]
    flows = [
        Flow(
            "",
            tuple(steps[r].carried),
            steps[r].wants(max(steps[r].carried.values())),
            1,
            tuple(steps[r].carried.values()),
        )
        for r in speaking
    ]
    capacity = {uplink: link_time.capacity(0, uplink[0]) for flow in flows for uplink in flow.links}
    lasts: dict[Record, Fraction] = {record: Fraction(step.lasts()) for record, step in steps.items()}
    for record, flow, rate in zip(speaking, flows, fair_rates(capacity, flows), strict=True):
        lasts[record] = max(lasts[record], Fraction(max(flow.carried) * 8 * 10**9) / rate)
    return {
        record.workload.name: min(
            link_time.best(record.demand) * MILLION // -(-time.numerator // time.denominator), MILLION
        )
        for record, time in lasts.items()
    }


class Checked(ContendedPace):
    """After each change everybody's pace is what one division of all links says."""

    def rates(self, changed: Iterable[str], now: int) -> dict[str, tuple[int, int]]:
        news = dict(super().rates(list(changed), now))
        known: dict[str, int] = self.__dict__.setdefault("known", {})
        known.update({name: pace for name, (pace, _) in news.items()})
        for name, pace in recounted(self.engine).items():
            assert known.get(name, MILLION) == pytest.approx(pace, abs=1)
        for level in self.links.levels.values():
            assert all(0 <= sample.mean <= sample.peak <= 1000 for sample in level.samples)
        return news


JOBS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 50), st.integers(1, 40), st.sampled_from(["0s", "200ms", "5s"])),
    min_size=1,
    max_size=8,
)


@examples(25)
@given(JOBS)
def test_only_what_a_change_concerns_is_computed_and_all_of_that(jobs: list[tuple[int, int, int, str]]) -> None:
    workloads = [
        replace(
            gang(f"j{number}", pods, request(8), preferred="superpod"),
            submit=submit * SECOND,
            duration=duration * SECOND,
            traffic=replace(DENSE, sizes=DENSE.sizes | {"compute": compute}),
        )
        for number, (pods, submit, duration, compute) in enumerate(jobs)
    ]
    simulation = Simulation(document(*workloads), pace=Checked)
    simulation.run()
    assert set(simulation.history.ended) == {workload.name for workload in workloads}
    for name, record in simulation.pace.steps.items() if isinstance(simulation.pace, Checked) else ():
        assert record.lasts == 0, name
