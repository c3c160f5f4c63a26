"""Defragmentation as a proposal: the cheapest moves by which the biggest waiting gang starts, else more slots.

Everything that can start without moves is planned first. Then the waiting workloads are tried from the largest down;
where no moves help any of them, single workloads are moved to where they break less, as long as that gains room.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from railwise.engine.cluster.ledger import Grant
from railwise.engine.cluster.shapes import Shape
from railwise.engine.cycle import Engine, plan_scenario
from railwise.engine.eviction.loss import CARD_SECOND, loss_of_gang
from railwise.engine.eviction.news import Evicted, taken_from
from railwise.engine.eviction.quality import worth
from railwise.engine.gangs.charges import GPU, of_ranks
from railwise.engine.gangs.record import Record
from railwise.engine.gangs.spot import Spot
from railwise.engine.outcome import after
from railwise.engine.search.placement import Found
from railwise.engine.search.sizing import taking_part
from railwise.engine.slots import slots_left
from railwise.model.plan import Plan, State
from railwise.model.reason import Code
from railwise.model.scenario import Scenario

MOST_TRIED: Final = 256
"""So many workloads are tried as the one whose move gains most."""

FRAGMENTED: Final = frozenset({Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED})
"""What moves may help against."""


class Proposal(NamedTuple):
    """Moves on top of a plan.

    ``scenario`` is the document after ``first``, the plan without moves; ``plan`` holds the moves and what starts by
    them (``starts``: its name, empty where only slots are won); ``lost`` is in GPU-seconds, slots as ``slots_left``.
    """

    scenario: Scenario
    first: Plan
    plan: Plan
    starts: str
    lost: int
    before: dict[str, dict[int, int]]
    after: dict[str, dict[int, int]]


def propose_moves(scenario: Scenario, most: int, lost: int = 0) -> Proposal:
    """Return the cheapest moves of at most ``most`` workloads and ``lost`` GPU-seconds (0: no bound); perhaps none."""
    quiet = replace(scenario, policy=replace(scenario.policy, defrag_max_moves=0))
    first = plan_scenario(quiet)
    later = after(quiet, first)
    engine = Engine(later)
    second = engine.cycle(())
    for one in first.workloads:
        if one.state is State.PLACED:
            engine.records[one.name].started = False
    before = slots_left(engine.state)
    news = engine.decider.open_round()
    starts = ""
    waiting = [one.name for one in second.workloads if one.reason is not None and one.reason.code in FRAGMENTED]
    for record in sorted(
        (engine.records[name] for name in waiting), key=lambda one: (-_cards(engine, one), _order(one))
    ):
        if engine.decider.rearrange(record, most, lost):
            starts = record.workload.name
            break
    if not starts:
        _gain(engine, most, lost)
    moves = news.moves(engine.state)
    touched = [name for name in engine.records if name == starts or any(move.workload == name for move in moves)]
    plan = Plan(
        scenario=scenario.name,
        time=0,
        workloads=tuple(engine.describe(engine.records[name], None) for name in touched),
        moves=moves,
        slots_left=slots_left(engine.state),
    )
    return Proposal(later, first, plan, starts, sum(move.lost for move in moves), before, plan.slots_left)


def _cards(engine: Engine, record: Record) -> int:
    ranks = {leaf.index: list(range(leaf.group.min_pods)) for leaf in record.demand.leaves}
    return of_ranks(record.demand, ranks, engine.state).get(GPU, 0)


def _order(record: Record) -> tuple[int, str]:
    return record.workload.order, record.workload.name


def _gain(engine: Engine, most: int, lost: int) -> None:
    """Move one workload after the other, each time the one that gains most potential, as long as one gains any."""
    spent = 0
    for _ in range(most):
        best: tuple[int, int, int, Record, Found] | None = None
        for record in _movable(engine):
            price = loss_of_gang(record, engine.state, engine.workloads.now)
            if lost and spent + price > lost * CARD_SECOND:
                continue
            found, gained = _better_place(engine, record)
            if found is not None and gained > 0:
                offer = (gained, -price, -record.workload.order, record, found)
                if best is None or offer[:3] > best[:3]:
                    best = offer
        if best is None:
            return
        spent -= best[1]
        _move(engine, best[3], best[4])


def _movable(engine: Engine) -> list[Record]:
    """Return the workloads that may be moved, the smallest first."""
    moved = {one.record for one in engine.decider.news.restarted}
    records = [
        record
        for record in engine.records.values()
        if record.started and record.pods and record.workload.preemptible and record not in moved
    ]
    records.sort(key=lambda record: (sum(taken_from(record, list(record.pods), engine.state).values()), _order(record)))
    return records[:MOST_TRIED]


def _better_place(engine: Engine, record: Record) -> tuple[Found | None, int]:
    """Return the best place of a workload if it were placed anew, and the potential that the cluster gains by it."""
    state, demand = engine.state, record.demand
    freed = state.freed
    ranks: dict[int, list[int]] = {}
    for number, rank in sorted(record.pods):
        ranks.setdefault(demand.leaves[number].index, []).append(rank)
    pods = engine.workloads.lift(record, list(record.pods))
    answer = engine.decider.search.place(demand, ranks, taking_part(demand, ranks))
    found = answer if isinstance(answer, Found) else None
    spots = found.pods if found is not None else []
    nodes = sorted({node for node, _ in pods.values()} | {spot.node for spot in spots})
    there = _worth_with(engine, record, spots, nodes)
    engine.workloads.set_back(record, pods)
    state.freed = freed
    return found, there - worth(state, nodes)


def _worth_with(engine: Engine, record: Record, spots: list[Spot], nodes: list[int]) -> int:
    """Return the potential of some nodes with pods put there for a moment."""
    state = engine.state
    put: list[tuple[Shape, int, Grant]] = []
    for spot in spots:
        shape = record.demand.leaves[spot.leaf].shape
        grant = state.put(shape, spot.node, spot.chosen) if shape is not None else None
        if shape is not None and grant is not None:
            put.append((shape, spot.node, grant))
    total = worth(state, nodes)
    for shape, node, grant in reversed(put):
        state.take_away(shape, node, grant)
    return total


def _move(engine: Engine, record: Record, found: Found) -> None:
    cards = taken_from(record, list(record.pods), engine.state)
    price = loss_of_gang(record, engine.state, engine.workloads.now)
    pods = engine.workloads.take(record, list(record.pods))
    engine.workloads.place(record, found.pods)
    engine.decider.news.restarted.append(Evicted(record, pods, cards, record, price, "moved to where it breaks less"))
