"""Guarantees of whole domains: what counts, what is refused, where else work goes, and what a queue may demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, NodeChange, Submit
from railwise.engine.queues.guarantee import Guarantee
from railwise.engine.queues.promise_gate import PromiseRule
from railwise.model.node import Node
from railwise.model.plan import State, WorkloadPlan
from railwise.model.queue import Queue
from railwise.model.reason import Code
from railwise.model.workload import Workload
from tests.engine.small import gang, group, racks, request, running, scenario, where

GOLD = Queue("gold", guarantee={"rack": 1})
SILVER = Queue("silver", quota={"gpu": 64_000})
OTHER = Queue("other", quota={"gpu": 64_000})


def engine(nodes: Sequence[Node], queues: Sequence[Queue], *workloads: Workload) -> Engine:
    made = Engine(replace(scenario(nodes, *workloads), queues=tuple(queues)))
    made.cycle(())
    return made


def firm(queue: str, workload: Workload) -> Workload:
    return replace(workload, queue=queue, preemptible=False)


def soft(queue: str, workload: Workload) -> Workload:
    return replace(workload, queue=queue)


def decided(to: Engine, workload: Workload, *before: Event) -> WorkloadPlan:
    plan = to.cycle([*before, Submit(workload)])
    return next(one for one in plan.workloads if one.name == workload.name)


def outcome(plan: WorkloadPlan) -> list[str] | Code:
    return where(plan) if plan.reason is None else plan.reason.code


def books(of: Engine) -> Guarantee:
    guarantee = of.accounts.guarantee
    assert guarantee is not None
    return guarantee


def quota(of: Engine, queue: str) -> int:
    return of.accounts.tree.quota[queue].get("gpu", 0)


# --- What is promised ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guarantee", "own", "cards"),
    [
        ({"rack": 1}, {}, 24),  # the largest rack has three nodes
        ({"rack": 2}, {}, 40),
        ({"superpod": 1}, {}, 40),
        ({"superpod": 1, "rack": 1}, {}, 64),  # level by level
        ({"node": 2}, {}, 16),
        ({"rack": 1}, {"gpu": 8_000}, 24),
        ({"rack": 1}, {"gpu": 32_000}, 32),
        ({"pod": 3}, {}, 0),  # no such level: nothing is promised
        ({"rack": 9}, {}, 56),  # no more than there is
    ],
)
def test_a_promise_implies_the_quota_of_its_cards(guarantee: dict[str, int], own: dict[str, int], cards: int) -> None:
    made = engine(racks(2, 3, 1, 1), [Queue("gold", quota=own, guarantee=guarantee)])
    assert quota(made, "gold") == 1000 * cards


def test_without_guarantees_nothing_is_kept_and_nothing_asked() -> None:
    for queues in ([], [SILVER], [Queue("gold", guarantee={"pod": 1})], [Queue("gold", guarantee={"rack": 0})]):
        made = engine(racks(2, 2), queues)
        assert made.accounts.guarantee is None
        assert not any(isinstance(rule, PromiseRule) for rule in made.decider.rules)


def test_a_promise_that_wider_ones_leave_nothing_for_is_named() -> None:
    queues = [Queue("gold", guarantee={"superpod": 1}), Queue("silver", guarantee={"rack": 3})]
    made = engine(racks(1, 1, 1, 1), queues)
    assert books(made).promised == ((1, 0), (0, 2))
    assert [text for text in made.warnings if "'silver'" in text and "3 rack" in text and "leave 2" in text]


def test_a_parent_shares_out_what_its_queues_are_not_promised_themselves() -> None:
    queues = [
        Queue("team", guarantee={"rack": 3}),
        Queue("a", "team", guarantee={"rack": 1}),
        Queue("b", "team"),
    ]
    made = engine(racks(1, 1, 1, 1), queues)
    assert dict(zip(books(made).holders, books(made).promised, strict=True)) == {"team": ((2,)), "a": ((1,))}
    assert books(made).holder_of["b"] == books(made).holder_of["team"]


# --- What may stand where --------------------------------------------------------------------------------------------


def test_firm_work_goes_elsewhere_and_waits_where_there_is_no_elsewhere() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER], firm("silver", running("s", ["n0"], request(8))))
    assert outcome(decided(made, firm("silver", gang("a", 1, request(8))))) == ["n1"]
    before = made.state.snapshot()
    late = decided(made, firm("silver", gang("b", 1, request(8))))
    assert outcome(late) is Code.RESERVED
    assert late.reason is not None
    assert "'gold'" in late.reason.summary
    assert "1 rack" in late.reason.summary
    assert made.state.snapshot() == before
    assert outcome(decided(made, soft("silver", gang("c", 2, request(8))))) == ["n2", "n3"]
    assert outcome(decided(made, firm("gold", gang("d", 1, request(8))), Finish("c"))) == ["n2"]


def test_the_rack_of_its_own_work_is_the_queue_s_own() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER])
    assert outcome(decided(made, firm("gold", gang("g", 1, request(8))))) == ["n0"]
    assert outcome(decided(made, firm("silver", gang("s", 2, request(8))))) == ["n2", "n3"]
    assert outcome(decided(made, firm("silver", gang("t", 1, request(8))))) is Code.RESERVED
    assert outcome(decided(made, firm("gold", gang("h", 1, request(8))))) == ["n1"]


def test_a_gang_over_several_racks_takes_no_more_of_them_than_may_go() -> None:
    made = engine(racks(2, 2, 2, 2), [Queue("gold", guarantee={"rack": 2}), SILVER])
    assert outcome(decided(made, firm("silver", gang("a", 5, request(8))))) is Code.RESERVED
    assert outcome(decided(made, firm("silver", gang("b", 4, request(8))))) == ["n0", "n1", "n2", "n3"]


@pytest.mark.parametrize(("rule", "used"), [(True, ["n0", "n1", "n1", "n2"]), (False, ["n0", "n2", "n4", "n6"])])
def test_racks_that_are_harmless_one_by_one_are_not_all_taken(rule: bool, used: list[str]) -> None:
    busy = [soft("silver", running(f"s{number}", [f"n{number}"], request(4))) for number in (0, 2, 4, 6)]
    made = engine(racks(2, 2, 2, 2), [Queue("gold", guarantee={"rack": 2}), SILVER], *busy)
    if not rule:
        made.decider.rules.clear()
    scattered = firm("silver", gang("a", 4, request(4), preferred="none"))
    assert sorted(where(decided(made, scattered))) == used


def test_surplus_keeps_promises_too() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER])
    grown = replace(firm("silver", gang("a", 1, request(8))), root=group("", 4, request(8), least=1))
    assert outcome(decided(made, grown)) == ["n0", "n1"]


@pytest.mark.parametrize(("busy", "free"), [([], 1), (["n4"], 0), (["n0"], 1), (["n0", "n1"], 0)])
def test_a_promised_superpod_takes_its_racks_from_the_promised_racks(busy: list[str], free: int) -> None:
    """Superpods of two, two and one rack. The first workload takes the last rack, which leaves no rack to spare."""
    queues = [Queue("gold", guarantee={"superpod": 1}), Queue("iron", guarantee={"rack": 2}), SILVER]
    made = engine(
        racks(1, 1, 1, 1, 1), queues, *[firm("silver", running(f"s{node}", [node], request(8))) for node in busy]
    )
    plan = made.cycle([Submit(firm("silver", gang(f"w{number}", 1, request(8)))) for number in range(3)])
    assert [one.state for one in plan.workloads] == [State.PLACED] * free + [State.PENDING] * (3 - free)
    assert books(made).firm.kept(books(made).promised) == books(made).promised


@pytest.mark.parametrize(("pods", "expected"), [(1, ["n2"]), (2, ["n2", "n3"]), (3, ["n1", "n2", "n3"])])
def test_preemptible_work_inside_its_guarantee_stays_out_of_the_way_beyond_it_does_not(
    pods: int, expected: list[str]
) -> None:
    queues = [Queue("a", guarantee={"rack": 1}), Queue("b", guarantee={"rack": 1})]
    made = engine(racks(2, 2), queues, soft("a", running("w", ["n0"], request(8))))
    assert sorted(where(decided(made, soft("b", gang("v", pods, request(8)))))) == expected


def test_what_started_first_is_inside_first() -> None:
    queues = [Queue("a", guarantee={"rack": 1}), Queue("b", guarantee={"rack": 1}), OTHER]
    made = engine(racks(2, 2, 2), queues)
    made.cycle([Submit(soft("a", gang("early", 2, request(8))))], now=1)
    made.cycle([Submit(soft("a", gang("late", 1, request(8))))], now=2)
    stands = {record.workload.name: stand.inside for record, stand in books(made).stands.items()}
    assert (stands["early"], stands["late"]) == (0, -1)
    made.cycle([Finish("early")], now=3)
    stands = {record.workload.name: stand.inside for record, stand in books(made).stands.items()}
    assert stands == {"late": 0}


def test_who_goes_for_a_moment_is_inside_as_before() -> None:
    queues = [Queue("a", guarantee={"rack": 1}), OTHER]
    first, second = running("first", ["n0", "n1"], request(8)), running("second", ["n2"], request(8))
    made = engine(racks(2, 2, 2), queues, soft("a", first), soft("a", second))
    guarantee, workloads = books(made), made.workloads
    before = dict(guarantee.stands), list(guarantee.used), [list(level) for level in guarantee.kept.kind]
    one, two = made.records["first"], made.records["second"]
    pods = workloads.take(one, list(one.pods)), workloads.take(two, list(two.pods))
    assert guarantee.used == [0]
    workloads.restore(two, pods[1])
    workloads.restore(one, pods[0])
    assert (dict(guarantee.stands), guarantee.used, guarantee.kept.kind) == before
    assert (guarantee.stands[one].inside, guarantee.stands[two].inside) == (0, -1)


def test_agents_without_cards_spoil_no_domain() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER], firm("silver", running("agent", ["n0", "n2"], request(cpu=1000))))
    assert books(made).firm.kept(books(made).promised) == ((1,),)
    assert outcome(decided(made, firm("silver", gang("a", 1, request(8))))) == ["n0"]
    assert outcome(decided(made, firm("silver", gang("b", 2, request(8))))) is Code.RESERVED


def test_on_nodes_without_cards_pods_without_cards_count() -> None:
    made = engine(racks(1, 1, gpus=0), [GOLD, replace(SILVER, quota={"gpu": 8000})])
    assert outcome(decided(made, firm("silver", gang("a", 1, request(cpu=1000))))) == ["n0"]
    assert outcome(decided(made, firm("silver", gang("b", 2, request(cpu=1000), preferred="none")))) == ["n0", "n0"]


# --- Failures --------------------------------------------------------------------------------------------------------


def test_a_dead_node_takes_its_rack_from_the_promises_a_cordon_does_not() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER])
    made.cycle([NodeChange("n0", {"unschedulable": True})])
    assert outcome(decided(made, firm("silver", gang("a", 1, request(8))))) == ["n1"]
    made.cycle([Finish("a"), NodeChange("n3", {"ready": False})])
    assert outcome(decided(made, firm("silver", gang("b", 1, request(8))))) == ["n2"]
    made.cycle([Finish("b"), NodeChange("n0", {"ready": False})])
    assert books(made).firm.kept(books(made).promised) == ((0,),)
    assert outcome(decided(made, firm("silver", gang("c", 1, request(8))))) == ["n1"]


def test_a_promise_comes_back_with_the_node() -> None:
    made = engine(racks(1, 1), [Queue("gold", guarantee={"rack": 2}), SILVER])
    made.cycle([NodeChange("n0", {"ready": False})])
    assert outcome(decided(made, firm("silver", gang("a", 1, request(8))))) is Code.RESERVED
    made.cycle([NodeChange("n0", {"ready": True})])
    assert books(made).firm.kept(books(made).promised) == ((2,),)


def test_in_a_shortage_each_keeps_what_it_uses() -> None:
    queues = [Queue("a", guarantee={"node": 2}), Queue("b", guarantee={"node": 1})]
    used = [soft("a", running("first", ["n0"], request(8))), soft("b", running("other", ["n2"], request(8)))]
    made = engine(racks(1, 1, 1), queues, *used)
    made.cycle([NodeChange("n1", {"ready": False})])
    assert books(made).kept.kept(books(made).promised) == ((1,), (1,))
    claims = [(claim.level, claim.owed, claim.domains) for claim in books(made).claims("a")]
    assert claims == [("node", 1, ((0,),))]


# --- Claims ----------------------------------------------------------------------------------------------------------


def test_a_queue_may_demand_its_own_domains_first_and_none_that_others_are_owed() -> None:
    queues = [Queue("a", guarantee={"rack": 1}), Queue("b", guarantee={"rack": 1}), SILVER]
    made = engine(
        racks(1, 1, 1, 1),
        queues,
        soft("a", running("w", ["n2"], request(4))),
        firm("silver", running("s", ["n0"], request(8))),
        soft("silver", running("t", ["n1", "n3"], request(8))),
    )
    (claim,) = books(made).claims("a")
    assert (claim.level, claim.owed, claim.domains) == ("rack", 1, ((2,), (1,), (3,)))
    (claim,) = books(made).claims("b")
    assert claim.domains == ((1,), (3,))
    assert books(made).claims("silver") == []


def test_a_claimed_domain_is_had_once_preemptible_work_has_gone() -> None:
    made = engine(racks(2, 2), [GOLD, SILVER], firm("silver", running("s", ["n0"], request(8))))
    made.cycle([Submit(soft("silver", gang("t", 2, request(8), required="rack")))])
    (claim,) = books(made).claims("gold")
    assert claim.domains == ((2, 3),)
    made.cycle([Submit(firm("gold", gang("g", 2, request(8), required="rack")))])
    made.cycle([Finish("t")])
    assert sorted(made.state.nodes[node].name for node, _ in made.records["g"].pods.values()) == ["n2", "n3"]
