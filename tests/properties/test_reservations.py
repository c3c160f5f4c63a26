"""What reservations promise: nobody reserved is delayed by who overtakes, and nobody waits for ever.

Workloads run in virtual time for exactly as long as they say (or for as long as only the test knows).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.events import Submit
from railwise.engine.outcome import after
from railwise.engine.waiting.backfill import Backfill
from railwise.engine.waiting.timetable import Timetable
from railwise.model.node import Node
from railwise.model.plan import Plan, State
from railwise.model.policy import MINUTE, Policy
from railwise.model.reason import Act, Code, Reason
from railwise.model.workload import Workload
from tests.engine.random_life import Life
from tests.engine.small import flat, gang, group, grouped, racks, request
from tests.engine.virtual_time import Rounds, lasting
from tests.examples import examples
from tests.oracle.instances import crowd

seeds = st.integers(0, 2**32 - 1)
HOUR = 60 * MINUTE


def drawn_nodes(random: Random) -> list[Node]:
    """Return a small cluster: flat, or racks of different sizes."""
    if random.random() < 0.4:
        return flat(*[8] * random.randint(2, 6))
    return racks(*[random.randint(1, 3) for _ in range(random.randint(2, 4))])


def drawn_workloads(random: Random, nodes: list[Node], *, known: bool) -> list[Workload]:
    """Return workloads in the order of their submission: gangs, parts of nodes, groups, some with surplus."""
    result: list[Workload] = []
    submit = 0
    racked = bool(nodes[0].places)
    for number in range(random.randint(4, 14)):
        submit += random.choice([0, 0, 1, 5, 17])
        name = f"w{number}"
        required = random.choice(["", "rack", "superpod"]) if racked else ""
        pods = random.randint(1, 3)
        asks = request(random.choice([8, 8, 8, 4, 2]))
        workload = gang(name, pods, asks, required=required)
        draw = random.random()
        if draw < 0.2:
            workload = grouped(name, group("a", 1, asks), group("b", pods, request(4)), required=required)
        elif draw < 0.35:
            workload = Workload(name, group("", pods + 2, asks, least=pods, required=required))
        minutes = random.choice([5, 10, 20, 45, 90]) if known or random.random() < 0.7 else 0
        result.append(lasting(workload, minutes, submit))
    return result


def table_of(rounds: Rounds) -> Timetable:
    """Return the promises of an engine."""
    rule = rounds.engine.backfill
    assert isinstance(rule, Backfill)
    return rule.table


class Promised:
    """Watches plans: the start promised to a workload never moves to a later time."""

    def __init__(self) -> None:
        self.starts: dict[str, int] = {}

    def __call__(self, plan: Plan) -> None:
        for kept in plan.reservations:
            if kept.start >= 0:
                assert kept.start <= self.starts.get(kept.workload, kept.start), (plan.time, kept)
                self.starts[kept.workload] = kept.start


@given(seeds, st.booleans())
def test_easy_backfill_never_delays_the_reserved_workload(seed: int, large: bool) -> None:
    random = Random(seed)
    nodes = drawn_nodes(random)
    rounds = Rounds(nodes, Policy(reserve_after=random.choice([0, 10, 600]) * MINUTE))
    table_of(rounds).large = large
    rounds.submit(*drawn_workloads(random, nodes, known=True))
    promised = Promised()
    rounds.run(100 * HOUR, promised)
    for name, start in promised.starts.items():
        assert rounds.starts[name] <= start, name


@given(seeds, st.booleans())
def test_conservative_backfill_never_delays_anybody(seed: int, large: bool) -> None:
    random = Random(seed)
    nodes = drawn_nodes(random)
    rounds = Rounds(nodes, Policy(backfill="conservative"))
    table_of(rounds).large = large
    rounds.submit(*drawn_workloads(random, nodes, known=True))
    promised = Promised()
    rounds.run(100 * HOUR, promised)
    for name, start in promised.starts.items():
        assert rounds.starts[name] <= start, name


@given(seeds)
def test_without_backfill_a_queue_starts_in_order(seed: int) -> None:
    random = Random(seed)
    nodes = drawn_nodes(random)
    workloads = drawn_workloads(random, nodes, known=True)
    rounds = Rounds(nodes, Policy(backfill="none"))
    rounds.submit(*workloads)
    rounds.run(100 * HOUR)
    starts = [rounds.starts[one.name] for one in workloads if one.name in rounds.starts]
    assert starts == sorted(starts)
    assert starts


@given(seeds)
def test_the_reserved_start_is_the_first_end_after_which_the_workload_fits(seed: int) -> None:
    """The reference tries every end: a plan of the head alone, on what still runs after it."""
    random = Random(seed)
    nodes = drawn_nodes(random)
    scenario = Rounds(nodes, Policy()).engine.scenario
    busy = [
        replace(one, submit=0, order=number) for number, one in enumerate(drawn_workloads(random, nodes, known=False))
    ]
    full = after(scenario, plan_scenario(replace(scenario, workloads=tuple(busy))))
    runs = [one for one in full.workloads if _runs(one)]
    head = replace(gang("head", random.randint(1, 3), request(8)), order=len(runs))
    plan = plan_scenario(replace(scenario, workloads=(*runs, head)))
    expected = -1
    for end in (
        sorted({one.duration for one in runs if one.duration}) if plan.workloads[-1].state is State.PENDING else []
    ):
        left = [one for one in runs if not one.duration or one.duration > end]
        if plan_scenario(replace(scenario, workloads=(*left, head))).workloads[-1].state is State.PLACED:
            expected = end
            break
    assert [one.start for one in plan.reservations] == ([] if expected < 0 else [expected])


def _runs(workload: Workload) -> bool:
    group = workload.root
    return any(part.running is not None for part in (group, *group.groups))


@pytest.mark.slow
@given(seeds)
@examples(15)
def test_nothing_starves(seed: int) -> None:
    """Small jobs come without end, and the whole-rack gang starts within a bound all the same.

    Those before it start first: all cards change hands within one life of a small job. From then on, and once it has
    waited for ``reserveAfter``, the fewest missing cards of all racks can only fall, by one a life at least: another
    rack is preferred only where strictly less is missing.
    """
    random = Random(seed)
    width = random.randint(1, 2)
    nodes = racks(*[width] * random.randint(1, 3), gpus=2)
    life, wait, first = random.randint(3, 8), random.choice([0, 10]), random.randint(1, 8)
    cards, at_once = 2 * len(nodes), 4 * len(nodes) // life + 1
    before = cards + at_once * first
    bound = first + max(wait, -(-before // cards) * life) + life * width * 2
    small = [
        lasting(gang(f"s{minute}-{number}", 1, request(1)), 0, minute)
        for minute in range(bound)
        for number in range(at_once if minute else cards)
    ]
    lasts = {one.name: round(random.uniform(1, life) * MINUTE) for one in small}
    rounds = Rounds(nodes, Policy(reserve_after=wait * MINUTE), lasts)
    rounds.submit(*small, lasting(gang("big", width, request(2), required="rack"), 0, first))
    rounds.run(bound * MINUTE)
    assert "big" in rounds.starts


def test_without_a_reservation_it_would_starve() -> None:
    """The stream of the test above is hard enough: with nothing reserved the gang waits for ever."""
    nodes = racks(2, 2, gpus=2)
    small = [lasting(gang(f"s{minute}-{n}", 1, request(1)), 0, minute) for minute in range(90) for n in range(2)]
    lasts = {one.name: (5 + number % 7) * MINUTE for number, one in enumerate(small)}
    for reservations, starts in ((0, False), (1, True)):
        rounds = Rounds(nodes, Policy(reservations=reservations), lasts)
        rounds.submit(*small, lasting(gang("big", 2, request(2), required="rack"), 0, 20))
        rounds.run(90 * MINUTE)
        assert ("big" in rounds.starts) is starts


@given(seeds)
@examples(60)
def test_computing_a_reservation_changes_nothing(seed: int) -> None:
    scenario = crowd(seed)
    random = Random(seed)
    lasting_some = tuple(replace(one, duration=random.choice([0, 1, 2, 3]) * HOUR) for one in scenario.workloads)
    policy = replace(scenario.policy, reserve_after=0, reservations=3, backfill=random.choice(["easy", "conservative"]))
    _leaves_no_trace(Engine(replace(scenario, workloads=lasting_some, policy=policy)))


@pytest.mark.slow
@given(seeds)
@examples(20)
def test_computing_a_reservation_changes_nothing_in_the_life_of_a_cluster(seed: int) -> None:
    life = Life(seed)
    engine = Engine(replace(life.scenario, policy=replace(life.scenario.policy, reserve_after=0, reservations=2)))
    for number in range(12):
        engine.cycle([Submit(replace(life.draw_workload(), duration=number % 3 * HOUR))], number)
    _leaves_no_trace(engine)


def _leaves_no_trace(engine: Engine) -> None:
    engine.cycle([])
    rule = engine.backfill
    assert isinstance(rule, Backfill)
    reason = Reason(Code.NOT_ENOUGH_FREE, "", Act.WAIT)
    for record in [one for one in engine.records.values() if one.short() and one.unreadable is None]:
        before = engine.state.snapshot()
        freed = engine.state.freed
        pods = {name: list(one.pods.items()) for name, one in engine.records.items()}
        fixed = {name: [list(leaf.fixed.items()) for leaf in one.demand.leaves] for name, one in engine.records.items()}
        held = {name: dict(amounts) for name, amounts in engine.accounts.tree.held.items()}
        rule.refused(record, reason)
        assert engine.state.snapshot() == before
        assert engine.state.freed == freed
        assert {name: list(one.pods.items()) for name, one in engine.records.items()} == pods
        assert fixed == {
            name: [list(leaf.fixed.items()) for leaf in one.demand.leaves] for name, one in engine.records.items()
        }
        assert {name: dict(amounts) for name, amounts in engine.accounts.tree.held.items()} == held
