"""Rules between pods: no answer breaks one, read again here by a judge of its own, pod by pod."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine, Finish, Submit, plan_scenario
from railwise.engine.policies.registry import POLICIES
from railwise.model.host_ports import HostPort, as_resources, from_resources
from railwise.model.node import Cards, Node, Taint
from railwise.model.plan import State
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.reason import Code
from railwise.model.requirement import Requirement
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, Running, TopologyRule, Workload
from tests.examples import examples

HOST = "kubernetes.io/hostname"
FABRIC = (Topology("fabric", (Level("rack", label="rack"),)),)
APPS = ("x", "y", "z")


def app(*names: str, spaces: tuple[str, ...] = ("default",)) -> PodSelector:
    return PodSelector((Requirement("app", "In", names),), spaces)


def cluster(racks: int = 3, nodes: int = 2, cards: int = 4) -> list[Node]:
    return [
        Node(
            f"r{rack}n{index}",
            {"fabric": {"rack": f"r{rack}"}},
            (Cards(cards),),
            labels={"rack": f"r{rack}", HOST: f"r{rack}n{index}"},
        )
        for rack in range(racks)
        for index in range(nodes)
    ]


def work(
    name: str, pods: int = 1, rules: PodRules | None = None, *ports: HostPort, on: tuple[str, ...] = ()
) -> Workload:
    request = Request(CardRequest(CARDS_WHOLE, 1), tuple(sorted(as_resources(ports).items())))
    running = Running(on) if on else None
    root = Group(pods=pods, min_pods=pods, request=request, pod_rules=rules, running=running)
    return Workload(name, root)


def rules(label: str, **more: object) -> PodRules:
    return replace(PodRules("default", (("app", label),)), **more)  # type: ignore[arg-type]


def planned(nodes: list[Node], *workloads: Workload) -> dict[str, list[str]]:
    scenario = Scenario(topologies=FABRIC, nodes=tuple(nodes), workloads=workloads)
    plan = plan_scenario(scenario)
    check(scenario, {one.name: {(pod.group, pod.rank): pod.node for pod in one.pods} for one in plan.workloads})
    return {one.name: sorted(pod.node for pod in one.pods) for one in plan.workloads if one.state is not State.PENDING}


# --- A judge that knows nothing of searches -----------------------------------------------------------------------


def means(selector: PodSelector, of: PodRules) -> bool:
    labels = dict(of.labels)
    inside = not selector.namespaces or of.namespace in selector.namespaces
    return inside and all(labels.get(one.key) in one.values for one in selector.requirements)


def may_come(rules: PodRules, node: Node, others: list[tuple[PodRules, Node]], nodes: list[Node]) -> bool:
    """Return whether a pod may come to a node where others are, word by word as the API's documentation has it."""
    for other, there in others:
        avoiding = [term for term in rules.anti_affinity if means(term.pods, other)]
        avoided = [term for term in other.anti_affinity if means(term.pods, rules)]
        for term in (*avoiding, *avoided):
            if node.labels.get(term.key) is not None and node.labels.get(term.key) == there.labels.get(term.key):
                return False
    if rules.affinity:
        friends = [there for other, there in others if all(means(term.pods, other) for term in rules.affinity)]
        if any(term.key not in node.labels for term in rules.affinity):
            return False
        if friends or not all(means(term.pods, rules) for term in rules.affinity):
            for term in rules.affinity:
                if all(there.labels.get(term.key) != node.labels[term.key] for there in friends):
                    return False
    for rule in rules.spread:
        counts = Counter(
            {
                one.labels[rule.key]: 0
                for one in nodes
                if rule.key in one.labels and (not rule.by_taints or not one.taints)
            }
        )
        for other, there in others:
            if means(rule.pods, other) and not other.leaving and there.labels.get(rule.key) in counts:
                counts[there.labels[rule.key]] += 1
        least = min(counts.values(), default=0) if len(counts) >= rule.min_domains else 0
        value = node.labels.get(rule.key)
        if value is None or counts[value] + means(rule.pods, rules) - least > rule.max_skew:
            return False
    return True


def check(scenario: Scenario, places: dict[str, dict[tuple[str, int], str]]) -> None:
    """Fail unless all pods that were placed could have come one after the other, workload by workload."""
    by_name = {node.name: node for node in scenario.nodes}
    there: list[tuple[PodRules, Node]] = []
    ports: set[tuple[str, str]] = set()
    for workload in scenario.workloads:
        nodes = workload.root.running.nodes if workload.root.running else ()
        there += [(workload.root.pod_rules or PodRules(), by_name[name]) for name in nodes if name is not None]
    for workload in scenario.workloads:
        if workload.root.running is not None:
            continue
        mine = workload.root.pod_rules or PodRules()
        left = [by_name[node] for node in places.get(workload.name, {}).values()]
        for node in left:
            for port in from_resources(workload.root.request.resources):
                assert (node.name, str(port)) not in ports
                ports.add((node.name, str(port)))
        while left:
            come = next((node for node in left if may_come(mine, node, there, list(scenario.nodes))), None)
            assert come is not None, f"{workload.name} breaks a rule"
            left.remove(come)
            there.append((mine, come))


# --- What people write ---------------------------------------------------------------------------------------------


def test_pods_that_avoid_each_other_lie_on_different_nodes_and_racks() -> None:
    by_host = rules("x", anti_affinity=(PodTerm(HOST, app("x")),))
    by_rack = rules("y", anti_affinity=(PodTerm("rack", app("y")),))
    found = planned(cluster(), work("a", 6, by_host), work("b", 3, by_rack), work("c", 4, by_rack))
    assert len(set(found["a"])) == 6
    assert len({name[:2] for name in found["b"]}) == 3
    assert "c" not in found


def test_a_pod_keeps_off_those_that_avoid_it_though_it_asks_nothing() -> None:
    lonely = rules("x", anti_affinity=(PodTerm("rack", app("y")),))
    found = planned(
        cluster(2), work("lonely", 1, lonely, on=("r0n0",)), work("y", 8, rules("y")), work("z", 1, rules("z"))
    )
    assert {name[:2] for name in found["y"]} == {"r1"}
    assert "z" in found


def test_other_namespaces_are_meant_only_if_they_are_named() -> None:
    here = rules("x", anti_affinity=(PodTerm(HOST, app("x")),))
    everywhere = rules("x", anti_affinity=(PodTerm(HOST, app("x", spaces=())),))
    there = replace(rules("x"), namespace="other")
    nodes = cluster(1, 1)
    assert "a" in planned(nodes, work("b", 1, there, on=("r0n0",)), work("a", 1, here))
    assert "a" not in planned(nodes, work("b", 1, there, on=("r0n0",)), work("a", 1, everywhere))


def test_affinity_goes_to_where_the_others_are_and_waits_for_them() -> None:
    near = rules("x", affinity=(PodTerm("rack", app("y")),))
    assert {
        name[:2] for name in planned(cluster(), work("y", 1, rules("y"), on=("r2n1",)), work("a", 3, near))["a"]
    } == {"r2"}
    plan = plan_scenario(Scenario(topologies=FABRIC, nodes=tuple(cluster()), workloads=(work("a", 1, near),)))
    reason = plan.workloads[0].reason
    assert reason is not None
    assert (reason.code, "off all 6 nodes" in reason.summary) == (Code.NOT_ENOUGH_FREE, True)


def test_who_waits_for_company_is_asked_again_when_it_has_come() -> None:
    near = rules("x", affinity=(PodTerm("rack", app("y")),))
    engine = Engine(
        Scenario(topologies=FABRIC, nodes=tuple(cluster()), workloads=(work("a", 1, near), work("y", 1, rules("y"))))
    )
    first = {one.name: one.state for one in engine.cycle(()).workloads}
    assert first == {"a": State.PENDING, "y": State.PLACED}
    assert {one.name: one.state for one in engine.cycle((), 1).workloads} == {"a": State.PLACED}


def test_a_gang_that_wants_to_be_together_is_together() -> None:
    close = rules("x", affinity=(PodTerm("rack", app("x")),))
    found = planned(cluster(3, 2, 4), work("b", 7, None, on=("r0n0",) * 3 + ("r1n0",) * 4), work("a", 8, close))
    assert {name[:2] for name in found["a"]} == {"r2"}


@pytest.mark.parametrize(("pods", "skew"), [(3, 1), (7, 1), (10, 2), (24, 1)])
def test_spread_holds_at_every_pod(pods: int, skew: int) -> None:
    even = rules("x", spread=(SpreadRule("rack", skew, app("x")),))
    found = planned(cluster(), work("a", pods, even))
    counts = Counter(name[:2] for name in found["a"])
    assert max(counts.values()) - min(counts[f"r{rack}"] for rack in range(3)) <= skew


def test_spread_counts_what_runs_and_only_nodes_that_count() -> None:
    even = rules("x", spread=(SpreadRule("rack", 1, app("x")),))
    nodes = cluster(3, 1)
    shut = replace(nodes[2], taints=(Taint("gpu", "", "NoSchedule"),))
    runs = work("old", 2, rules("x"), on=("r0n0", "r1n0"))
    assert "a" not in planned([*nodes[:2], shut], runs, work("a", 1, even))
    honoured = rules("x", spread=(SpreadRule("rack", 1, app("x"), by_taints=True),))
    assert "a" in planned([*nodes[:2], shut], runs, work("a", 1, honoured))
    few = rules("x", spread=(SpreadRule("rack", 1, app("x"), min_domains=4),))
    assert "a" not in planned(nodes[:2], work("old", 2, rules("x"), on=("r0n0", "r1n0")), work("a", 1, few))


def test_a_gang_in_one_rack_may_be_told_apart_inside_it() -> None:
    apart = rules("x", anti_affinity=(PodTerm(HOST, app("x")),))
    gang = work("a", 3, apart)
    inside = replace(gang, root=replace(gang.root, topology=TopologyRule(required="rack")))
    found = planned(cluster(3, 4), work("b", 8, None, on=("r0n0",) * 4 + ("r0n1",) * 4), inside)
    assert len(set(found["a"])) == 3
    assert len({name[:2] for name in found["a"]}) == 1


def test_ports_are_had_by_one_pod_of_a_node() -> None:
    nodes = cluster(1, 3)
    everywhere, one, other = HostPort(80), HostPort(80, "TCP", "10.0.0.1"), HostPort(80, "TCP", "10.0.0.2")
    assert planned(nodes, work("a", 3, None, everywhere))["a"] == ["r0n0", "r0n1", "r0n2"]
    assert planned(nodes, work("a", 4, None, everywhere)) == {}
    assert set(planned(nodes, work("a", 3, None, one), work("b", 3, None, other))) == {"a", "b"}
    assert set(planned(nodes, work("a", 3, None, one), work("b", 1, None, everywhere))) == {"a"}
    assert set(planned(nodes, work("a", 3, None, everywhere), work("b", 3, None, HostPort(80, "UDP")))) == {"a", "b"}


def test_a_port_is_free_again_when_its_pod_has_gone() -> None:
    port = work("a", 1, None, HostPort(80))
    engine = Engine(Scenario(topologies=FABRIC, nodes=tuple(cluster(1, 1)), workloads=(port,)))
    before = engine.state.snapshot()
    engine.cycle(())
    assert [one.state for one in engine.cycle([Submit(replace(port, name="b"))]).workloads] == [State.PENDING]
    assert [one.state for one in engine.cycle([Finish("a")]).workloads] == [State.PLACED]
    engine.cycle([Finish("b")])
    assert engine.state.snapshot() == before


def test_nobody_stops_for_who_does_not_preempt() -> None:
    runs = work("low", 4, None, on=("r0n0",) * 4)
    polite = replace(work("high", 1), priority=9, preempts=False)
    scenario = Scenario(topologies=FABRIC, nodes=tuple(cluster(1, 1)), workloads=(runs, polite))
    assert plan_scenario(scenario).evictions == ()
    assert plan_scenario(replace(scenario, workloads=(runs, replace(polite, preempts=True)))).evictions


terms = st.lists(st.builds(PodTerm, st.sampled_from(["rack", HOST]), st.sampled_from(APPS).map(app)), max_size=1).map(
    tuple
)
spreads = st.lists(
    st.builds(
        SpreadRule,
        st.sampled_from(["rack", HOST]),
        st.integers(1, 2),
        st.sampled_from(APPS).map(app),
        st.integers(1, 4),
        st.just(True),
        st.booleans(),
    ),
    max_size=1,
).map(tuple)
asking = st.builds(
    lambda label, near, far, even: PodRules("default", (("app", label),), near, far, even),
    st.sampled_from(APPS),
    st.just(()) | terms,
    terms,
    spreads,
)


WISHES = st.lists(
    st.tuples(asking | st.none(), st.integers(1, 5), st.booleans(), st.booleans()), min_size=1, max_size=6
)
Wishes = list[tuple[PodRules | None, int, bool, bool]]


def wished(wishes: Wishes, racks: int) -> Scenario:
    """Return a cluster with an odd node or two, and workloads with these rules, sizes, levels and ports."""
    nodes = cluster(racks, 2, 3)
    nodes[0] = replace(nodes[0], labels={HOST: nodes[0].name})
    nodes[-1] = replace(nodes[-1], taints=(Taint("gpu", "", "NoSchedule"),))
    workloads = []
    for index, (wish, pods, together, port) in enumerate(wishes):
        found = work(f"w{index}", pods, wish, *([HostPort(80)] if port else []))
        rule = TopologyRule(required="rack" if together else "")
        workloads.append(replace(found, root=replace(found.root, topology=rule)))
    return Scenario(topologies=FABRIC, nodes=tuple(nodes), workloads=tuple(workloads))


@examples(60)
@given(WISHES, st.integers(1, 3))
def test_no_rule_is_ever_broken(wishes: Wishes, racks: int) -> None:
    scenario = wished(wishes, racks)
    engine = Engine(scenario)
    before = engine.state.snapshot()
    plan = engine.cycle(())
    check(scenario, {one.name: {(pod.group, pod.rank): pod.node for pod in one.pods} for one in plan.workloads})
    engine.cycle([Finish(workload.name) for workload in scenario.workloads], 1)
    assert engine.state.snapshot() == before


@pytest.mark.parametrize("name", ["spread", "flat", "slurm", "fgd"])
@examples(20)
@given(WISHES, st.integers(1, 3))
def test_no_baseline_breaks_a_rule_between_pods(name: str, wishes: Wishes, racks: int) -> None:
    scenario = wished(wishes, racks)
    make = POLICIES[name].make
    assert make is not None
    plan = plan_scenario(scenario, make(1))
    check(scenario, {one.name: {(pod.group, pod.rank): pod.node for pod in one.pods} for one in plan.workloads})
