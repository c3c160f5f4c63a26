"""Ten inputs that people reported to other schedulers, decided here, for the page that compares them.

What the others did stands there with its source; what Railwise does is executed, so that it is never a claim. So is
what every baseline does with one example.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from railwise.engine.cycle import plan_scenario
from railwise.engine.policies import POLICIES, by_name
from railwise.formats.cases.reader import Case, read_cases
from railwise.formats.inputs import read_inputs
from railwise.formats.scenario.reader import read_spec
from railwise.model.plan import Plan, State

CASES = Path(__file__).resolve().parent.parent.parent / "cases"
EXAMPLE = CASES.parent / "examples" / "two-teams.yaml"
NAMED = 3


class Reported(NamedTuple):
    """One input: the policy test that holds it, where it was reported, and what was seen there."""

    case: str
    where: str
    seen: str


TEN = (
    Reported(
        "kueue-t1-scattered-victims-free-no-node",
        "Kueue #5243",
        "evicted eight low-priority jobs for one pod of 8 GPUs, which fitted nowhere afterwards and blocked its queue",
    ),
    Reported(
        "kueue-pr1-one-victim-rather-than-two",
        "Kueue, measured",
        "evicts the two newer jobs instead of the one old job of the same size",
    ),
    Reported(
        "kueue-t18-reclaim-takes-the-least-important-borrower",
        "Kueue #10131",
        "equal shares: victims at random, and more than needed",
    ),
    Reported(
        "kueue-4329-nothing-starts-for-the-last-node",
        "Kueue #4329, #6214",
        "admission by quota alone admits what cannot be placed; 99 of 100 nodes wait for the last one",
    ),
    Reported(
        "kueue-8925-rack-pressure-preempts",
        "marin #8925 on Kueue",
        "a gang of 16 nodes waited more than an hour behind two jobs: quota was not short, only the rack",
    ),
    Reported(
        "kai-b1-protected-queue-sorts-first",
        "KAI #1750",
        "the claimant waits, because an unrelated protected queue sorts first (fixed in v0.17)",
    ),
    Reported(
        "kai-b2-hero-gang-drains-a-full-cluster",
        "KAI #1591",
        "the gang waits although all 44 small pods may go (fixed)",
    ),
    Reported(
        "volcano-tc2-preempt-takes-one-card-of-eleven",
        "Volcano #5984, #5994",
        "evicts ten pods where one card is asked for (gangpreempt, gangreclaim)",
    ),
    Reported(
        "volcano-tc12-no-reclaim-that-the-victim-could-claim-back",
        "Volcano #4947, #4949",
        "evicts and restarts the same job for ever",
    ),
    Reported(
        "volcano-tc17-sum-fits-packing-does-not",
        "Volcano #4617, #665",
        "the sum of free CPUs suffices, so the job is let in and blocks its queue; no packing exists",
    ),
)


def found() -> dict[str, Case]:
    """Return all policy tests by name."""
    return {
        case.name: case for path in sorted(CASES.glob("*.yaml")) for case in read_cases(path.read_bytes(), path.name)
    }


def inputs() -> Iterator[str]:
    """Return the table of the ten inputs."""
    cases = found()
    yield "| input | seen elsewhere | Railwise |"
    yield "|---|---|---|"
    for one in TEN:
        scenario = read_spec(cases[one.case].scenario)
        yield f"| `{one.case}` | {one.where}: {one.seen} | {answer(plan_scenario(scenario))} |"


def policies() -> Iterator[str]:
    """Return the table of one example under every policy."""
    scenario = read_inputs([(EXAMPLE.name, EXAMPLE.read_bytes())])
    yield "| `--policy` | decides | with `two-teams.yaml` |"
    yield "|---|---|---|"
    for name, info in POLICIES.items():
        plan = plan_scenario(scenario, by_name(name, scenario.seed))
        yield f"| `{name}` | {info.summary.removesuffix('; ignores topology rules')} | {answer(plan)} |"


def answer(plan: Plan) -> str:
    """Return what a plan does, in a few words."""
    placed = [entry.name for entry in plan.workloads if entry.state is State.PLACED]
    waits = [
        f"{entry.name} ({entry.reason.code.value})"
        for entry in plan.workloads
        if entry.state is State.PENDING and entry.reason is not None
    ]
    evicted = list(dict.fromkeys(one.workload for one in plan.evictions))
    pods = sum(len(one.pods) for one in plan.evictions)
    moved = list(dict.fromkeys(one.workload for one in plan.moves))
    parts = [f"starts {some(placed)}"] if placed else []
    parts += [f"evicts {some(evicted)} ({pods} pod{'s' if pods > 1 else ''})"] if evicted else []
    parts += [f"moves {some(moved)}"] if moved else []
    parts += [f"waits: {some(waits)}"] if waits else []
    return "; ".join(parts) or "changes nothing"


def some(names: list[str]) -> str:
    """Return the names, many of them as a count."""
    return ", ".join(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
