"""Running a policy test: what a case expects, compared with what the engine decides.

Every difference names the item, what was expected and what was found, because a failed policy test is read by somebody
who did not write it. A case that asks for what this version cannot do yet is neither passed nor failed: it says what it
needs. One that fails because a workload is refused as ``Unsupported`` says that: its rule was not broken, but not kept
either.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from railwise.engine.cycle import plan_scenario
from railwise.engine.views import node_rows
from railwise.formats.cases.evicted_cards import NeedsError, thousandths_of
from railwise.formats.cases.expected_places import Pods, differ, listed, outside, topology_names
from railwise.formats.cases.model import (
    Case,
    Evicted,
    Expectation,
    OfGroup,
    OfWorkload,
    Refused,
    Share,
    Slots,
)
from railwise.formats.cases.result import Result, Simulate
from railwise.model.plan import PodPlacement, WorkloadPlan
from railwise.model.quantity import format_thousandths
from railwise.model.reason import Code


class Outcome(Enum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"
    NEEDS = "needs"


@dataclass(frozen=True)
class Verdict:
    """The end of a case; ``differences`` are those of a failed or unsupported one.

    ``needs`` says what this version lacks to judge the case, or which rule of it is refused.
    """

    outcome: Outcome
    differences: tuple[str, ...] = ()
    needs: str = ""

    def lines(self) -> list[str]:
        """Return what there is to say: nothing for a passed case."""
        return [f"needs {self.needs}"] if self.outcome is Outcome.NEEDS else list(self.differences)


def check(case: Case, simulate: Simulate | None = None) -> list[str]:
    """Return the differences between what a case expects and what the engine decides; empty: it passed."""
    return judge(case, simulate).lines()


def judge(case: Case, simulate: Simulate | None = None) -> Verdict:
    """Run a case and return how it ended; ``simulate`` is what cases that take time are run with."""
    result = Result(case, simulate)
    differences: list[str] = []
    missed: list[Expectation] = []
    needs = ""
    for expectation in case.expect:
        try:
            found = _differences(expectation, result.at(expectation.at))
        except NeedsError as lacking:
            needs = needs or str(lacking)
            continue
        differences += [f"{expectation.path}: {text}" for text in found]
        missed += [expectation] * bool(found)
    if differences:
        refused = _unsupported(missed, result)
        return Verdict(Outcome.UNSUPPORTED if refused else Outcome.FAILED, tuple(differences), refused)
    return Verdict(Outcome.NEEDS, needs=needs) if needs else Verdict(Outcome.PASSED)


def _unsupported(missed: list[Expectation], result: Result) -> str:
    """Return which rule is refused, where all workloads that disappoint are refused for want of support."""
    names = [choice.workload.name for one in missed for choice in (one, *one.one_of) if choice.workload is not None]
    plans = [result.of(name) for name in dict.fromkeys(names)] if not result.faults else []
    reasons = [plan.reason for plan in plans if plan is not None and plan.reason is not None]
    if not plans or [reason.code for reason in reasons] != [Code.UNSUPPORTED] * len(plans):
        return ""
    return reasons[0].summary


def _differences(expectation: Expectation, result: Result) -> list[str]:
    if expectation.one_of:
        return _one_of(expectation.one_of, result)
    if expectation.error is not None:
        return _error(expectation.error, result)
    if result.faults:
        return [f"the document was refused: {listed([fault.text() for fault in result.faults], 3)}"]
    found: list[str] = []
    if expectation.workload is not None:
        found += _workload(expectation.workload, result)
    if expectation.evicted is not None:
        found += _evicted(expectation.evicted, result)
    if expectation.stable is not None:
        found += _stable(result, wanted=expectation.stable)
    if expectation.slots is not None:
        found += _slots(expectation.slots, result)
    found += _free(expectation.free, result)
    found += _warnings(expectation.warnings, result)
    if expectation.max_evictions is not None:
        times = Counter(eviction.workload for eviction in result.plan.evictions)
        for name, count in sorted(times.items()):
            found += outside(f"evictions of {name}", expectation.max_evictions, count)
    if expectation.share is not None:
        found += _share(expectation.share, result)
    return found


def _share(wanted: Share, result: Result) -> list[str]:
    due = result.shares.get(wanted.queue)
    if due is None:
        return [f"there is no queue '{wanted.queue}'"]
    return [
        differ(f"fair share of {wanted.queue} in {resource}", str(amount), str(due.get(resource, 0)))
        for resource, amount in wanted.amounts.items()
        if due.get(resource, 0) != amount
    ]


def _one_of(choices: tuple[Expectation, ...], result: Result) -> list[str]:
    missed: list[str] = []
    needs: list[NeedsError] = []
    for choice in choices:
        try:
            found = _differences(choice, result)
        except NeedsError as lacking:
            needs.append(lacking)
            continue
        if not found:
            return []
        missed.append("; ".join(found))
    if needs:
        raise needs[0]
    return ["none of the accepted answers: " + " | ".join(missed)]


def _error(wanted: Refused, result: Result) -> list[str]:
    asked = " ".join(filter(None, (wanted.path, f"with '{wanted.contains}'" if wanted.contains else "")))
    if not result.faults:
        return [f"expected a refusal at {asked or 'any place'}, the document was accepted"]
    for fault in result.faults:
        text = f"{fault.path} {fault.message} {fault.hint}".lower()
        if _below(fault.path, wanted.path) and wanted.contains.lower() in text:
            return []
    return [differ("refusal", asked, listed([fault.text() for fault in result.faults], 5))]


def _below(path: str, above: str) -> bool:
    return not above or path == above or path.startswith((f"{above}.", f"{above}["))


def _workload(wanted: OfWorkload, result: Result) -> list[str]:
    plan = result.of(wanted.name)
    workload = result.workloads.get(wanted.name)
    if plan is None or workload is None:
        return [f"there is no workload {wanted.name}"]
    found: list[str] = []
    if wanted.starts is not None:
        wait = result.lived.waits.get(wanted.name)
        found += [differ("start", "one", "none")] if wait is None else outside("wait in µs", wanted.starts, wait)
    code = plan.reason.code.value if plan.reason is not None else ""
    if wanted.state and wanted.state != plan.state.value:
        why = f" ({code}: {plan.reason.summary})" if plan.reason is not None else ""
        found.append(differ("state", wanted.state, plan.state.value + why))
    if wanted.reason and wanted.reason != code:
        found.append(differ("reason", wanted.reason, code or "none"))
    if wanted.counts:
        counts = {"total": plan.reason.total, **plan.reason.nodes} if plan.reason is not None else {}
        for name, number in wanted.counts.items():
            if counts.get(name, 0) != number:
                found.append(differ(f"nodes counted under {name}", str(number), str(counts.get(name, 0))))
    root = workload.alternatives[plan.alternative].root if plan.alternative >= 0 else workload.root
    names = topology_names(root)
    rings = _rings(plan, list(names))
    found += Pods(result.places, names[""], rings).differences(wanted.where)
    if wanted.group is not None:
        found += _group(wanted.group, plan, names, result)
    return [f"workload {wanted.name}: {text}" for text in found]


def _rings(plan: WorkloadPlan, paths: list[str]) -> list[list[PodPlacement]]:
    return [[pod for pod in plan.pods if pod.group == path] for path in paths]


def _group(wanted: OfGroup, plan: WorkloadPlan, names: dict[str, str], result: Result) -> list[str]:
    known = [path for path in names if path and wanted.name in {path, path.rpartition("/")[2]}]
    exact = [path for path in known if path == wanted.name]
    if len(exact or known) != 1:
        return [f"group {wanted.name}: {'ambiguous, give its path' if known else 'there is none of that name'}"]
    path = (exact or known)[0]
    inside = [other for other in names if other == path or other.startswith(f"{path}/")]
    pods = Pods(result.places, names[path], _rings(plan, inside))
    return [f"group {wanted.name}: {text}" for text in pods.differences(wanted.where)]


def _evicted(wanted: Evicted, result: Result) -> list[str]:
    evictions = result.plan.evictions
    names = sorted({eviction.workload for eviction in evictions})
    found: list[str] = []
    if wanted.workloads is not None and sorted(wanted.workloads) != names:
        found.append(differ("evicted workloads", listed(sorted(wanted.workloads)), listed(names)))
    if wanted.count is not None:
        found += outside("number of evicted workloads", wanted.count, len(names))
    if wanted.gpus is not None:
        gone = {pod for eviction in evictions for pod in eviction.pods}
        found += outside("cards evicted", wanted.gpus, thousandths_of(result.scenario, gone), format_thousandths)
    return found


def _stable(result: Result, *, wanted: bool) -> list[str]:
    again = plan_scenario(result.later)
    changed = [f"{one.workload} evicted" for one in again.evictions] + [f"{one.workload} moved" for one in again.moves]
    for workload in again.workloads:
        before = result.of(workload.name)
        pods = {(pod.name, pod.node, pod.cards) for pod in workload.pods}
        if before is not None and pods != {(pod.name, pod.node, pod.cards) for pod in before.pods}:
            changed.append(
                f"{workload.name} {workload.state.value} on {listed(sorted({pod.node for pod in workload.pods}))}"
            )
    if bool(changed) != wanted:
        return []
    return [f"a second plan on the result changes {'it: ' + listed(changed, 5) if changed else 'nothing'}"]


def _slots(wanted: Slots, result: Result) -> list[str]:
    whole: Counter[object] = Counter()
    for row in node_rows(result.later):
        domain = result.places.domain(row.name, wanted.level, "")
        if domain is None:
            return [f"no topology has a level '{wanted.level}'"]
        whole[domain] += row.cards > 0 and row.free == row.cards
    gangs = sum(nodes // wanted.size for nodes in whole.values())
    return outside(f"gangs of {wanted.size} whole nodes that fit a {wanted.level}", wanted.count, gangs)


def _free(wanted: dict[str, int], result: Result) -> list[str]:
    if not wanted:
        return []
    free = {row.name: row.free for row in node_rows(result.later)}
    return [
        differ(f"free card-slots of {node}", str(slots), str(free.get(node, "no such node")))
        for node, slots in wanted.items()
        if free.get(node) != slots
    ]


def _warnings(wanted: tuple[str, ...], result: Result) -> list[str]:
    if not wanted:
        return []
    warnings = [*result.scenario.warnings, *result.plan.warnings]
    missing = [text for text in wanted if not any(text.lower() in warning.lower() for warning in warnings)]
    return [differ("warning", f"one with '{text}'", listed(warnings, 5)) for text in missing]
