"""Hypothesis strategies for workloads: any workload that a reader can return."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from railwise.model.host_ports import HostPort, as_resources
from railwise.model.pod_rules import PodRules, PodSelector, PodTerm, SpreadRule
from railwise.model.requirement import Requirement
from railwise.model.workload import (
    CARDS_MIG,
    CARDS_SHARE,
    CARDS_TIME_SLICE,
    CARDS_WHOLE,
    Alternative,
    CardRequest,
    CardRule,
    Checkpoint,
    Group,
    Request,
    Running,
    Segment,
    Selection,
    Toleration,
    TopologyRule,
    Traffic,
    Workload,
)

TIMES = st.integers(-(10**12), 10**12)
MEMORY = st.integers(0, 10**7)
KEYS = st.sampled_from(["pool", "gpu", "example.com/pool"])
TAINT_VALUES = st.sampled_from(["", "true", "8", "on", "010", "1e3", "a_b.c"])
LABELS = st.dictionaries(KEYS, TAINT_VALUES, max_size=2)
LEVELS = st.sampled_from(["", "spine", "rack", "node", "ghost"])

shares = st.builds(CardRequest, st.just(CARDS_SHARE), st.just(1), st.integers(1, 2999).filter(lambda part: part % 1000))
sized = st.builds(
    lambda cards, size, percent, compute: replace(
        cards, memory=0 if percent else size, memory_percent=percent, compute=compute
    ),
    st.builds(CardRequest, st.just(CARDS_SHARE), st.integers(0, 4)) | shares,
    st.integers(1, 10**6),
    st.integers(0, 120),
    st.integers(0, 120),
)
card_requests = st.one_of(
    st.just(CardRequest()),
    st.builds(CardRequest, st.just(CARDS_WHOLE), st.integers(1, 10**9)),
    shares,
    sized,
    st.builds(CardRequest, st.just(CARDS_TIME_SLICE), st.integers(1, 9), memory=st.integers(0, 10**6)),
    st.builds(
        lambda slices: CardRequest(CARDS_MIG, slices=tuple(sorted(slices.items()))),
        st.dictionaries(st.sampled_from(["1g.5gb", "1g.5gb+me", "3g.20gb", "9g.5gb"]), st.integers(1, 3), min_size=1),
    ),
)
requests = st.builds(
    Request,
    card_requests,
    st.dictionaries(st.sampled_from(["cpu", "memory", "ephemeral-storage", "vendor.com/x"]), st.integers(1, 10**7)).map(
        lambda amounts: tuple(sorted(amounts.items()))
    ),
)
rules = st.builds(
    TopologyRule,
    name=st.sampled_from(["", "fabric", "ghost"]),
    required=LEVELS,
    preferred=LEVELS | st.just("none"),
    distinct=LEVELS,
    balance=st.sampled_from(["pack", "even"]),
)
requirements = st.one_of(
    st.builds(Requirement, KEYS, st.sampled_from(["In", "NotIn"]), st.just(("a", "8"))),
    st.builds(Requirement, KEYS, st.sampled_from(["Exists", "DoesNotExist"])),
    st.builds(Requirement, KEYS, st.sampled_from(["Gt", "Lt"]), st.just(("10",))),
)
by_name = st.just(Requirement("metadata.name", "In", ("n1", "n2"), of_field=True))
terms = st.builds(
    lambda labels, fields: (*labels, *fields),
    st.lists(requirements, min_size=1, max_size=2),
    st.lists(by_name, max_size=1),
)
tolerations = st.one_of(
    st.builds(Toleration, KEYS, st.just("Equal"), TAINT_VALUES, st.sampled_from(["", "NoExecute"])),
    st.builds(Toleration, st.just("") | KEYS, st.just("Exists"), st.just(""), st.sampled_from(["", "NoSchedule"])),
)
selections = st.builds(
    Selection,
    LABELS.map(lambda labels: tuple(sorted(labels.items()))),
    st.lists(terms, max_size=2).map(tuple),
    st.lists(tolerations, max_size=2).map(tuple),
)
card_names = st.sampled_from(["0", "7", "0@4", "12@0"])


@st.composite
def running(draw: st.DrawFn) -> Running:
    found = draw(st.lists(st.none() | st.sampled_from(["n1", "n2", "n3", "n10", "x"]), max_size=9))
    on_cards = draw(st.lists(st.lists(card_names, max_size=2).map(tuple), max_size=len(found)).map(tuple))
    return Running(tuple(found), draw(TIMES), on_cards)


host_ports = st.lists(
    st.builds(
        HostPort,
        st.integers(1, 65535),
        st.sampled_from(["TCP", "UDP"]),
        st.sampled_from(["", "10.0.0.1", "10.0.0.2", "fd00::1"]),
    ),
    max_size=3,
).map(lambda ports: list({(port.port, port.protocol): port for port in ports}.values()))
on_ports = st.builds(
    lambda request, ports: replace(
        request, resources=tuple(sorted({**dict(request.resources), **as_resources(ports)}.items()))
    ),
    requests,
    host_ports,
)
conditions = st.one_of(
    st.builds(Requirement, KEYS, st.sampled_from(["In", "NotIn"]), st.sampled_from([("a", "8"), ("a",)])),
    st.builds(Requirement, KEYS, st.sampled_from(["Exists", "DoesNotExist"])),
)
selectors = st.lists(conditions, max_size=3, unique=True).map(tuple) | st.just((Requirement("", "In", ()),))
pod_terms = st.builds(
    PodTerm, KEYS, st.builds(PodSelector, selectors, st.sampled_from([(), ("default",), ("a", "b"), ("ml",)]))
)


def _rules(space: str, labels: dict[str, str], terms: list[list[PodTerm]], spread: list[SpreadRule]) -> PodRules:
    own = [replace(rule, pods=replace(rule.pods, namespaces=(space,))) for rule in spread]
    return PodRules(space, tuple(sorted(labels.items())), tuple(terms[0]), tuple(terms[1]), tuple(own), bool(own))


pod_rules = st.builds(
    _rules,
    st.sampled_from(["default", "ml"]),
    LABELS,
    st.lists(st.lists(pod_terms, max_size=2), min_size=2, max_size=2),
    st.lists(
        st.builds(
            SpreadRule,
            KEYS,
            st.integers(1, 3),
            st.builds(PodSelector, selectors),
            st.integers(1, 3),
            st.booleans(),
            st.booleans(),
        ),
        max_size=2,
    ),
)
segments = st.builds(Segment, st.integers(1, 9), LEVELS, LEVELS)
bare_leaves = st.builds(
    Group,
    pods=st.integers(1, 20),
    min_pods=st.integers(1, 20),
    request=requests | on_ports,
    card_rule=st.builds(
        CardRule, st.lists(st.sampled_from(["H100-80GB", "T4"]), max_size=2).map(tuple), MEMORY, st.booleans()
    ),
    topology=rules,
    segment=st.none() | segments,
    selection=selections,
    pod_rules=st.none() | pod_rules,
)
leaves = st.builds(lambda leaf, where: replace(leaf, running=where), bare_leaves, st.none() | running())


def _group(children: list[Group], rule: TopologyRule, fewer: int) -> Group:
    named = tuple(replace(child, name=f"g{place}") for place, child in enumerate(children))
    return Group(topology=rule, groups=named, min_groups=max(1, len(named) - fewer))


roots = st.recursive(
    leaves,
    lambda inner: st.builds(_group, st.lists(inner, min_size=1, max_size=3), rules, st.integers(0, 2)),
    max_leaves=4,
)


def _with_alternatives(workload: Workload, found: list[Alternative], taken: int, where: Running | None) -> Workload:
    number = min(taken, len(found) - 1) if where is not None else 0
    return replace(workload, root=replace(found[number].root, running=where), alternatives=tuple(found))


plain = st.builds(
    Workload,
    name=st.just(""),
    root=roots,
    queue=st.sampled_from(["default", "nlp"]),
    priority=st.integers(-5, 5),
    submit=TIMES,
    kind=st.sampled_from(["batch", "training", "inference"]),
    elastic=st.booleans(),
    preemptible=st.booleans(),
    preempts=st.booleans(),
    suspend=st.booleans(),
    duration=st.integers(0, 10**12),
    checkpoint=st.none() | st.builds(Checkpoint, st.integers(1, 10**9), st.integers(0, 10**9)),
    traffic=st.none()
    | st.builds(Traffic, st.sampled_from(["dense", "none"]))
    | st.just(Traffic("moe", {"tokens": 4096, "gradients": "14Gi", "compute": "2s"})),
    invalid=st.sampled_from(["", "it says: no\\yes # é"]),
    unsupported=st.sampled_from(["", "spread over zones"]),
)
alternatives = st.lists(st.builds(Alternative, bare_leaves, st.integers(1, 5000)), min_size=1, max_size=3)
workloads = plain | st.builds(_with_alternatives, plain, alternatives, st.integers(0, 2), st.none() | running())
