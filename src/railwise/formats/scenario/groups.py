"""Groups of pods: the part of a workload that says how many pods there are, what each needs and where they must lie.

A workload is itself such a group, with some keys of its own; a group holds pods or further groups, never both. Keys
that speak of pods stand where the pods are: given above, nobody could tell whether they are meant for each part or for
all together.
"""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import ByForm, Choice, Kind, ListOf, Text, Whole
from railwise.formats.records import Deferred, Field, Record
from railwise.formats.scenario.pod_rules import POD_RULE_FIELDS, build_host_ports, build_pod_rules
from railwise.formats.scenario.requests import CARD_RULE_RECORD, REQUEST, build_card_rule
from railwise.formats.scenario.selection import SELECTION_FIELDS, build_selection
from railwise.formats.terms import GROUP_NAME, LEVEL, LEVEL_OR_EMPTY, MOST_CARDS, MOST_PODS, NAME, TIME, NodeNames
from railwise.model.workload import Group, Request, Running, Segment, TopologyRule

_PODS = Whole(1, MOST_PODS)
_CARD = Text(r"[0-9]{1,4}(?:@[0-9]{1,2})?", 7, "a card such as 0, or a MIG slice such as 0@4")

TOPOLOGY_RULE_RECORD = Record(
    "TopologyRule",
    {
        "name": Field(NAME, "which topology; default: that of the group around it, else the first"),
        "required": Field(LEVEL_OR_EMPTY, "all pods lie in one domain of this level, or none is placed"),
        "preferred": Field(LEVEL, "the level that should hold all pods; `none`: no locality"),
        "distinct": Field(LEVEL_OR_EMPTY, "no two pods (groups, where there are any) share a domain of this level"),
        "balance": Field(Choice("pack", "even"), "shares of the domains used: packed (default) or even"),
    },
)

SEGMENT_RECORD = Record(
    "Segment",
    {
        "size": Field(_PODS, "how many consecutive ranks", required=True),
        "required": Field(LEVEL_OR_EMPTY, "each segment lies in one domain of this level"),
        "preferred": Field(LEVEL, "each segment should lie in one domain of this level"),
    },
)

RUNNING_RECORD = Record(
    "Running",
    {
        "nodes": Field(NodeNames(), "the node of each pod by rank; null: wanted, not running", required=True),
        "since": Field(TIME, "when they started; default 0s"),
        "cards": Field(
            ListOf(ListOf(ByForm("a card's number", {int: Whole(0, MOST_CARDS - 1), str: _CARD}))),
            "the cards of each pod by rank",
        ),
        "alternative": Field(Whole(0, MOST_PODS), "which alternative runs; default 0"),
    },
)

POD_FIELDS = {
    "pods": Field(_PODS, "how many pods, ranks 0 and up; default 1"),
    "minPods": Field(_PODS, "how many of them are needed; default: all"),
    "request": Field(REQUEST, "what one pod needs"),
    "gpu": Field(CARD_RULE_RECORD, "which cards will do"),
    "segment": Field(SEGMENT_RECORD, "equal runs of consecutive ranks that stay together"),
    **SELECTION_FIELDS,
    **POD_RULE_FIELDS,
    "running": Field(RUNNING_RECORD, "where the pods run already"),
}
"""Keys that speak of pods and stand where the pods are."""


def _groups() -> Kind[Any]:
    return GROUP_LIST


GROUP_FIELDS = {
    **POD_FIELDS,
    "topology": Field(TOPOLOGY_RULE_RECORD, "where all of it lies"),
    "groups": Field(Deferred(_groups), "parts with pods of their own, instead of pods"),
    "minGroups": Field(_PODS, "how many of the groups are needed; default: all"),
}

HINTS = {
    "gpus": "cards of one pod stand in 'request' as 'gpu'",
    "replicas": "did you mean 'pods'?",
    "minAvailable": "did you mean 'minPods'?",
    "minMember": "did you mean 'minPods'?",
    "affinity": "did you mean 'nodeAffinity'?",
    "resources": "did you mean 'request'?",
}

GROUP_RECORD = Record(
    "Group", {"name": Field(GROUP_NAME, "the name of the group", required=True), **GROUP_FIELDS}, HINTS
)
GROUP_LIST: Kind[Any] = ListOf(GROUP_RECORD, 1)


class GroupReading:
    """Builds groups from records; ``problems`` holds what makes the workload wait though its form is sound."""

    def __init__(self, faults: Faults) -> None:
        """Start without problems."""
        self.faults = faults
        self.problems: list[str] = []

    def build(self, record: dict[str, Any], path: str, name: str = "") -> Group:
        """Return the group of a record, with all groups below it."""
        topology = self._rule(record.get("topology", {}))
        if "groups" not in record:
            return self._with_pods(record, path, name, topology)
        for key in POD_FIELDS:
            if key == "pods" and key in record:
                self.faults.add(
                    path, "'pods' and 'groups' exclude each other: are these pods some of the groups' or more?"
                )
            elif key in record:
                self.faults.add(f"{path}.{key}", "speaks of pods, so it belongs to the groups that hold them")
        groups: list[Group] = []
        seen: dict[str, int] = {}
        for index, child in enumerate(record["groups"]):
            where = at_index(f"{path}.groups", index)
            child_name = child.get("name", "")
            if child_name in seen:
                self.faults.add(f"{where}.name", f"'{child_name}' is already the name of groups[{seen[child_name]}]")
            seen.setdefault(child_name, index)
            groups.append(self.build(child, where, child_name))
        return Group(
            name=name,
            topology=topology,
            groups=tuple(groups),
            min_groups=record.get("minGroups", len(groups)),
        )

    def _with_pods(self, record: dict[str, Any], path: str, name: str, topology: TopologyRule) -> Group:
        if "minGroups" in record:
            self.faults.add(f"{path}.minGroups", "there are no groups")
        pods = record.get("pods", 1)
        return Group(
            name=name,
            pods=pods,
            min_pods=record.get("minPods", pods),
            request=_request(record),
            card_rule=build_card_rule(record.get("gpu", {})),
            topology=topology,
            segment=self._segment(record["segment"]) if "segment" in record else None,
            selection=build_selection(record, path, self.faults),
            running=build_running(record["running"], f"{path}.running", self.faults) if "running" in record else None,
            pod_rules=build_pod_rules(record, path, self.faults),
        )

    def _rule(self, record: dict[str, Any]) -> TopologyRule:
        if not record:
            return _NO_RULE
        for key in ("required", "distinct"):
            if record.get(key) == "":
                self.problems.append(f"topology.{key} names no level")
        return TopologyRule(
            name=record.get("name", ""),
            required=record.get("required", ""),
            preferred=record.get("preferred", ""),
            distinct=record.get("distinct", ""),
            balance=record.get("balance", "pack"),
        )

    def _segment(self, record: dict[str, Any]) -> Segment:
        if record.get("required") == "":
            self.problems.append("segment.required names no level")
        return Segment(record.get("size", 1), record.get("required", ""), record.get("preferred", ""))


_NOTHING = Request()
_NO_RULE = TopologyRule()


def _request(record: dict[str, Any]) -> Request:
    """Return what one pod asks for, ports of its node included."""
    request: Request = record.get("request", _NOTHING)
    if "hostPorts" not in record:
        return request
    ports = build_host_ports(record["hostPorts"])
    return Request(request.cards, tuple(sorted({**dict(request.resources), **ports}.items())))


def build_running(record: dict[str, Any], path: str, faults: Faults) -> Running:
    """Return where pods run; there may be fewer cards than nodes, never more."""
    nodes = tuple(record.get("nodes", ()))
    cards = tuple(tuple(str(card) for card in of_pod) for of_pod in record.get("cards", ()))
    if len(cards) > len(nodes):
        faults.add(f"{path}.cards", f"there are cards for {len(cards)} pods and nodes for {len(nodes)}")
    return Running(nodes, record.get("since", 0), cards)
