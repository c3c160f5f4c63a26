"""Why a workload waits: the right code, and counts of nodes that add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.reasons.verdict import ACTS
from railwise.model.node import Cards, Node, Taint
from railwise.model.reason import Act, Code, Reason
from railwise.model.workload import CardRule, Selection, Toleration, Workload
from tests.engine.random_life import Life
from tests.engine.recount import fresh_scenario
from tests.engine.small import (
    apart,
    asks_share,
    engine,
    flat,
    gang,
    group,
    grouped,
    racks,
    request,
    running,
    segmented,
    submitted,
)
from tests.oracle.cluster import Cluster, accepts
from tests.oracle.question import Question


def _reason(lived: Engine, workload: Workload) -> Reason:
    reason = submitted(lived, workload).reason
    assert reason is not None
    return reason


BUSY = running("busy", ["n0", "n4"], request(8))
HALF = running("half", [f"n{index}" for index in range(8)], request(5))


@pytest.mark.parametrize(
    ("before", "workload", "code"),
    [
        (BUSY, gang("a", 9, request(8)), Code.NEVER_FITS),
        (BUSY, gang("a", 1, request(9)), Code.NEVER_FITS),
        (BUSY, gang("a", 5, request(8), required="rack"), Code.NEVER_FITS),
        (BUSY, apart(gang("a", 3, request(1)), "rack"), Code.NEVER_FITS),
        (BUSY, segmented(gang("a", 5, request(8)), 5, "rack"), Code.NEVER_FITS),
        (BUSY, gang("a", 1, request(1, **{"example.com/nic": 1})), Code.NEVER_FITS),
        (BUSY, grouped("a", group("x", 5, request(8), required="rack"), group("y", 1, request(1))), Code.NEVER_FITS),
        (BUSY, gang("a", 7, request(8)), Code.NOT_ENOUGH_FREE),
        (BUSY, grouped("a", group("x", 4, request(8)), group("y", 3, request(8))), Code.NOT_ENOUGH_FREE),
        (BUSY, gang("a", 4, request(8), required="rack"), Code.TOO_FRAGMENTED),
        (BUSY, segmented(gang("a", 4, request(8)), 4, "rack"), Code.TOO_FRAGMENTED),
        (HALF, gang("a", 1, request(4)), Code.TOO_FRAGMENTED),
        (HALF, gang("a", 2, request(6)), Code.TOO_FRAGMENTED),
        (HALF, gang("a", 4, request(7)), Code.NOT_ENOUGH_FREE),
        (HALF, gang("a", 1, asks_share(part=500)), None),
    ],
)
def test_the_first_code_that_applies(before: Workload, workload: Workload, code: Code | None) -> None:
    plan = submitted(engine(racks(4, 4), before), workload)
    assert (None if plan.reason is None else plan.reason.code) is code


@pytest.mark.parametrize(
    ("used", "asked", "code"),
    [
        ((30_000,), 10_000, None),
        ((30_000,), 20_000, Code.NOT_ENOUGH_FREE),
        ((30_000, 30_000), 20_000, Code.TOO_FRAGMENTED),  # 10,000 MiB on each of two cards
        ((30_000, 35_000), 20_000, Code.NOT_ENOUGH_FREE),
        ((30_000,), 50_000, Code.NEVER_FITS),
    ],
)
def test_shares_asked_for_by_memory_count(used: tuple[int, ...], asked: int, code: Code | None) -> None:
    nodes = [Node(f"n{index}", cards=(Cards(1, memory=40_000),)) for index in range(len(used))]
    busy = [running(f"b{index}", [f"n{index}"], asks_share(memory=memory)) for index, memory in enumerate(used)]
    plan = submitted(engine(nodes, *busy), gang("a", 1, asks_share(memory=asked)))
    assert (None if plan.reason is None else plan.reason.code) is code
    if plan.reason is not None:
        assert plan.reason.act is ACTS.get(plan.reason.code, Act.WAIT)


GOLD = Selection((("pool", "gold"),))


@pytest.mark.parametrize(
    ("change", "selection"),
    [
        ({"ready": False}, Selection()),
        ({"unschedulable": True}, Selection()),
        ({"taints": (Taint("x"),)}, Selection()),
        ({"labels": {"pool": "silver"}}, GOLD),
        ({"unhealthy": frozenset({0})}, Selection()),
    ],
)
def test_nodes_that_may_not_be_used_are_not_said_to_be_missing(change: dict[str, object], selection: Selection) -> None:
    nodes = [replace(node, labels={"pool": "gold"}) for node in flat(8, 8)]
    nodes[1] = replace(nodes[1], **change)  # type: ignore[arg-type]
    workload = gang("a", 2, request(8))
    workload = replace(workload, root=replace(workload.root, selection=selection))
    assert _reason(engine(nodes), workload).code is Code.NODES_EXCLUDED
    assert submitted(engine(nodes), replace(workload, root=replace(workload.root, pods=1, min_pods=1))).pods


def test_every_node_is_counted_once_under_the_first_filter_that_applies() -> None:
    plain = Node("", cards=(Cards(8, "A"),), resources={"cpu": 8000, "memory": 8000, "pods": 8, "example.com/nic": 8})
    changes: list[tuple[str, dict[str, object]]] = [
        ("notReady", {"ready": False, "unschedulable": True}),
        ("cordoned", {"unschedulable": True, "taints": (Taint("x"),)}),
        ("taint", {"taints": (Taint("x"),), "labels": {"pool": "silver"}}),
        ("selector", {"labels": {"pool": "silver"}, "cards": (Cards(8, "B"),)}),
        ("model", {"cards": (Cards(8, "B"),), "resources": {"cpu": 0}}),
        ("gpu", {"cards": (Cards(1, "A"),), "resources": {"cpu": 0}}),
        ("cpu", {"resources": {"cpu": 0, "memory": 0}}),
        ("memory", {"resources": {"memory": 0, "pods": 0}}),
        ("pods", {"resources": {"pods": 0}}),
        ("example.com/nic", {"resources": {}}),
        ("fits", {}),
    ]
    nodes: list[Node] = []
    for _, change in changes:
        node = replace(plain, name=f"n-{len(nodes)}", labels={"pool": "gold"})
        nodes.append(replace(node, **change))  # type: ignore[arg-type]
    workload = gang("a", 2, request(4, cpu=1000, memory=1000, **{"example.com/nic": 1}))
    tolerant = Selection((("pool", "gold"),), (), (Toleration("y", "Exists"),))
    root = replace(workload.root, card_rule=CardRule(("A",)), selection=tolerant, min_pods=3, pods=3)
    reason = _reason(engine(nodes), replace(workload, root=root))
    assert list(reason.nodes.items()) == [(name, 1) for name, _ in changes]
    assert reason.total == len(changes)


@pytest.mark.slow
def test_counts_add_up_and_those_that_fit_are_those_of_a_second_book() -> None:
    refused = 0
    for seed in range(9):
        life = Life(seed)
        lived = Engine(life.scenario)
        for _ in range(12):
            workload = life.draw_workload()
            reason = submitted(lived, workload).reason
            if reason is None or not reason.total:
                continue
            refused += 1
            assert sum(reason.nodes.values()) == reason.total == len(life.scenario.nodes), (seed, workload)
            assert all(count > 0 for count in reason.nodes.values())
            if workload.root.groups:
                continue
            question = Question(replace(life.scenario, workloads=tuple(_running(lived))), workload)
            fits = sum(question.hold(index, (1,)) is not None for index in range(len(life.scenario.nodes)))
            assert reason.nodes.get("fits", 0) == fits, (seed, workload)
            open_nodes = [place.node for place in Cluster(life.scenario).machines if place.takes_pods()]
            shut = sum(not accepts(node, workload.root.selection) for node in open_nodes)
            assert reason.nodes.get("taint", 0) + reason.nodes.get("selector", 0) == shut, (seed, workload)
    assert refused > 20


def _running(lived: Engine) -> list[Workload]:
    return list(fresh_scenario(lived).workloads)


def test_levels_name_the_domain_that_comes_closest() -> None:
    reason = _reason(engine(racks(4, 3, 2), BUSY), gang("a", 5, request(8), required="rack"))
    assert [(level.level, level.best, level.has, level.needs) for level in reason.levels] == [
        ("rack", "p0/r0", 3, 5),
        ("superpod", "p0", 5, 5),
    ]
    assert _reason(engine(flat(8)), gang("a", 2, request(8))).levels == ()


def test_the_headline_names_who_asks_for_what_and_how_much_there_is() -> None:
    lived = engine(racks(4, 4), BUSY)
    reason = _reason(lived, gang("a", 4, request(8), required="rack"))
    assert reason.summary == (
        "enough is free for 4 pods of 8 GPUs, but not inside one rack (best rack p0/r0 has room for 3 of 4)"
    )
    reason = _reason(lived, gang("b", 7, request(8)))
    assert reason.summary == "not enough is free for 7 pods of 8 GPUs: 6 of 8 nodes can take a pod now"
    assert reason.next == "wait for running workloads to end"


def test_refusing_changes_nothing() -> None:
    lived = engine(racks(4, 4), BUSY)
    before = lived.state.snapshot()
    for name, pods in (("a", 4), ("b", 7), ("c", 9)):
        _reason(lived, gang(name, pods, request(8), required="rack"))
    assert lived.state.snapshot() == before
