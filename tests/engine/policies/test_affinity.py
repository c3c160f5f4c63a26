from __future__ import annotations

from dataclasses import replace

from railwise.engine.cycle import Engine, Finish, NodeChange, Submit
from railwise.engine.policies import by_name
from railwise.model.plan import State
from railwise.model.reason import Code
from railwise.model.workload import Group, Workload
from tests.engine.policies.clusters import gang, last, nodes_of, planned, racks, request, running, scenario


def test_lists_go_round_over_the_narrowest_domains_that_hold_the_workload() -> None:
    new = [gang(f"new-{number}", 2, request(gpu=8)) for number in range(4)]
    plan = planned("affinity", racks(4, 4, 4), *new)
    assert [answer.domains["rack"] for answer in plan.workloads] == [("r0",), ("r1",), ("r2",), ("r0",)]


def test_a_workload_too_large_for_a_rack_gets_a_wider_list() -> None:
    nodes = racks(4, 4, 4, 4)
    assert last(planned("affinity", nodes, gang("wide", 6, request(gpu=8)))).domains["superpod"] == ("p0",)
    assert last(planned("affinity", nodes, gang("small", 20, request(gpu=1)))).domains["rack"] == ("r0",)


def test_a_workload_too_large_for_any_domain_may_use_every_node() -> None:
    answer = last(planned("affinity", racks(4, 4, 4, 4), gang("new", 12, request(gpu=8))))
    assert answer.state is State.PLACED
    assert answer.domains["superpod"] == ("p0", "p1")
    huge = last(planned("affinity", racks(4, 4, 4, 4), gang("huge", 17, request(gpu=8))))
    assert huge.reason is not None
    assert huge.reason.code is Code.NEVER_FITS


def test_nobody_looks_at_what_is_free() -> None:
    old = running("old", ["n0", "n1"], request(gpu=8))
    answer = last(planned("affinity", racks(2, 2), old, gang("new", 2, request(gpu=8))))
    assert answer.state is State.PENDING
    assert answer.reason is not None
    assert answer.reason.code is Code.UNPROVEN


def test_a_workload_waits_for_its_own_list() -> None:
    engine = Engine(scenario(racks(2, 2)), by_name("affinity"))
    first, second, third = (gang(name, pods, request(gpu=8)) for name, pods in [("a", 2), ("b", 1), ("c", 1)])
    placed = engine.cycle([Submit(first), Submit(second), Submit(third)])
    assert [answer.state for answer in placed.workloads] == [State.PLACED, State.PLACED, State.PENDING]
    assert nodes_of(placed.workloads[0]) in (["n0", "n1"], ["n1", "n0"])
    assert engine.cycle([]).workloads[0].state is State.PENDING
    freed = engine.cycle([Finish("a")])
    assert [answer.name for answer in freed.workloads] == ["c"]
    assert freed.workloads[0].domains["rack"] == ("r0",)


def test_a_rack_that_joins_later_is_on_no_list() -> None:
    nodes = [replace(node, ready=node.name in ("n0", "n1")) for node in racks(2, 2)]
    jobs = [gang(name, 2, request(gpu=8)) for name in ("a", "b")]
    for policy, both in (("affinity", False), ("spread", True)):
        engine = Engine(scenario(nodes, *jobs), by_name(policy))
        engine.cycle([])
        engine.cycle([NodeChange(name, {"ready": True}) for name in ("n2", "n3")], 60_000_000)
        late = engine.cycle([Submit(gang("c", 3, request(gpu=8)))], 120_000_000)
        assert sum(not record.short() for record in engine.records.values()) == 1 + both, policy
        assert {answer.state for answer in late.workloads} == {State.PENDING}
        assert not any(engine.state.nodes[node].name in ("n2", "n3") for node, _ in engine.records["a"].pods.values())


def test_the_list_counts_surplus_and_all_groups() -> None:
    elastic = replace(gang("elastic", 3, request(gpu=8)), root=Group(pods=3, min_pods=1, request=request(gpu=8)))
    groups = tuple(Group(name, pods=1, min_pods=1, request=request(gpu=8)) for name in ("a", "b", "c"))
    grouped = Workload("grouped", Group(groups=groups, min_groups=3))
    for new in (elastic, grouped):
        assert last(planned("affinity", racks(2, 4), new)).domains["rack"] == ("r1",)


def test_nodes_that_refuse_the_workload_do_not_count() -> None:
    nodes = [
        replace(node, labels={"pool": "gold"}) if node.name in {"n1", "n2", "n3"} else node for node in racks(2, 2)
    ]
    new = gang("new", 2, request(gpu=8))
    picky = replace(new, root=replace(new.root, selection=replace(new.root.selection, labels=(("pool", "gold"),))))
    assert last(planned("affinity", nodes, picky)).domains["rack"] == ("r1",)


def test_lost_pods_come_back_to_the_rack_of_the_others() -> None:
    half = running("half", ["n2", None], request(gpu=8))
    assert nodes_of(last(planned("affinity", racks(2, 2), half))) == ["n2", "n3"]


def test_a_flat_cluster_is_one_list() -> None:
    nodes = [replace(node, places={}) for node in racks(2, 2)]
    flat = replace(scenario(nodes, gang("new", 4, request(gpu=8))), topologies=())
    plan = Engine(flat, by_name("affinity")).cycle([])
    assert sorted(nodes_of(last(plan))) == ["n0", "n1", "n2", "n3"]
