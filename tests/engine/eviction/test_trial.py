"""The search among victims: its bound, its twins, its budget, and that it leaves no trace."""

from __future__ import annotations

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.eviction.bound import Bound
from railwise.engine.eviction.claim import Claim
from railwise.engine.eviction.together import surplus_of, wholes_of
from railwise.engine.eviction.trial import Trial
from railwise.engine.gangs.record import Record
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import find_minimum
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.eviction.scenes import CARD, MINUTE, asks, engine, nodes, quota, runs, scene

CARD_MINUTE = CARD * MINUTE


class Case:
    """A claimant, everybody who may go for it, and how often the search was asked."""

    def __init__(self, scenario: Scenario) -> None:
        self.made: Engine = engine(scenario)
        self.searches = 0
        record = self.made.records["new"]
        self.claim = Claim(record, 0, self.made.workloads, self._minimum)
        self.records = [one for one in self.made.records.values() if self.claim.rights.may_take(one)]

    def _minimum(self, record: Record, index: int) -> Found | None:
        self.searches += 1
        found = find_minimum(record.demands[index], self.made.decider.gate(record).place)
        return found if isinstance(found, Found) else None

    def trial(self, trials: int = 400) -> Trial:
        return Trial(self.claim, wholes_of(self.claim, self.records) + surplus_of(self.claim, self.records), trials)


def names(trial: Trial) -> list[str]:
    way = trial.run()
    return sorted(unit.record.workload.name for unit in way.units) if way is not None else []


def singles(count: int, per_node: int) -> list[Workload]:
    return [runs(f"w{n}", [f"n{n // per_node}"], 1, since=1 + (7 * n) % 50) for n in range(count)]


def test_the_cheapest_suffice_and_everything_is_as_before() -> None:
    case = Case(scene(nodes(2), *singles(8, 4), asks("new", 1, 3, priority=1)))
    before = (case.made.state.snapshot(), case.made.state.freed, dict(case.claim.before))
    assert names(case.trial()) == ["w0", "w1", "w2"]
    assert (case.made.state.snapshot(), case.made.state.freed, dict(case.claim.before)) == before
    assert case.claim.before == {queue: dict(held) for queue, held in case.made.accounts.tree.held.items()}


def test_equal_work_is_tried_in_one_order_only() -> None:
    case = Case(scene(nodes(2, gpus=8), *singles(16, 8), asks("new", 2, 8, priority=1)))
    assert len(names(case.trial())) == 16
    assert case.searches < 40
    half = Case(scene(nodes(4, gpus=8), *singles(32, 8), asks("new", 2, 4, priority=1)))
    trial = half.trial()
    assert len(names(trial)) == 8
    assert trial.exact
    assert half.searches < 100


@pytest.mark.parametrize("trials", [1, 2, 10])
def test_a_small_budget_still_gives_a_set_of_which_nobody_can_be_spared(trials: int) -> None:
    case = Case(scene(nodes(4), *singles(16, 4), asks("new", 1, 4, priority=1)))
    trial = case.trial(trials)
    way = trial.run()
    assert way is None or len(way.units) == 4
    assert trials > 2 or not trial.exact


def test_what_no_right_covers_ends_at_once() -> None:
    queues = [quota("mine", 8), quota("theirs", 8)]
    old = [runs(f"w{n}", [f"n{n // 4}"], 1, "theirs") for n in range(10)]
    firm = [runs(f"f{n}", [f"n{(n + 10) // 4}"], 1, "mine", preemptible=False) for n in range(4)]
    case = Case(scene(nodes(4), *old, *firm, asks("new", 1, 4, "mine"), queues=queues))
    assert case.trial().run() is None
    assert case.searches < 60


def test_a_shrinking_gang_gives_the_ranks_that_help_with_those_above_them() -> None:
    old = runs("old", ["n0", "n1", "n2"], 4, least=1, kind="training", elastic=True)
    case = Case(scene(nodes(3), old, asks("new", 1, 4, priority=1)))
    way = case.trial().run()
    assert way is not None
    assert [unit.keys for unit in way.units] == [[(0, 2)]]
    full = Case(scene(nodes(3), old, asks("new", 2, 4, priority=1)))
    way = full.trial().run()
    assert way is not None
    assert [unit.keys for unit in way.units] == [[(0, 2)], [(0, 1)]]


def test_the_bound_never_promises_less_than_the_cheapest_cards() -> None:
    old = [runs("cheap", ["n0"], 2, since=1), runs("dear", ["n0"], 2, since=5), runs("wide", ["n1", "n2"], 4, since=2)]
    case = Case(scene(nodes(3), *old, asks("new", 1, 4, priority=1)))
    units = wholes_of(case.claim, case.records)
    taken = {one: case.made.workloads.lift(one, list(one.pods)) for one in case.records}
    bound = Bound(case.claim, units, taken)
    by_name = {unit.record.workload.name: unit for unit in units}
    assert bound.least(set()) == 4 * 2 * CARD_MINUTE
    wide = {(by_name["wide"].record, key) for key in by_name["wide"].keys}
    assert bound.least(wide) == 0
    case.made.workloads.set_back(by_name["wide"].record, taken[by_name["wide"].record])
    assert bound.least(set()) == (2 * 1 + 2 * 5) * CARD_MINUTE
    case.made.workloads.set_back(by_name["dear"].record, taken[by_name["dear"].record])
    assert bound.least(set()) == 0


def test_there_is_no_bound_for_shares_and_pods_without_cards() -> None:
    case = Case(scene(nodes(1), runs("old", ["n0"], 4), asks("new", 1, 0, priority=1), queues=[Queue("default")]))
    assert Bound(case.claim, wholes_of(case.claim, case.records), {}).least(set()) == 0
