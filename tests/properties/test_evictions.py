"""What must hold whenever somebody has to go for somebody else, on random clusters full of queues and rivals."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.outcome import after
from railwise.model.plan import Plan, State
from tests.engine.eviction.scenes import engine
from tests.oracle.cluster import Cluster, leaves
from tests.oracle.making_room import Room
from tests.oracle.things import began, pods_of
from tests.oracle.victim_instances import contest, rivals

ROOT = Path(__file__).resolve().parents[2]
seeds = st.integers(0, 2**32 - 1)


def lost_by(plan: Plan) -> dict[str, set[str]]:
    """Return the names of the pods that stopped or moved, by workload."""
    gone: dict[str, set[str]] = {}
    for one in plan.evictions:
        gone.setdefault(one.workload, set()).update(one.pods)
    for move in plan.moves:
        gone.setdefault(move.workload, set()).update(pod.name for pod in move.pods)
    return gone


@given(seeds)
def test_a_second_plan_evicts_only_for_those_who_were_stopped_by_the_first(seed: int) -> None:
    scenario = contest(seed)
    plan = plan_scenario(scenario)
    again = plan_scenario(after(scenario, plan))
    stopped = {one.workload for one in plan.evictions}
    assert {one.beneficiary for one in again.evictions} | {one.beneficiary for one in again.moves} <= stopped


@given(seeds)
def test_without_an_event_rounds_settle_and_no_pod_is_reclaimed_twice_for_one_queue(seed: int) -> None:
    scenario = rivals(seed)
    queues = {workload.name: workload.queue for workload in scenario.workloads}
    made = Engine(scenario)
    reclaimed: set[tuple[str, str]] = set()
    for _ in range(8):
        plan = made.cycle(())
        if not plan.evictions and not plan.moves:
            return
        for one in plan.evictions:
            taker = queues[one.beneficiary]
            if queues[one.workload] != taker:
                assert reclaimed.isdisjoint((pod, taker) for pod in one.pods)
                reclaimed.update((pod, taker) for pod in one.pods)
    raise AssertionError("still evicting")


@given(seeds)
def test_a_pod_is_named_once_however_often_it_had_to_go(seed: int) -> None:
    plan = plan_scenario(rivals(seed))
    named = [pod for one in plan.evictions for pod in one.pods]
    named += [pod.name for one in plan.moves for pod in one.pods]
    assert len(named) == len(set(named))


@given(seeds)
def test_never_double_booked_and_required_rules_hold_after_evictions_and_moves(seed: int) -> None:
    scenario = rivals(seed)
    plan = plan_scenario(scenario)
    empty = Cluster(replace(scenario, workloads=()))
    for workload, one in zip(scenario.workloads, plan.workloads, strict=True):
        groups = {"/".join(path): group for path, group in leaves(workload.root)}
        for pod in one.pods:
            group = groups[pod.group]
            cards = [int(card) for card in pod.cards]
            assert empty.by_name[pod.node].put(group.request, group.card_rule, cards) == "", (workload.name, pod)
        if workload.root.topology.required == "rack" and one.pods:
            assert len(one.domains["rack"]) == 1


@given(seeds)
def test_who_is_firm_young_or_more_important_stays(seed: int) -> None:
    scenario = rivals(seed)
    plan = plan_scenario(scenario)
    by_name = {workload.name: workload for workload in scenario.workloads}
    takers = [(one.workload, one.beneficiary) for one in plan.evictions]
    takers += [(one.workload, one.beneficiary) for one in plan.moves]
    for name, taker in takers:
        old, new = by_name[name], by_name[taker]
        room = Room(replace(scenario, workloads=(*(w for w in scenario.workloads if w is not new), new)))
        assert pods_of(old)
        assert room.may_ever_go(old), (name, taker)


@given(seeds)
def test_nobody_goes_who_does_not_help(seed: int) -> None:
    scenario = contest(seed)
    made = Engine(scenario)
    made.cycle(())
    room = Room(scenario)
    gone = {
        one.record.workload.name: {(one.record.demand.leaves[leaf].path, rank) for leaf, rank in one.pods}
        for one in made.decider.news.evicted
    }
    ways = [
        [way for way in room.choices(room.by_name[name]) if set().union(*(t.pods for t in way)) == pods]
        for name, pods in gone.items()
    ]
    everybody = tuple(thing for way in ways for thing in way[-1])
    for spared in everybody:
        rest = tuple(thing for thing in everybody if thing is not spared)
        assert not (room.fits(rest) and room.legal(rest, near_stay=True)), spared


@given(seeds)
def test_a_queue_within_its_quota_loses_nothing_to_other_queues(seed: int) -> None:
    scenario = contest(seed)
    if not scenario.queues:
        return
    room = Room(scenario)
    for name in lost_by(plan_scenario(scenario)):
        queue = room.by_name[name].queue
        if queue == room.claimant.queue:
            continue
        above = [one for one in room.tree.path(queue) if one not in room.tree.path(room.claimant.queue)]
        for one in above:
            assert any(
                room.held[one].get(resource, 0) > min(room.quotas[one, resource], room.shares[one, resource])
                for resource in room.tree.resources
            )


@given(seeds)
def test_making_room_in_vain_leaves_everything_as_it_was(seed: int) -> None:
    made = engine(contest(seed))
    evictor = made.decider.evictor
    assert evictor is not None
    claimant = next(record for record in made.records.values() if not record.pods)
    before = _everything(made)
    if evictor.make_room(claimant, [0]) is None:
        assert _everything(made) == before


def _everything(made: Engine) -> tuple[object, ...]:
    records = [
        (
            name,
            dict(one.pods),
            one.began,
            dict(one.later),
            set(one.lost),
            one.broken,
            one.changed,
            one.started,
            one.current,
            dict(one.charged),
            [dict(leaf.fixed) for leaf in one.demand.leaves],
        )
        for name, one in made.records.items()
    ]
    tree = made.accounts.tree
    books = [{queue: dict(amounts) for queue, amounts in book.items()} for book in (tree.held, tree.firm)]
    return made.state.snapshot(), made.state.freed, records, books, list(made.workloads.waiting)


@given(seeds)
def test_moved_gangs_keep_their_number_of_pods(seed: int) -> None:
    scenario = rivals(seed)
    plan = plan_scenario(scenario)
    moved = {one.workload for one in plan.moves} - {one.workload for one in plan.evictions}
    for workload, one in zip(scenario.workloads, plan.workloads, strict=True):
        if workload.name in moved:
            assert one.state in {State.MOVED, State.RUNNING}
            assert len(one.pods) >= len(pods_of(workload))
        elif one.state is State.RUNNING and workload.name not in lost_by(plan):
            assert began(workload) <= 0


def digest(first: int, last: int) -> str:
    """Return a digest of the plans of some seeds."""
    text = "\n".join(repr(plan_scenario(rivals(seed))) for seed in range(first, last))
    return sha256(text.encode()).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_another_hash_seed_evicts_the_same(hash_seed: str) -> None:
    code = "from tests.properties.test_evictions import digest; print(digest(0, 60))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == digest(0, 60)


@given(seeds)
def test_new_names_evict_the_same(seed: int) -> None:
    scenario = rivals(seed)
    names = {
        workload.name: f"x{len(scenario.workloads) - number}" for number, workload in enumerate(scenario.workloads)
    }
    renamed = replace(scenario, workloads=tuple(replace(one, name=names[one.name]) for one in scenario.workloads))
    assert _named(plan_scenario(renamed), {}) == _named(plan_scenario(scenario), names)


def _named(plan: Plan, names: dict[str, str]) -> list[tuple[str, str, int, int]]:
    told = [(one.workload, one.beneficiary, len(one.pods), one.lost) for one in plan.evictions]
    told += [(one.workload, one.beneficiary, len(one.pods), one.lost) for one in plan.moves]
    return [(names.get(old, old), names.get(new, new), count, lost) for old, new, count, lost in told]


def test_the_clusters_are_what_these_tests_are_about() -> None:
    plans = [plan_scenario(rivals(seed)) for seed in range(60)]
    assert sum(bool(plan.evictions) for plan in plans) > 15
    assert sum(bool(plan.moves) for plan in plans) > 1
