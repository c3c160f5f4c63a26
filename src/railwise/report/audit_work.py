"""What would hurt about workloads: those that can never start, and habits that cost everybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.reason import Code
from railwise.model.scenario import Scenario
from railwise.report.audit import ADVICE, PROBLEM, Finding
from railwise.report.wording import counted, joined

NEVER = (
    Code.INVALID_REQUEST,
    Code.UNKNOWN_QUEUE,
    Code.UNKNOWN_TOPOLOGY,
    Code.UNKNOWN_LEVEL,
    Code.NEVER_FITS,
    Code.UNSUPPORTED,
)
"""Codes of workloads that wait in vain until somebody changes them."""

MANY = 10
"""From so many workloads on a habit is worth a word."""

NAMED = 3


def of_work(scenario: Scenario, plan: Plan, incomplete: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Yield what is found about workloads; ``incomplete`` says of gangs that lack pods how many are there."""
    for code in NEVER:
        entries = [one for one in plan.workloads if one.reason is not None and one.reason.code is code]
        if entries:
            yield _never(code, entries)
    for name, there in (incomplete or {}).items():
        what = f"lacks pods: {there}"
        yield Finding("incomplete", ADVICE, f"workload {name}", what, "look at the events of whoever makes its pods")
    names = {queue.name for queue in scenario.queues}
    astray = [one.name for one in scenario.workloads if one.queue == "default" and "default" not in names]
    if names and astray:
        what = "names no queue although there are some: nothing is promised to it, and nothing limits it"
        yield Finding("no-queue", ADVICE, _several("workload", astray), what, "name a queue")
    endless = [one.name for one in scenario.workloads if not one.duration]
    if len(scenario.workloads) >= MANY and len(endless) * 2 > len(scenario.workloads) and _anybody_waits(plan):
        what = (
            f"{len(endless)} of {len(scenario.workloads)} say no duration: none of them may go before a reserved start"
        )
        yield Finding("no-duration", ADVICE, "workloads", what, "say about how long work runs (railwise.dev/duration)")


def _anybody_waits(plan: Plan) -> bool:
    return any(one.state is State.PENDING for one in plan.workloads)


def _never(code: Code, entries: Sequence[WorkloadPlan]) -> Finding:
    first = entries[0].reason
    what = f"can never start: {code.value}, {first.summary}" if first is not None else ""
    step = first.next if first is not None and first.next else f"railwise explain {code.value}"
    return Finding("never-starts", PROBLEM, _several("workload", [one.name for one in entries]), what, step)


def _several(noun: str, names: Sequence[str]) -> str:
    more = len(names) - NAMED
    shown = joined([*names[:NAMED], f"{more} more"]) if more > 0 else joined(names)
    return f"{noun if len(names) == 1 else counted(len(names), noun)} {shown}"
