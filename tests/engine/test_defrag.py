"""Proposals of moves: the biggest waiting gang first, the least lost work, slots where nobody starts by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.engine.defrag import Proposal, propose_moves
from railwise.engine.outcome import after
from railwise.model.plan import State
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload
from tests.engine.small import gang, locked, racks, request, running, scenario

HOUR = 3_600_000_000


def aged(workload: Workload, hours: int) -> Workload:
    held = workload.root.running
    assert held is not None
    return replace(workload, root=replace(workload.root, running=replace(held, since=-hours * HOUR)))


def broken(*more: Workload) -> Scenario:
    """Return three racks of two nodes, each with one node half used, for one, two and three hours."""
    halves = [aged(running(f"half-{hours}", [f"n{2 * hours - 2}"], request(4)), hours) for hours in (1, 2, 3)]
    return scenario(racks(2, 2, 2), *halves, *more)


def pair(name: str, cards: int = 8) -> Workload:
    return locked(gang(name, 2, request(cards)), required="rack")


def moved(proposal: Proposal) -> list[str]:
    return [move.workload for move in proposal.plan.moves]


def test_the_cheapest_move_starts_a_waiting_pair() -> None:
    proposal = propose_moves(broken(pair("pair")), 4)
    assert proposal.starts == "pair"
    assert moved(proposal) == ["half-1"]
    assert proposal.lost == 4 * 3600
    states = {one.name: one.state for one in proposal.plan.workloads}
    assert states == {"half-1": State.MOVED, "pair": State.PLACED}


def test_the_biggest_gang_is_tried_first() -> None:
    proposal = propose_moves(broken(pair("small", 5), pair("large", 8)), 4)
    assert proposal.starts in {"large", "small"}
    waits = [one.name for one in proposal.first.workloads if one.reason is not None]
    assert proposal.starts == ("large" if "large" in waits else waits[0])


@pytest.mark.parametrize(("most", "lost", "starts"), [(1, 0, True), (1, 4 * 3600, True), (1, 4 * 3600 - 1, False)])
def test_bounds_are_kept(most: int, lost: int, *, starts: bool) -> None:
    proposal = propose_moves(broken(pair("pair")), most, lost)
    assert bool(proposal.starts) is starts
    assert len(proposal.plan.moves) <= most
    assert not lost or proposal.lost <= lost


def test_without_anybody_waiting_moves_win_slots() -> None:
    proposal = propose_moves(broken(), 1)
    assert proposal.starts == ""
    assert len(moved(proposal)) == 1
    assert proposal.after["rack"][2] == proposal.before["rack"][2] + 1


def test_nothing_is_proposed_where_nothing_helps() -> None:
    proposal = propose_moves(scenario(racks(2, 2)), 4)
    assert proposal.plan.moves == ()
    assert proposal.before == proposal.after


def test_work_that_must_not_stop_is_not_moved() -> None:
    known = broken(pair("pair"))
    firm = replace(known, workloads=tuple(replace(one, preemptible=False) for one in known.workloads))
    assert propose_moves(firm, 4).plan.moves == ()


def test_after_the_moves_the_workload_runs_and_nobody_is_touched_again() -> None:
    proposal = propose_moves(broken(pair("pair")), 4)
    later = after(proposal.scenario, proposal.plan)
    plan = plan_scenario(later)
    assert {one.state for one in plan.workloads} == {State.RUNNING}
    assert not plan.moves
