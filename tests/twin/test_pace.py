"""Work that goes on slower or faster than undisturbed: exact, and looked at only when something changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine
from railwise.model.policy import Change
from railwise.model.workload import Alternative, Checkpoint, Workload
from railwise.twin.pace import Rate
from railwise.twin.progress import Progress
from railwise.twin.simulation import Simulation
from tests.engine.small import flat, gang, request, scenario

SECOND = 1_000_000


def job(name: str, count: int, submit: int, duration: int) -> Workload:
    return replace(gang(name, count, request(8)), submit=submit * SECOND, duration=duration * SECOND)


class Crowd:
    """Everybody runs at 1/n of the pace, n being the number of those who run."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.asked: list[tuple[int, tuple[str, ...]]] = []

    def rates(self, changed: Sequence[str], now: int) -> Mapping[str, Rate]:
        self.asked.append((now // SECOND, tuple(changed)))
        running = [name for name, record in self.engine.records.items() if record.pods]
        return dict.fromkeys(running, (1, len(running)))


def crowd(*jobs: Workload, changes: tuple[Change, ...] = ()) -> tuple[Simulation, Crowd]:
    made: list[Crowd] = []

    def make(engine: Engine) -> Crowd:
        made.append(Crowd(engine))
        return made[0]

    simulation = Simulation(replace(scenario(flat(8, 8, 8), *jobs), changes=changes), pace=make)
    simulation.run()
    return simulation, made[0]


def test_processor_sharing_ends_when_the_arithmetic_says() -> None:
    simulation, model = crowd(job("a", 1, 0, 10), job("b", 1, 4, 3), job("c", 1, 100, 1))
    assert simulation.history.ended == {"b": 10 * SECOND, "a": 13 * SECOND, "c": 101 * SECOND}
    assert model.asked == [(0, ("a",)), (4, ("b",)), (10, ("b",)), (13, ("a",)), (100, ("c",)), (101, ("c",))]


def test_thirds_are_exact() -> None:
    simulation, _ = crowd(*(job(name, 1, 0, duration) for name, duration in (("a", 1), ("b", 2), ("c", 3))))
    assert simulation.history.ended == {"a": 3 * SECOND, "b": 5 * SECOND, "c": 6 * SECOND}


def test_facts_about_nodes_are_a_reason_to_ask() -> None:
    changes = (Change(2 * SECOND, "node", ("n2",), {"labels": {"pool": "gold"}}),)
    _, model = crowd(job("a", 1, 0, 10), changes=changes)
    assert (2, ()) in model.asked


def test_an_alternative_takes_its_slowdown_whatever_its_number_of_pods() -> None:
    root = replace(gang("a", 1, request(16)).root)
    ways = (Alternative(root), Alternative(gang("a", 2, request(8)).root, 1500))
    two_ways = replace(job("a", 1, 0, 10), root=root, alternatives=ways)
    simulation = Simulation(scenario(flat(8, 8), two_ways))
    simulation.run()
    assert simulation.history.ended == {"a": 15 * SECOND}


RATE = st.tuples(st.integers(1, 7), st.integers(1, 7))
STEP = st.tuples(st.integers(0, 50), st.sampled_from(("run", "pace", "stop")), st.integers(1, 4), RATE)


@given(steps=st.lists(STEP, max_size=30))
def test_not_a_part_of_a_unit_is_lost_or_invented(steps: list[tuple[int, str, int, Rate]]) -> None:
    work = Progress(replace(job("a", 4, 0, 10**6), checkpoint=Checkpoint(every=20)))
    now, count, done, lost, pace = 0, 0, Fraction(0), Fraction(0), Fraction(1)
    act: dict[str, Callable[[int, Rate], None]] = {
        "run": lambda count, _: work.run(count, now, fresh=False),
        "pace": lambda _, rate: work.at_pace(rate, now),
        "stop": lambda _, __: work.stop(now),
    }
    for wait, what, new, rate in steps:
        now += wait
        done += count * pace * wait
        act[what](new, rate)
        if what == "run":
            count = new
        elif what == "pace":
            pace = Fraction(*rate)
        else:
            count = 0
            saved = done // 80 * 80
            lost, done = lost + done - saved, Fraction(saved)
        assert (work.done, work.lost) == (done, lost)
        end = work.end(now)
        if end is not None:
            speed = count * pace
            assert done + speed * (end - now) >= work.total > done + speed * (end - now - 1)
