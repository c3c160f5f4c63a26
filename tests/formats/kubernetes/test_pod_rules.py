"""Rules between pods, ports and volumes as objects say them, and as workloads keep them."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.formats.kubernetes.rules import MOST_TERMS, NOTHING, both
from railwise.formats.kubernetes.storage import BOUND
from railwise.model.host_ports import HostPort, as_resources, from_resources
from railwise.model.plan import State
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.requirement import Requirement
from tests.formats.kubernetes.objects import Object, container, job, node, pod, read, template, workload

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOST = "kubernetes.io/hostname"
WEB = Requirement("app", "In", ("web",))


def between(kind: str, **term: Any) -> Object:
    found = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "web"}}, **term}
    return {"affinity": {kind: {REQUIRED: [found]}}}


def rules_of(**spec: Any) -> PodRules | None:
    labels: Object = {"labels": {"app": "web", "job": "a", "tier": "1"}}
    return workload(read(pod("a", meta=labels, **spec)), "a").root.pod_rules


def test_pods_of_which_no_rule_speaks_carry_no_labels() -> None:
    scenario = read(pod("a", meta={"labels": {"app": "db"}}), pod("b", **between("podAntiAffinity")))
    assert workload(scenario, "a").root.pod_rules is None
    assert rules_of() is None


def test_labels_are_kept_as_far_as_somebody_asks_for_them() -> None:
    found = rules_of(**between("podAntiAffinity"))
    term = PodTerm(HOST, PodSelector((WEB,), ("default",)))
    assert found == PodRules("default", (("app", "web"),), anti_affinity=(term,))


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ({}, PodSelector((WEB,), ("default",))),
        ({"namespaces": ["b", "a"]}, PodSelector((WEB,), ("a", "b"))),
        ({"namespaceSelector": {}}, PodSelector((WEB,), ())),
        ({"matchLabelKeys": ["job", "none"]}, PodSelector((WEB, Requirement("job", "In", ("a",))), ("default",))),
        ({"mismatchLabelKeys": ["job"]}, PodSelector((WEB, Requirement("job", "NotIn", ("a",))), ("default",))),
        ({"labelSelector": None}, PodSelector((Requirement("", "In", ()),), ("default",))),
        ({"labelSelector": {}}, PodSelector((), ("default",))),
    ],
)
def test_a_term_means_the_pods_that_the_api_says_it_means(term: Object, expected: PodSelector) -> None:
    found = rules_of(**between("podAffinity", **term))
    assert found is not None
    assert found.affinity == (PodTerm(HOST, expected),)


def test_spread_is_read_with_its_policies() -> None:
    rule = {
        "topologyKey": "zone",
        "maxSkew": 2,
        "minDomains": 3,
        "nodeAffinityPolicy": "Ignore",
        "nodeTaintsPolicy": "Honor",
    }
    selector = {"labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["tier"]}
    found = rules_of(topologySpreadConstraints=[{**rule, **selector}])
    pods = PodSelector((WEB, Requirement("tier", "In", ("1",))), ("default",))
    assert found is not None
    assert found.spread == (SpreadRule("zone", 2, pods, 3, by_affinity=False, by_taints=True),)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (between("podAffinity", topologyKey=""), "podAffinity"),
        (between("podAffinity", topologyKey="a b"), "topologyKey"),
        (between("podAffinity", labelSelector={"matchLabels": {"app": "a b"}}), "labelSelector"),
        (between("podAffinity", labelSelector={"matchExpressions": [{"key": "a", "operator": "Gt"}]}), "labelSelector"),
        (between("podAffinity", labelSelector={"matchExpressions": [{"key": "a", "operator": "In"}]}), "labelSelector"),
        ({"topologySpreadConstraints": [{"topologyKey": "zone", "maxSkew": 0}]}, "topologySpreadConstraints[0]"),
        (between("podAntiAffinity", namespaceSelector={"matchLabels": {"a": "b"}}), "namespaceSelector"),
    ],
)
def test_a_rule_that_cannot_be_read_makes_its_pod_wait_and_says_where_it_stands(spec: Object, path: str) -> None:
    scenario = read(node("n", gpu=8), pod("a", 1, **spec), pod("b", 1))
    found = workload(scenario, "a")
    assert path in found.unsupported
    assert {one.name: one.state for one in plan_scenario(scenario).workloads} == {"a": State.PENDING, "b": State.PLACED}


def test_a_rule_of_a_pod_that_runs_is_taken_for_more_where_it_is_not_understood() -> None:
    spec = between("podAntiAffinity", namespaceSelector={"matchLabels": {"team": "x"}})
    theirs = pod("theirs", nodeName="n1", schedulerName="default-scheduler", **spec)
    scenario = read(node("n1", {HOST: "n1"}, gpu=8), theirs, pod("a", 1, meta={"labels": {"app": "web"}}))
    assert plan_scenario(scenario).workloads[-1].state is State.PENDING


def test_unequal_labels_in_a_group_are_refused_where_a_rule_asks_for_them() -> None:
    members = [
        pod(f"j-{index}", meta={"labels": {"job-name": "j", "app": app}}, schedulerName="railwise")
        for index, app in enumerate(("web", "db"))
    ]
    asks = pod("asks", **between("podAntiAffinity"))
    scenario = read(job("j", 2, template()), *members, asks)
    assert "differ in labels" in workload(scenario, "j").unsupported
    assert workload(read(job("j", 2, template()), *members), "j").unsupported == ""


def test_labels_that_only_rules_elsewhere_ask_for_make_no_difference() -> None:
    members = [
        pod(f"j-{index}", meta={"labels": {"job-name": "j", "app": "web", "rank": str(index)}}) for index in range(2)
    ]
    asks = pod("asks", **between("podAntiAffinity"))
    rank: Object = {"matchExpressions": [{"key": "rank", "operator": "Exists"}]}
    elsewhere = pod("there", namespace="other", **between("podAntiAffinity", labelSelector=rank))
    found = workload(read(job("j", 2, template()), *members, asks, elsewhere), "j")
    assert (found.unsupported, found.root.pod_rules) == ("", PodRules("default", (("app", "web"),)))


def test_ports_of_containers_and_sidecars_are_asked_for_and_those_of_init_containers_are_not() -> None:
    def with_port(name: str, number: int, **more: Any) -> Object:
        return {**container(), "name": name, "ports": [{"hostPort": number, **more}]}

    spec: Object = {
        "containers": [with_port("a", 80), with_port("b", 81, protocol="UDP", hostIP="10.0.0.1")],
        "initContainers": [with_port("c", 82), {**with_port("d", 83), "restartPolicy": "Always"}],
    }
    found = workload(read(pod("a", **spec)), "a").root.request.resources
    assert from_resources(found) == (HostPort(80), HostPort(81, "UDP", "10.0.0.1"), HostPort(83))


def test_a_port_on_all_addresses_is_all_of_it() -> None:
    assert from_resources(as_resources([HostPort(80, "TCP", "0.0.0.0"), HostPort(80)]).items()) == (HostPort(80),)  # noqa: S104


@pytest.mark.parametrize(("policy", "preempts"), [("Never", False), ("PreemptLowerPriority", True), ("", True)])
def test_preemption_is_the_pods_own_or_that_of_its_class(policy: str, preempts: bool) -> None:
    gentle: Object = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gentle"}}
    scenario = read(
        {**gentle, "value": 3, "preemptionPolicy": policy},
        pod("a", preemptionPolicy=policy),
        pod("b", priorityClassName="gentle"),
    )
    assert (workload(scenario, "a").preempts, workload(scenario, "b").preempts) == (preempts, preempts)


def bound_claim(name: str = "data", **more: Any) -> list[Object]:
    spec: Object = {"volumeName": f"v-{name}", "accessModes": [more.pop("mode", "ReadWriteOnce")]}
    claim: Object = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}
    claim["metadata"] = {"name": name, "namespace": "default", "annotations": {BOUND: "yes"}}
    labels = more.pop("labels", {})
    volume: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"v-{name}", "labels": labels},
    }
    return [claim, {**volume, "spec": more}]


def on(key: str, *values: str) -> Object:
    expression = {"key": key, "operator": "In", "values": list(values)}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


USES: Object = {"volumes": [{"persistentVolumeClaim": {"claimName": "data"}}]}


def test_the_terms_of_pod_and_volume_hold_together() -> None:
    affinity = {"nodeAffinity": {REQUIRED: on("disk", "ssd")["required"]}}
    objects = bound_claim(nodeAffinity=on("rack", "r1", "r2"))
    found = workload(read(*objects, pod("a", affinity=affinity, **USES)), "a").root.selection.terms
    assert found == ((Requirement("disk", "In", ("ssd",)), Requirement("rack", "In", ("r1", "r2"))),)


def test_the_zone_of_a_volume_is_its_pods() -> None:
    zone = "topology.kubernetes.io/zone"
    objects = bound_claim(labels={"failure-domain.beta.kubernetes.io/zone": "a__b"})
    nodes = [node(name, {zone: name}, gpu=1) for name in ("c", "b")]
    plan = plan_scenario(read(*nodes, *objects, pod("a", 1, **USES)))
    assert plan.workloads[0].pods[0].node == "b"


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([], "there is no PersistentVolumeClaim 'data'"),
        (bound_claim()[:1], "there is no PersistentVolume 'v-data'"),
        (bound_claim(awsElasticBlockStore={}), "in-tree kind aws_elastic_block_store"),
        (bound_claim(nodeAffinity=on("rack")), "In needs at least one value"),
    ],
)
def test_a_claim_that_says_not_where_its_volume_is_makes_its_pod_wait(objects: list[Object], words: str) -> None:
    found = workload(read(*objects, pod("a", **USES)), "a").unsupported
    assert "spec.volumes[0].persistentVolumeClaim" in found or "PersistentVolume v-data" in found
    assert words in found


def test_a_claim_for_one_pod_is_refused_to_a_second_one() -> None:
    objects = [*bound_claim(mode="ReadWriteOncePod"), node("n1", gpu=8)]
    theirs = pod("theirs", nodeName="n1", schedulerName="default-scheduler", **USES)
    assert "in use" in workload(read(*objects, theirs, pod("a", **USES)), "a").unsupported
    assert workload(read(*objects, pod("a", nodeName="n1", **USES)), "a").unsupported == ""


def test_too_many_terms_are_refused_and_none_means_none() -> None:
    one = tuple((Requirement("a", "In", (str(index),)),) for index in range(17))
    assert len(both(one[:16], one[:16]) or ()) == MOST_TERMS
    assert both(one, one) is None
    assert both((), one) == one
    assert both(NOTHING, one[:1]) == ((*NOTHING[0], *one[0]),)
