"""The reference: every placement of one pending workload, tried one by one, and the best of them by the rules.

It answers for small clusters (a dozen nodes, a handful of pods) and shares nothing with the engine but the model. What
the rules leave open is read as follows.

Feasible
    * A domain is known by its path. A node that names no domain at a level counts there as a domain of its own: it is
      counted in criteria 1, 2 and 7 and takes part in preferences, but no *rule* (``required``, ``distinct``,
      ``segment.required``) about that level can be kept there. If it does name a narrower one, its nameless domain is
      shared with the nodes that stand in the same narrower domain, so that a rack does not fall apart because its
      superpod is unknown.
    * ``distinct`` on a group of groups speaks of its direct children; pods of one child may lie together.
    * A share by fraction takes that part of the memory and of the compute that sharers may use; a share by memory takes
      no compute unless ``gpu-compute`` asks for it. Memory is exact to thousandths of a MiB.
    * Whether pods fit a node is exact: any way to hand out its cards counts, not only card by card.
    * Running pods whose cards are not named hold the lowest ones that fit.

Which groups, how many pods
    * Groups that start are chosen before everything else: as many as possible, then those listed first, from the root
      downwards in document order. Then the number of all pods. Surplus pods of which group: open until criterion 8.

Better
    * 1: how many levels above ``preferred`` the narrowest single domain is; the whole cluster is one more than the
      widest level. Then the same summed over the groups (at any depth) that name a known ``preferred``; a group that
      does not start adds nothing.
    * The default of ``preferred`` for training and inference asks whether the cards of all pods of all groups fit one
      healthy empty node, with the card rules of the pods but without their selectors, cpu and memory. A topology
      without levels has no locality unless ``preferred: node`` is written. "Without a topology rule" means that neither
      the whole nor a group gives a required, preferred or distinct level, an even balance or a segment.
    * 2: number of domains per level, widest first; then evenness per level; then the groups' sums of both per level
      (each group from just below its own level of 1 to its ``preferred``, levels counted from the widest of its own
      topology); then cut segments, summed over the groups, with ranks dealt so that fewest are cut.
    * 3 is left out: no link data in these clusters.
    * 4: a node with cards is one that has any, whatever their state. Dead rails count nodes, of workloads on two or
      more nodes.
    * 5: a node that is not ready or cordoned has no card-slots. Cards for whole use are those neither time-sliced nor
      in a fixed layout, healthy or not; their number is the node's class and the "cards" of the slots formula. A node
      is whole when all of them are free slots. Nameless domains are worth nothing. With ``largestGang`` wider levels
      count gangs of more nodes than the largest domain of the next narrower level has (nodes of any kind). Among ways
      to hand out a node's cards the one that leaves most cards untouched counts.
    * 7: for a workload without any GPU only the millicores left on the nodes used; unlimited is 2**40.
    * 8: the positions of all pods, then group after group in document order; if all else is equal an earlier group gets
      the surplus pod.

Alternatives
    * The least slowdown that is feasible, the first listed among equals, decides before criterion 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Workload
from tests.oracle.question import Question, Spread
from tests.oracle.segments import fewest_cut
from tests.oracle.vector import Vector, Worth, locality, more_pods, ties, tightest, together, wrong_nodes


class TooLargeError(Exception):
    """The instance has more placements than the caller was ready to wait for."""


@dataclass(frozen=True)
class Answer:
    """The best placement: pods per node of each leaf group, its objective, and the alternative taken (-1: none)."""

    question: Question
    spread: Spread
    vector: Vector
    alternative: int = -1


def answer(scenario: Scenario, workload: Workload, budget: int = 200_000) -> Answer | None:
    """Return the best placement of a workload, None where there is none; at most ``budget`` placements are tried."""
    search = _Budget(budget)
    if not workload.alternatives:
        return best(Question(scenario, workload), search)
    ways = sorted(enumerate(workload.alternatives), key=lambda way: (way[1].slowdown, way[0]))
    for number, way in ways:
        found = best(Question(scenario, workload, way.root), search)
        if found is not None:
            return Answer(found.question, found.spread, found.vector, number)
    return None


class _Budget:
    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLargeError


def best(question: Question, budget: _Budget) -> Answer | None:
    """Return the best placement of one root group."""
    classes: dict[tuple[float, ...], list[tuple[int, ...]]] = {}
    for counts in _possible_counts(question):
        classes.setdefault(more_pods(question, counts), []).append(counts)
    worth = Worth(question)
    total_before = worth.total(question.before)
    for key in sorted(classes):
        found: Answer | None = None
        for counts in classes[key]:
            for spread in _spreads(question, counts, budget):
                vector = objective(question, spread, worth, total_before, found.vector if found else None)
                if vector is not None and (found is None or vector < found.vector):
                    found = Answer(question, spread, vector)
        if found is not None:
            return found
    return None


def _possible_counts(question: Question) -> Iterator[tuple[int, ...]]:
    """Yield every number of pods per leaf group that keeps all minima, whatever room there is."""
    options = [(0, *range(max(group.min_pods, 1), group.pods + 1)) for group in question.leaf_groups]
    for counts in product(*options):
        if sum(counts) and _starts(question.root, list(counts)) == 1:
            yield counts


def _starts(group: Group, counts: list[int]) -> int | None:
    """Return 1 if a group starts with these counts (consumed from the front), 0 if it is absent, None if it is torn."""
    if not group.groups:
        return 1 if counts.pop(0) else 0
    states = [_starts(child, counts) for child in group.groups]
    if None in states:
        return None
    present = sum(state or 0 for state in states)
    if present == 0:
        return 0
    return 1 if present >= group.min_groups else None


def objective(
    question: Question, spread: Spread, worth: Worth, total_before: int, beat: Vector | None
) -> Vector | None:
    """Return the objective of a placement that keeps all rules but segments; None: a segment rule is broken.

    Later criteria are left out once the placement is known to be worse than ``beat``.
    """
    cut = 0
    for part in question.parts:
        if part.group.segment is not None:
            outside = fewest_cut(question, part, together(spread, part.own))
            if outside is None:
                return None
            cut += outside
    used = together(spread, question.whole.own)
    up, counts = locality(question, spread)
    pods = more_pods(question, tuple(sum(part.values()) for part in spread))
    head: Vector = (pods, up, (*counts, cut), wrong_nodes(question, spread))
    if beat is not None and head > beat[:4]:
        return head
    slots = list(question.before)
    millicores: dict[int, int] = {}
    for index in used:
        held = question.hold(index, tuple(pods[index] for pods in spread))
        if held is None:
            raise AssertionError("a spread holds only nodes that fit")
        slots[index], millicores[index] = held
    loss = total_before - worth.total(slots)
    left = tightest(question, used, slots, millicores)
    return (*head, (loss,), (len(used),), left, ties(question, spread))


def _spreads(question: Question, counts: tuple[int, ...], budget: _Budget) -> Iterator[Spread]:
    """Yield every placement of these counts that keeps required levels and distinct; equal nodes in one order only."""
    usable = [index for index in question.order if any(question.welcome[index])]
    most = {index: _most(question, index, counts) for index in usable}
    suffix = [tuple(0 for _ in counts)]
    for index in reversed(usable):
        suffix.append(tuple(have + more for have, more in zip(suffix[-1], most[index], strict=True)))
    suffix.reverse()
    chosen: list[tuple[int, tuple[int, ...]]] = []
    rules: dict[object, object] = {}
    last: dict[object, list[tuple[int, tuple[int, ...]]]] = {}

    def go(place: int, left: tuple[int, ...]) -> Iterator[Spread]:
        if not any(left):
            budget.spend()
            yield tuple(
                Counter({index: vector[number] for index, vector in chosen if vector[number]})
                for number in range(len(counts))
            )
            return
        if any(need > have for need, have in zip(left, suffix[place], strict=True)):
            return
        index = usable[place]
        signature = question.signatures[index]
        before = last.setdefault(signature, [])
        bounds = [range(min(need, many) + 1) for need, many in zip(left, most[index], strict=True)]
        for vector in product(*bounds):
            rank = (sum(vector), vector)
            if (before and rank > before[-1]) or (any(vector) and question.hold(index, vector) is None):
                continue
            added = _obey(question, index, vector, rules) if any(vector) else []
            if added is None:
                continue
            before.append(rank)
            if any(vector):
                chosen.append((index, vector))
            yield from go(place + 1, tuple(need - got for need, got in zip(left, vector, strict=True)))
            if any(vector):
                chosen.pop()
            before.pop()
            for key in added:
                del rules[key]

    yield from go(0, counts)


def _most(question: Question, index: int, counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many pods of each leaf group, alone, fit a node."""
    most = []
    for number, wanted in enumerate(counts):
        fit = 0
        while fit < wanted:
            alone = tuple(fit + 1 if other == number else 0 for other in range(len(counts)))
            if question.hold(index, alone) is None:
                break
            fit += 1
        most.append(fit)
    return tuple(most)


def _obey(question: Question, index: int, vector: tuple[int, ...], rules: dict[object, object]) -> list[object] | None:
    """Return the entries added to ``rules`` by pods on a node; None, with nothing added, where a rule is broken."""
    place = question.cluster.machines[index]
    added: list[object] = []
    wishes: list[tuple[object, object]] = []
    for number, part in enumerate(question.parts):
        here = [own for own in part.own if vector[own]]
        if not here:
            continue
        for depth in (part.required, part.distinct, part.segment_required):
            if depth is not None and not part.names(place, depth):
                return None
        if part.required is not None:
            wishes.append((("required", number), part.domain(place, part.required)))
        if part.distinct is not None:
            domain = part.domain(place, part.distinct)
            if part.children:
                units: list[object] = [child for child in part.children if any(own in child for own in here)]
            else:
                units = [(index, pod) for pod in range(vector[here[0]])]
            wishes += [(("distinct", number, domain), unit) for unit in units]
    for key, value in wishes:
        if key not in rules:
            rules[key] = value
            added.append(key)
        elif rules[key] != value:
            for undone in added:
                del rules[undone]
            return None
    return added
