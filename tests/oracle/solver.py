"""A second opinion on the verdict alone, for clusters too large to try everything: the rules as linear constraints.

Only the minimum is asked for, since a placement with surplus stays a placement without it. Pods here ask for whole
cards of any kind or for none; shares, islands and card models are left to the reference.
"""

from __future__ import annotations

from collections import defaultdict

from ortools.sat.python import cp_model

from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_NONE, CARDS_WHOLE, CardRule, Group, Workload
from tests.oracle.cluster import NO_LIMIT, WITHOUT_LIMIT
from tests.oracle.question import Part, Question


def covers(workload: Workload) -> bool:
    """Return whether the solver can speak about a workload."""
    if workload.alternatives:
        return False
    groups = [workload.root]
    while groups:
        group = groups.pop()
        groups += group.groups
        if group.request.cards.kind not in {CARDS_NONE, CARDS_WHOLE} or group.card_rule != CardRule():
            return False
    return True


class Model:
    """The constraints of one workload: ``count[leaf][node]`` pods, and for each group whether it starts."""

    def __init__(self, question: Question) -> None:
        """Write all constraints down."""
        self.question = question
        self.model = cp_model.CpModel()
        self.machines = question.cluster.machines
        self.count = [
            [
                self.model.new_int_var(0, group.min_pods if welcome[number] else 0, f"count-{number}-{index}")
                for index, welcome in enumerate(question.welcome)
            ]
            for number, group in enumerate(question.leaf_groups)
        ]
        self.starts = {part.path: self.model.new_bool_var("/".join(part.path)) for part in question.parts}
        self.model.add(self.starts[()] == 1)
        self._minima(question.root, ())
        for index in range(len(self.machines)):
            self._room(index)
        for part in question.parts:
            self._required(part)
            self._distinct(part)
            self._segments(part)

    def feasible(self) -> bool:
        """Return the verdict; it is always proven, there is no time limit."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        verdict = solver.status_name(solver.solve(self.model))
        assert verdict in {"OPTIMAL", "FEASIBLE", "INFEASIBLE"}, verdict
        return verdict != "INFEASIBLE"

    def _minima(self, group: Group, path: tuple[str, ...]) -> None:
        if not group.groups:
            number = self.question.leaf_paths.index(path)
            self.model.add(sum(self.count[number]) == group.min_pods * self.starts[path])
            return
        children = [(*path, child.name) for child in group.groups]
        self.model.add(sum(self.starts[child] for child in children) >= group.min_groups * self.starts[path])
        for child, inner in zip(children, group.groups, strict=True):
            self.model.add_implication(self.starts[child], self.starts[path])
            self._minima(inner, child)

    def _room(self, index: int) -> None:
        place = self.machines[index]
        free = {"gpu": place.untouched(), **place.amounts}
        wanted: dict[str, list[cp_model.LinearExprT]] = defaultdict(list)
        for group, counts in zip(self.question.leaf_groups, self.count, strict=True):
            amounts = (("gpu", group.request.cards.count), ("pods", 1), *group.request.resources)
            for resource, amount in amounts:
                wanted[resource].append(amount * counts[index])
        for resource, terms in wanted.items():
            have = free.get(resource, NO_LIMIT if resource in WITHOUT_LIMIT else 0)
            self.model.add(sum(terms) <= have)

    def _domains(self, part: Part, depth: int) -> dict[tuple[object, ...], list[int]]:
        """Return the nodes of each named domain, and forbid the part's pods on the nodes that name none."""
        members: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for place in self.machines:
            if part.names(place, depth):
                members[part.domain(place, depth)].append(place.index)
            else:
                for number in part.own:
                    self.model.add(self.count[number][place.index] == 0)
        return members

    def _required(self, part: Part) -> None:
        if part.required is None:
            return
        chosen = []
        for members in self._domains(part, part.required).values():
            here = self.model.new_bool_var("")
            chosen.append(here)
            for number in part.own:
                for index in members:
                    self.model.add(self.count[number][index] == 0).only_enforce_if(~here)
        self.model.add(sum(chosen) <= 1)

    def _distinct(self, part: Part) -> None:
        if part.distinct is None:
            return
        for members in self._domains(part, part.distinct).values():
            if not part.children:
                self.model.add(sum(self.count[part.own[0]][index] for index in members) <= 1)
                continue
            users = []
            for child in part.children:
                uses = self.model.new_bool_var("")
                users.append(uses)
                for number in child:
                    for index in members:
                        self.model.add(self.count[number][index] == 0).only_enforce_if(~uses)
            self.model.add(sum(users) <= 1)

    def _segments(self, part: Part) -> None:
        segment = part.group.segment
        if segment is None or part.segment_required is None:
            return
        number = part.own[0]
        rest = part.group.min_pods % segment.size
        holders = []
        for members in self._domains(part, part.segment_required).values():
            full = self.model.new_int_var(0, part.group.min_pods, "")
            holds = self.model.new_bool_var("")
            holders.append(holds)
            self.model.add(sum(self.count[number][index] for index in members) == segment.size * full + rest * holds)
        self.model.add(sum(holders) <= 1)


def feasible(scenario: Scenario, workload: Workload) -> bool:
    """Return whether a workload's minimum can be placed."""
    return Model(Question(scenario, workload)).feasible()
