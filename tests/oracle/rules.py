"""What is wrong with a finished placement, and its objective: judged pod by pod, card by card, rank by rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from railwise.model.plan import PodPlacement
from railwise.model.scenario import Scenario
from railwise.model.workload import CARDS_NONE, Group, Workload
from tests.oracle.cluster import accepts, leaves
from tests.oracle.question import Part, Question, Spread
from tests.oracle.segments import cut_by_ranks
from tests.oracle.vector import Vector, Worth, domains, locality, more_pods, ties, tightest, together, wrong_nodes


class Placed:
    """A placement of one workload's pods on an otherwise unchanged cluster, with everything that is wrong about it."""

    def __init__(
        self, scenario: Scenario, workload: Workload, pods: Sequence[PodPlacement], root: Group | None = None
    ) -> None:
        """Put the pods on their cards, in order, and check every rule."""
        self.question = Question(scenario, workload, root)
        self.faults: list[str] = []
        self.nodes: list[dict[int, int]] = [{} for _ in self.question.leaf_groups]
        paths = ["/".join(path) for path in self.question.leaf_paths]
        if {pod.group for pod in pods} - set(paths):
            self.faults.append("a pod of an unknown group")
        for number, path in enumerate(paths):
            self._put(number, [pod for pod in pods if pod.group == path])
        self.spread: Spread = tuple(Counter(nodes.values()) for nodes in self.nodes)
        self._minima(self.question.root, [len(nodes) for nodes in self.nodes])
        for part in self.question.parts:
            self._check(part)

    def _put(self, number: int, pods: list[PodPlacement]) -> None:
        group = self.question.leaf_groups[number]
        if sorted(pod.rank for pod in pods) != list(range(len(pods))) or len(pods) > group.pods:
            self.faults.append(f"group {pods[0].group!r}: ranks {[pod.rank for pod in pods]} of {group.pods} pods")
        for pod in sorted(pods, key=lambda one: one.rank):
            place = self.question.cluster.by_name[pod.node]
            if not place.takes_pods() or not accepts(place.node, group.selection):
                self.faults.append(f"pod {pod.name}: node {pod.node} does not let it in")
            cards = [int(card) for card in pod.cards]
            if group.request.cards.kind == CARDS_NONE and cards:
                self.faults.append(f"pod {pod.name} got cards it did not ask for")
            fault = place.put(group.request, group.card_rule, cards)
            if fault:
                self.faults.append(f"pod {pod.name}: {fault}")
            self.nodes[number][pod.rank] = place.index

    def _minima(self, group: Group, counts: list[int]) -> bool:
        """Check minima of a group, consuming the counts of its leaves; return whether it starts."""
        if not group.groups:
            count = counts.pop(0)
            if count and count < group.min_pods:
                self.faults.append(f"group {group.name!r}: {count} pods, {group.min_pods} are needed")
            return count > 0
        started = sum([self._minima(child, counts) for child in group.groups])
        if 0 < started < group.min_groups:
            self.faults.append(f"group {group.name!r}: {started} groups, {group.min_groups} are needed")
        return started > 0

    def _check(self, part: Part) -> None:
        pods = together(self.spread, part.own)
        machines = self.question.cluster.machines
        path = "/".join(part.path)
        for depth in (part.required, part.distinct):
            if depth is not None and any(not part.names(machines[index], depth) for index in pods):
                self.faults.append(f"group {path!r}: a node without a domain at depth {depth}")
        if part.required is not None and len(domains(self.question, part, pods, part.required)) > 1:
            self.faults.append(f"group {path!r}: not in one required domain")
        if part.distinct is not None:
            units = [self.spread[number] for number in part.own] if not part.children else []
            shares = [domains(self.question, part, unit, part.distinct) for unit in units]
            for child in part.children:
                spread = domains(self.question, part, together(self.spread, child), part.distinct)
                shares.append(Counter(set(spread)))
            if any(count > 1 for count in sum(shares, Counter()).values()):
                self.faults.append(f"group {path!r}: two in one domain of its distinct level")
        if not part.children and cut_by_ranks(self.question, part, self.nodes[part.own[0]])[0]:
            self.faults.append(f"group {path!r}: a segment leaves its required domain")

    def unordered(self) -> list[str]:
        """Return the groups without segments whose ranks do not follow tree order."""
        wrong = []
        for (path, group), nodes in zip(leaves(self.question.root), self.nodes, strict=True):
            positions = [self.question.position[nodes[rank]] for rank in sorted(nodes)]
            if group.segment is None and positions != sorted(positions):
                wrong.append("/".join(path))
        return wrong

    def vector(self) -> Vector:
        """Return the objective of the placement as it is, with its own ranks and cards."""
        question = self.question
        used = together(self.spread, question.whole.own)
        up, counts = locality(question, self.spread)
        cut = 0
        for part in question.parts:
            if not part.children:
                cut += cut_by_ranks(question, part, self.nodes[part.own[0]])[1]
        machines = question.cluster.machines
        slots = [place.slots(place.untouched(), place.amounts) for place in machines]
        millicores = {place.index: place.amounts["cpu"] for place in machines}
        worth = Worth(question)
        loss = worth.total(question.before) - worth.total(slots)
        return (
            more_pods(question, tuple(len(nodes) for nodes in self.nodes)),
            up,
            (*counts, cut),
            wrong_nodes(question, self.spread),
            (loss,),
            (len(used),),
            tightest(question, used, slots, millicores),
            ties(question, self.spread),
        )


def vector_of(
    scenario: Scenario, workload: Workload, pods: Sequence[PodPlacement], root: Group | None = None
) -> Vector:
    """Return the objective vector of a given placement, from the definition."""
    return Placed(scenario, workload, pods, root).vector()
