"""Rules between pods and ports in a scenario: what is read, and what is said of what cannot be."""

from __future__ import annotations

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.model.errors import InputError
from railwise.model.host_ports import HostPort, from_resources
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.requirement import Requirement
from railwise.model.scenario import Scenario
from tests.formats.reading import spec

WEB = Requirement("app", "In", ("web",))


def one(text: str) -> Scenario:
    return spec("{nodes: [{name: n1, gpus: 8}], workloads: [" + text + "]}")


def rules(text: str) -> PodRules | None:
    return one(f"{{name: a, {text}}}").workloads[0].root.pod_rules


def test_rules_have_the_form_of_kubernetes() -> None:
    term = "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]"
    pods = PodSelector((WEB,), ("ml",))
    assert rules(f"namespace: ml, labels: {{app: web}}, podAffinity: {term}, podAntiAffinity: {term}") == PodRules(
        "ml", (("app", "web"),), (PodTerm("zone", pods),), (PodTerm("zone", pods),)
    )
    spread = "[{topologyKey: zone, maxSkew: 2, minDomains: 3, nodeTaintsPolicy: Honor}]"
    nobody = PodSelector((Requirement("", "In", ()),), ("default",))
    assert rules(f"topologySpread: {spread}") == PodRules(spread=(SpreadRule("zone", 2, nobody, 3, by_taints=True),))
    everywhere = rules("podAntiAffinity: [{topologyKey: zone, labelSelector: {}, allNamespaces: true}]")
    assert everywhere == PodRules(anti_affinity=(PodTerm("zone", PodSelector()),))
    assert rules("pods: 2") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("podAffinity: [{labelSelector: {}}]", "podAffinity[0].topologyKey: the field 'topologyKey' is required"),
        ("podAffinity: [{topologyKey: zone, labelSelector: {app: web}}]", "labelSelector.app: unknown field"),
        (
            "podAffinity: [{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: In}]}}]",
            "matchExpressions[0]: 'In' needs values",
        ),
        (
            "podAffinity: [{topologyKey: zone, namespaces: [a], allNamespaces: true}]",
            "podAffinity[0]: 'namespaces' and 'allNamespaces' exclude each other",
        ),
        ("topologySpread: [{topologyKey: zone, maxSkew: 0}]", "topologySpread[0].maxSkew"),
        ("hostPorts: [{port: 70000}]", "hostPorts[0].port"),
        ("hostPorts: [{port: 80, hostIP: everywhere}]", "hostPorts[0].hostIP: expected an IP address"),
        ("preemptionPolicy: Always", "preemptionPolicy"),
        ("groups: [{name: b}], hostPorts: [{port: 80}]", "hostPorts: speaks of pods"),
        ("topologySpreadConstraints: []", "unknown field"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_path(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        one(f"{{name: a, {text}}}")
    assert words in str(caught.value)


def test_ports_that_agents_have_are_gone() -> None:
    nodes = "[{name: n1, hostPorts: [{port: 80}]}, {name: n2, hostPorts: [{port: 80, hostIP: 10.0.0.1}]}, {name: n3}]"
    workloads = "[{name: a, hostPorts: [{port: 80}]}, {name: b, hostPorts: [{port: 80, hostIP: 10.0.0.2}]}]"
    scenario = spec(f"{{nodes: {nodes}, workloads: {workloads}}}")
    assert from_resources(scenario.workloads[0].root.request.resources) == (HostPort(80),)
    places = {one.name: one.pods[0].node for one in plan_scenario(scenario).workloads}
    assert places == {"a": "n3", "b": "n2"}
