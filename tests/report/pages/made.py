"""Comparisons made up for tests of pages: any number of nodes, work packed into racks or scattered over all of them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from railwise.cli.report_file import report_text
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import CARDS_WHOLE, CardRequest, Group, Request, Traffic, Workload
from railwise.report.run_data import FINISHED, RUNNING, Comparison, JobRun, Key, Outage, RunData, Sample, Stint
from railwise.report.spreads import Spreads
from railwise.twin.summary import summarise

HOUR = 3_600_000_000
RACK = 16
SUPERPOD = 256
PODS = (1, 1, 1, 2, 4, 8, 16, 32)
SLOT_KEYS = (("rack", 1), ("rack", 16), ("cluster", 1))


def made(nodes: int, jobs: int, policies: tuple[str, ...] = ("railwise", "spread"), hours: int = 48) -> Comparison:
    """Return a comparison in which every policy but the first scatters its work."""
    random = Random(nodes)
    scenario = made_scenario(nodes, jobs, random, hours)
    runs = tuple(_run(scenario, policy, hours, random, scattered=bool(index)) for index, policy in enumerate(policies))
    return Comparison(scenario, runs)


def page_of(comparison: Comparison) -> str:
    """Return the page of a comparison."""
    return report_text(comparison, summarise(comparison.runs))


def made_scenario(nodes: int, jobs: int, random: Random, hours: int = 48) -> Scenario:
    """Return nodes in racks of superpods, and workloads of all sizes."""
    topology = Topology("fabric", (Level("superpod"), Level("rack")))
    cluster = tuple(
        Node(
            f"gpu-{number:05d}",
            {"fabric": {"superpod": f"sp{number // SUPERPOD}", "rack": f"r{number // RACK}"}},
            (Cards(8),),
        )
        for number in range(nodes)
    )
    workloads = tuple(_workload(number, random, hours) for number in range(jobs))
    return Scenario(f"made-{nodes}", 0, (topology,), cluster, workloads=workloads)


def _workload(number: int, random: Random, hours: int) -> Workload:
    pods = random.choice(PODS)
    gpus = 8 if pods > 1 else random.choice((1, 4, 8))
    group = Group(pods=pods, min_pods=pods, request=Request(CardRequest(CARDS_WHOLE, gpus)))
    traffic = Traffic(random.choice(("dense", "moe"))) if pods > 1 else None
    submit = random.randrange(hours * HOUR * 3 // 4)
    duration = random.randrange(HOUR // 4, 6 * HOUR)
    return Workload(f"job-{number:05d}", group, submit=submit, duration=duration, order=number, traffic=traffic)


def _run(scenario: Scenario, policy: str, hours: int, random: Random, *, scattered: bool) -> RunData:
    spreads = Spreads(scenario)
    end = hours * HOUR
    free_at = [0] * len(scenario.nodes)
    stints: list[Stint] = []
    jobs: list[JobRun] = [JobRun(-1, -1, 0, 0, 0, 0, 0, (), -1)] * len(scenario.workloads)
    for index in sorted(range(len(jobs)), key=lambda job: scenario.workloads[job].submit):
        workload = scenario.workloads[index]
        pods, gpus = workload.root.pods, 1000 * workload.root.request.cards.count
        start = workload.submit + (HOUR // 3 if scattered and pods > 1 else 0)
        chosen = _nodes(free_at, start, pods, random, scattered=scattered)
        if chosen is None:
            continue
        until = min(start + workload.duration, end)
        for node in chosen:
            free_at[node] = until
        spread, domains = spreads.of(chosen), spreads.domains(chosen)
        ending = FINISHED if until < end else RUNNING
        stints.append(Stint(index, start, until, tuple((node, gpus) for node in chosen), ending, spread, works=True))
        work = (until - start) * pods * gpus
        ended = until if ending == FINISHED else -1
        jobs[index] = JobRun(start, ended, 0, work, work, 0, len(chosen), domains, spread)
    outages = tuple(Outage(node, 10 * HOUR, 14 * HOUR, "notReady") for node in range(3, len(free_at), 97))
    samples = tuple(
        Sample(hour * HOUR, HOUR, 8000 * hour, 64000, 3000, hour * 100, 0, 9, 1, (4, 2, 9), ()) for hour in range(hours)
    )
    waits = [
        job.start - workload.submit for job, workload in zip(jobs, scenario.workloads, strict=True) if job.start >= 0
    ]
    ends = [job.end - workload.submit for job, workload in zip(jobs, scenario.workloads, strict=True) if job.end >= 0]
    wide = [job for job in jobs if job.nodes > 1]
    measures: dict[Key, int] = {
        ("workloads", ""): len(jobs),
        ("finished", ""): len(ends),
        ("wait_mean", ""): sum(waits) // max(len(waits), 1),
        ("completion", ""): sum(ends) // max(len(ends), 1),
        ("used", ""): 700 - 90 * scattered,
        ("held", ""): 800,
        ("close", "rack"): 1000 * sum(job.spread <= 1 for job in wide) // max(len(wide), 1),
    }
    return RunData(
        policy,
        0,
        end,
        stopped=False,
        jobs=tuple(jobs),
        stints=tuple(stints),
        outages=outages,
        samples=samples,
        slot_keys=SLOT_KEYS,
        queues=(),
        measures=measures,
    )


def _nodes(free_at: list[int], start: int, count: int, random: Random, *, scattered: bool) -> list[int] | None:
    """Return free nodes: neighbours, or from everywhere; None where a few tries find too few."""
    size = len(free_at)
    if scattered:
        found = [node for node in random.sample(range(size), min(size, 6 * count + 20)) if free_at[node] <= start]
        return found[:count] if len(found) >= count else None
    for _ in range(12):
        first = random.randrange(size)
        block = [node for node in range(first, min(first + 2 * count, size)) if free_at[node] <= start]
        if len(block) >= count:
            return block[:count]
    return None


def named(comparison: Comparison, name: str) -> Comparison:
    """Return a comparison in which everything that has a name from outside has this one in it."""
    scenario = comparison.scenario
    nodes = tuple(
        replace(
            node,
            name=f"{name}{number}",
            places={"fabric": {level: f"{name}/{place}" for level, place in places.items()}},
        )
        for number, node in enumerate(scenario.nodes)
        for places in [node.places["fabric"]]
    )
    workloads = tuple(
        replace(workload, name=f"{name}{number}", queue=name) for number, workload in enumerate(scenario.workloads)
    )
    hostile = replace(scenario, name=name, nodes=nodes, workloads=workloads, warnings=(name,))
    return replace(comparison, scenario=hostile, notes=(name,))
