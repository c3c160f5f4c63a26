"""A what-if as an answer: would it start, who gains, who loses, what must move, when and how would it do otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from railwise.engine.what_if import RUNS, WORSE, Difference, Effect, Outlook
from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.report.plan_tables import plan_notes, where
from railwise.report.reason_text import short
from railwise.report.table import BAD, DIM, GOOD, STRONG, WARN, Cell, Table, row, table
from railwise.report.wording import counted, gpu_time, hosts, joined, span

_TONES = {Effect.STARTS: GOOD, Effect.STAYS: GOOD, Effect.MORE: GOOD, Effect.MOVES: WARN, Effect.REASON: DIM}


def headline(questions: Sequence[str], found: Sequence[Difference]) -> list[Cell]:
    """Return the question and how many workloads it makes a difference for."""
    effects = [counted_effect(effect, found) for effect in Effect]
    said = joined([text for text in effects if text])
    return [
        Cell(f"What if {joined(questions)}?", STRONG),
        Cell(f"  {said}." if said else "  Nothing would be different."),
    ]


def counted_effect(effect: Effect, found: Sequence[Difference]) -> str:
    """Return ``1 workload starts``, ``2 workloads get fewer pods``; empty for none."""
    number = sum(1 for one in found if one.effect is effect)
    verbs = {
        Effect.STARTS: ("starts", "start"),
        Effect.STAYS: ("keeps running", "keep running"),
        Effect.STOPS: ("stops", "stop"),
        Effect.STAYS_OUT: ("does not start", "do not start"),
        Effect.MOVES: ("goes elsewhere", "go elsewhere"),
        Effect.FEWER: ("gets fewer pods", "get fewer pods"),
        Effect.MORE: ("gets more pods", "get more pods"),
        Effect.REASON: ("waits for another reason", "wait for another reason"),
    }
    return f"{counted(number, 'workload')} {verbs[effect][number > 1]}" if number else ""


def answer_lines(scenario: Scenario, plan: Plan, name: str, outlook: Outlook | None) -> list[Cell]:
    """Return the answer about one submitted workload.

    Args:
        scenario: with the workload in it.
        plan: with the what-if.
        name: of the workload.
        outlook: where it waits.
    """
    entry = next(entry for entry in plan.workloads if entry.name == name)
    workload = next(one for one in scenario.workloads if one.name == name)
    if entry.state in RUNS:
        place = where(scenario, workload, entry)
        lines = [
            Cell(
                f"{name} would start now on {hosts([pod.node for pod in entry.pods], scenario)}"
                + (f", {place}" if place else "")
                + ".",
                GOOD,
            )
        ]
        if entry.victims:
            lines.append(Cell(f"  It would displace {joined(entry.victims)}.", WARN))
        return lines
    reason = short(entry.reason) if entry.reason else "no reason was recorded"
    lines = [Cell(f"{name} would wait, {reason}", BAD)]
    if outlook is not None:
        lines += [Cell(f"  {text}") for text in outlook_texts(outlook, plan.time)]
    return lines


def outlook_texts(outlook: Outlook, now: int) -> list[str]:
    """Return when and how it would start otherwise."""
    if outlook.start > now:
        when = f"in {span(outlook.start - now)}"
        how = "as planned by its reservation"
        if outlook.after:
            how = f"at the earliest, once {outlook.after} has ended, if durations hold and nobody comes first"
        texts = [f"When   {when} {how}"]
    else:
        texts = ["When   not known: too little of what runs says how long it takes"]
    return texts + [f"{'Or' if not number else '  '}     {step}" for number, step in enumerate(outlook.steps)]


def difference_table(scenario: Scenario, found: Sequence[Difference]) -> Table:
    """Return a row a workload: what it does now, in the plan without and with the what-if.

    Args:
        scenario: with what was submitted.
        found: the differences.
    """
    return table(
        ["WORKLOAD", "NOW", "WITHOUT", "WITH", "DIFFERENCE"],
        [
            row(
                Cell(one.name, STRONG),
                "runs" if one.runs else "waits" if one.before is not None else "new",
                state_text(scenario, one.before),
                state_text(scenario, one.after),
                Cell(_difference(one), BAD if one.effect in WORSE else _TONES.get(one.effect, "")),
            )
            for one in found
        ],
    )


def _difference(one: Difference) -> str:
    text = one.effect.value
    if one.effect is Effect.STAYS_OUT and one.before is not None:
        text = "no longer starts"
    if one.effect is Effect.MOVES and not one.runs:
        text = "starts elsewhere"
    return f"{text}, {gpu_time(one.lost)} lost" if one.lost else text


def state_text(scenario: Scenario, entry: WorkloadPlan | None) -> str:
    """Return where a workload is in a plan, or why it is nowhere."""
    if entry is None:
        return ""
    if entry.state in RUNS:
        return hosts([pod.node for pod in entry.pods], scenario)
    if entry.state is State.PENDING and entry.reason is not None:
        return f"waits: {entry.reason.code.value}"
    return entry.state.value


def steps_lines(before: Plan, after: Plan) -> list[Cell]:
    """Return what the plan with the what-if does to others and the one without does not."""
    fresh = replace(
        after,
        workloads=(),
        evictions=tuple(one for one in after.evictions if one not in before.evictions),
        moves=tuple(one for one in after.moves if one not in before.moves),
        reservations=tuple(one for one in after.reservations if one not in before.reservations),
    )
    gone = {(one.workload, one.beneficiary) for one in before.evictions}
    gone -= {(one.workload, one.beneficiary) for one in after.evictions}
    spared = [Cell(f"does not evict {name} for {other}", GOOD) for name, other in sorted(gone)]
    return [*plan_notes(fresh), *spared]


def what_if_data(
    questions: Sequence[str], found: Sequence[Difference], outlooks: Mapping[str, Outlook], now: int
) -> dict[str, object]:
    """Return question, differences and outlooks as plain data; times are µs, lost work GPU-seconds."""
    return {
        "apiVersion": "railwise.dev/v1alpha1",
        "kind": "WhatIf",
        "questions": list(questions),
        "time": now,
        "differences": [
            {
                "workload": one.name,
                "effect": one.effect.value,
                "runs": one.runs,
                "before": _entry_data(one.before),
                "after": _entry_data(one.after),
                "lostGpuSeconds": one.lost,
            }
            for one in found
        ],
        "outlooks": [
            {
                "workload": name,
                "start": one.start if one.start >= 0 else None,
                "after": one.after or None,
                "steps": list(one.steps),
            }
            for name, one in outlooks.items()
        ],
    }


def _entry_data(entry: WorkloadPlan | None) -> dict[str, object] | None:
    if entry is None:
        return None
    return {
        "state": entry.state.value,
        "pods": {pod.name: pod.node for pod in entry.pods},
        "reason": entry.reason.code.value if entry.reason else None,
        "victims": list(entry.victims),
    }
