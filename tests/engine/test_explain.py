"""Every next step that is offered does what it says: each text is read and tried on an engine of its own."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.events import Finish, Submit
from railwise.engine.explain import advise
from railwise.model.node import Node
from railwise.model.plan import State
from railwise.model.reason import Code
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Segment, Selection, Workload
from tests.engine.random_life import Life
from tests.engine.recount import fresh_scenario
from tests.engine.small import (
    apart,
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

RULE = re.compile(
    r"(?:`required: (\S+)`|(no required level)|`segment: {size: (\d+), preferred: (\S+)}`)(?: for group (\S+))?"
)
NEVER = re.compile(r"can never fit: needs room for (\d+) pods, the (?:whole cluster|largest (\S+)) has room for (\d+)")


def _advice(lived: Engine, workload: Workload) -> tuple[Code, str]:
    plan = submitted(lived, workload)
    assert plan.reason is not None
    before = lived.state.snapshot()
    text = advise(lived, workload.name, plan.reason)
    assert lived.state.snapshot() == before
    return plan.reason.code, text


def _loosened(group: Group, text: str, path: str = "") -> Group:
    """Return a group with the rule changed as the text says."""
    found = RULE.search(text)
    assert found is not None, text
    level, _, size, preferred, where = found.groups()
    if path == (where or ""):
        if size:
            return replace(group, segment=Segment(int(size), "", preferred))
        return replace(group, topology=replace(group.topology, required=level or ""))
    children = [_loosened(child, text, f"{path}/{child.name}" if path else child.name) for child in group.groups]
    return replace(group, groups=tuple(children))


def _unselected(group: Group) -> Group:
    return replace(group, selection=Selection(), groups=tuple(_unselected(child) for child in group.groups))


def _helps(text: str, workload: Workload, scenario: Scenario) -> bool:
    """Return whether a workload starts in a scenario (of what runs) when the text is followed."""
    root, nodes, others = workload.root, scenario.nodes, scenario.workloads
    empty = "empty cluster" in text or text.startswith("can never fit")
    if ends := re.fullmatch(r"would fit if (\S+) ends", text):
        assert ends[1] in {other.name for other in others}
        others = tuple(other for other in others if other.name != ends[1])
    elif fewer := re.fullmatch(r"would fit now with `pods: (\d+)`", text):
        root = replace(root, pods=int(fewer[1]), min_pods=int(fewer[1]))
    elif "node selector" in text or "ready and open" in text:
        root = _unselected(root) if "node selector" in text else root
    else:
        root = _loosened(root, text.rsplit("; ", 1)[-1])
    if empty:
        others = ()
        nodes = tuple(_pristine(node) for node in nodes)
        root = root if "ready and open" in text else _unselected(root)
    made = Engine(replace(scenario, nodes=nodes, workloads=others))
    (plan,) = [one for one in made.cycle([Submit(replace(workload, root=root))]).workloads if one.name == workload.name]
    return plan.state is State.PLACED


def _pristine(node: Node) -> Node:
    return replace(node, ready=True, unschedulable=False, taints=(), unhealthy=frozenset())


BUSY = running("busy", ["n0", "n4"], request(8))


@pytest.mark.parametrize(
    ("workload", "code", "text"),
    [
        (gang("a", 4, request(8), required="rack"), Code.TOO_FRAGMENTED, "would fit now with `required: superpod`"),
        (gang("a", 7, request(8), required="superpod"), Code.NOT_ENOUGH_FREE, "would fit if busy ends"),
        (gang("a", 8, request(8)), Code.NOT_ENOUGH_FREE, "would fit now with `pods: 5`"),
        (
            segmented(gang("a", 4, request(8)), 4, "rack"),
            Code.TOO_FRAGMENTED,
            "would fit now with `segment: {size: 4, preferred: rack}`",
        ),
        (
            grouped("a", group("x", 4, request(8), required="rack"), group("y", 1, request(8))),
            Code.TOO_FRAGMENTED,
            "would fit now with `required: superpod` for group x",
        ),
        (
            gang("a", 9, request(8)),
            Code.NEVER_FITS,
            "can never fit: needs room for 9 pods, the whole cluster has room for 8",
        ),
        (
            gang("a", 5, request(8), required="rack"),
            Code.NEVER_FITS,
            "can never fit: needs room for 5 pods, the largest rack has room for 4; `required: superpod` could hold it",
        ),
        (
            gang("a", 3, request(4), required="node"),
            Code.NEVER_FITS,
            "can never fit: needs room for 3 pods, the largest node has room for 2; `required: rack` could hold it",
        ),
        (
            grouped("a", group("x", 5, request(8), required="rack")),
            Code.NEVER_FITS,
            "could fit an empty cluster with `required: superpod` for group x",
        ),
    ],
)
def test_the_step_that_is_offered(workload: Workload, code: Code, text: str) -> None:
    lived = engine(racks(4, 4), BUSY, running("small", ["n1"], request(1)))
    assert _advice(lived, workload) == (code, text)
    assert text.endswith("room for 8") or _helps(text, workload, fresh_scenario(lived))


def test_fewer_pods_are_offered_when_nobody_s_end_would_help() -> None:
    busy = [running(f"busy-{number}", [f"n{number}"], request(8)) for number in range(3)]
    code, text = _advice(engine(flat(8, 8, 8, 8, 8), *busy), gang("a", 4, request(8)))
    assert (code, text) == (Code.NOT_ENOUGH_FREE, "would fit now with `pods: 2`")


def test_closed_nodes_and_selectors_are_named() -> None:
    nodes = [replace(node, unschedulable=node.name == "n1", labels={"pool": "gold"}) for node in flat(8, 8)]
    lived = engine(nodes)
    text = "fits an empty cluster once n1 is ready and open again"
    assert _advice(lived, gang("a", 2, request(8))) == (Code.NODES_EXCLUDED, text)
    picky = gang("b", 1, request(8))
    picky = replace(picky, root=replace(picky.root, selection=Selection((("pool", "silver"),))))
    text = "would fit now without its node selector"
    assert _advice(engine([replace(node, unschedulable=False) for node in nodes]), picky) == (Code.NODES_EXCLUDED, text)


@pytest.mark.parametrize(
    "workload",
    [
        apart(gang("a", 3, request(1)), "rack"),
        segmented(gang("a", 5, request(8)), 5, "rack"),
    ],
)
def test_a_workload_that_can_never_fit_is_not_told_that_there_is_room(workload: Workload) -> None:
    code, text = _advice(engine(racks(4, 4)), workload)
    assert code is Code.NEVER_FITS
    found = NEVER.match(text)
    assert found is None or int(found[3]) < int(found[1]), text


def _tried(seed: int) -> Counter[str]:
    """Return what kinds of advice a life brought about; every one of them was followed with success."""
    life = Life(seed)
    lived = Engine(life.scenario)
    kinds: Counter[str] = Counter()
    for _ in range(25):
        workload = life.draw_workload()
        plan = submitted(lived, workload)
        if plan.reason is None:
            continue
        text = advise(lived, workload.name, plan.reason)
        if text != plan.reason.next and not ("can never fit" in text and "could hold" not in text):
            kinds[re.sub(r"`.*?`|\d+|(?<=if )\S+|(?<=once ).*", "…", text)] += 1
            assert _helps(text, workload, fresh_scenario(lived)), (seed, text, workload)
        lived.cycle([Finish(workload.name)])
    return kinds


@pytest.mark.slow
def test_whatever_is_offered_helps() -> None:
    assert len(sum((_tried(seed) for seed in range(5)), Counter[str]())) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5, 125, 30))
def test_whatever_is_offered_helps_in_many_lives(first: int) -> None:
    assert len(sum((_tried(seed) for seed in range(first, first + 30)), Counter[str]())) >= 5
