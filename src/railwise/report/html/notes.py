"""What a reader must know to trust the page: what each policy is, how numbers came about, what was left out."""

from __future__ import annotations

import railwise
from railwise.report.html.markup import esc
from railwise.report.html.payload import Payload
from railwise.report.measures import BY_NAME, NEITHER
from railwise.report.policy_texts import policy_text
from railwise.report.run_data import Comparison
from railwise.report.summary import Summary
from railwise.report.wording import counted, joined, span

_SHOWN_WARNINGS = 20


def compared(comparison: Comparison) -> str:
    """Return in one sentence what was compared."""
    scenario = comparison.scenario
    cards = sum(node.card_count() for node in scenario.nodes)
    policies = comparison.policies()
    end = max((run.end for run in comparison.runs), default=0)
    who = f"{joined(policies)} live" if len(policies) > 1 else f"{policies[0]} lives"
    same = "the same " if len(policies) > 1 else ""
    seeds = len(dict.fromkeys(run.seed for run in comparison.runs))
    times = f", {counted(seeds, 'seed')} each" if seeds > 1 else ""
    return (
        f"{who[:1].upper()}{who[1:]} through {same}{counted(len(scenario.workloads), 'workload')} on "
        f"{counted(len(scenario.nodes), 'node')} with {counted(cards, 'GPU')}, for {span(end)} of virtual time{times}."
    )


def notes(comparison: Comparison, told: Payload) -> str:
    """Return the notes as a list."""
    found = [*comparison.notes]
    seeds = list(dict.fromkeys(run.seed for run in comparison.runs))
    found += [
        f"The run under {run.policy} (seed {run.seed}) was stopped after {span(run.end)} of virtual time; its numbers "
        "are those up to then, and what was still to run is missing."
        for run in comparison.runs
        if run.stopped
    ]
    if len(seeds) > 1:
        found.append(
            f"Figures are means over the seeds {joined([str(seed) for seed in seeds])}; ± is half the 95 % confidence "
            "interval (Student's t). Policies are compared seed by seed. Pictures show the first seed."
        )
    else:
        found.append(
            f"One run a policy, with seed {seeds[0] if seeds else 0}: the same input gives the same numbers, and "
            "another seed or other arrivals may give others. Several seeds give confidence intervals."
        )
    found.append(
        f"The pictures show {counted(told.moments, 'moment')} at equal distances; what is shorter may be missing."
    )
    if told.jobs < told.all_jobs:
        found.append(
            f"{told.jobs} of {told.all_jobs} workloads are told one by one: those that held most GPU time. Numbers, "
            "curves and the map of all nodes are about all of them."
        )
    if not told.names:
        found.append("Node names are left out, since they would not fit in a page of this size.")
    found.append("Time is virtual: decisions take none, and work goes on as fast as the scenario says.")
    found += list(comparison.scenario.warnings[:_SHOWN_WARNINGS])
    left = len(comparison.scenario.warnings) - _SHOWN_WARNINGS
    found += [f"The scenario gives {left} more warnings."] if left > 0 else []
    found.append(f"Made by Railwise {railwise.__version__}. The page needs no network and loads nothing.")
    return f'<ul class="notes">{"".join(f"<li>{esc(note)}</li>" for note in found)}</ul>'


def policies(comparison: Comparison) -> str:
    """Return what each policy does."""
    return (
        "<dl>"
        + "".join(f"<dt>{esc(policy)}</dt><dd>{esc(policy_text(policy))}</dd>" for policy in comparison.policies())
        + "</dl>"
    )


def meanings(summary: Summary) -> str:
    """Return what each measure says, for those that occur."""
    names = dict.fromkeys(name for name, _ in summary.keys)
    found: list[str] = []
    for name in names:
        measure = BY_NAME[name]
        better = f" {measure.better.capitalize()} is better." if measure.better != NEITHER else ""
        found.append(f"<dt>{esc(measure.title)}</dt><dd>{esc(measure.text + better)}</dd>")
    return f"<dl>{''.join(found)}</dl>"
