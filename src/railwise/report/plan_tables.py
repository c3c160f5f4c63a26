"""A plan as a table: who is where, whether the preference was met, and a line for each one who waits."""

from __future__ import annotations

from railwise.model.plan import Plan, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.topology import NO_LEVEL, Topology
from railwise.model.workload import Workload
from railwise.report.table import BAD, DIM, GOOD, NOTHING, STRONG, WARN, Cell, Column, Table, row, table
from railwise.report.wording import cards_text, counted, domain_path, gpu_time, hosts, leaves, pods_wanted, span

TONES = {
    State.PLACED: GOOD,
    State.RUNNING: "",
    State.MOVED: WARN,
    State.PENDING: BAD,
    State.EVICTED: BAD,
    State.FINISHED: DIM,
}


def plan_table(scenario: Scenario, plan: Plan) -> Table:
    """Return one row a workload, in the order of the document."""
    entries = {entry.name: entry for entry in plan.workloads}
    return table(
        [
            "WORKLOAD",
            Column("QUEUE", wide=True),
            "STATE",
            Column("PODS", right=True),
            "EACH",
            "WHERE",
            "NODES",
            "PREFERRED",
            Column("RANKS", wide=True),
        ],
        [
            _plan_row(scenario, workload, entries[workload.name])
            for workload in scenario.workloads
            if workload.name in entries
        ],
    )


def _plan_row(scenario: Scenario, workload: Workload, entry: WorkloadPlan) -> tuple[Cell, ...]:
    wanted = pods_wanted(workload.root)
    have = len(entry.pods)
    each = list(dict.fromkeys(cards_text(leaf.request.cards) or "no GPU" for _, leaf in leaves(workload.root)))
    return row(
        Cell(workload.name, STRONG),
        entry.queue,
        Cell(entry.state.value, TONES[entry.state]),
        f"{have}" if have == wanted else f"{have}/{wanted}",
        each[0] if len(each) == 1 else "mixed",
        where(scenario, workload, entry),
        hosts([pod.node for pod in entry.pods], scenario),
        preference(workload, entry),
        rank_map(entry),
    )


def topology_of(scenario: Scenario, workload: Workload) -> Topology | None:
    """Return the topology of a workload's rules: the one it names, else the default one."""
    name = workload.root.topology.name
    for topology in scenario.topologies:
        if not name or topology.name == name:
            return topology
    return None


def where(scenario: Scenario, workload: Workload, entry: WorkloadPlan) -> str:
    """Return the domains of a placement as a path such as ``s1/p1/r[1-2]``, empty where there is none."""
    topology = topology_of(scenario, workload)
    return domain_path(entry.domains, topology.level_names()) if topology and entry.pods else ""


def preference(workload: Workload, entry: WorkloadPlan) -> Cell:
    """Return whether the preferred level was met: ``rack: yes``, ``rack: no``; a dash where none was given.

    A plan judges what it places; of what merely keeps running the workload's own level is looked at.
    """
    wanted = [leaf.topology.preferred for _, leaf in leaves(workload.root)] if workload.root.groups else []
    names = [name for name in (workload.root.topology.preferred, *wanted) if name and name != NO_LEVEL]
    if not names or not entry.pods:
        return Cell(NOTHING, DIM)
    level = names[0] if len(set(names)) == 1 else "levels"
    met = entry.preferred_met
    if entry.state is State.RUNNING:
        own = workload.root.topology.preferred
        if own not in entry.domains:
            return Cell(NOTHING, DIM)
        level, met = own, len(entry.domains[own]) == 1
    return Cell(f"{level}: yes", GOOD) if met else Cell(f"{level}: no", WARN)


def rank_map(entry: WorkloadPlan) -> str:
    """Return runs of ranks with their node: ``0-1 gpu-001, 2-3 gpu-002``, group by group."""
    runs: list[tuple[str, str, int, int]] = []
    for pod in entry.pods:
        if runs and runs[-1][:2] == (pod.group, pod.node) and runs[-1][3] == pod.rank - 1:
            runs[-1] = (*runs[-1][:3], pod.rank)
        else:
            runs.append((pod.group, pod.node, pod.rank, pod.rank))
    return ", ".join(
        f"{group + ' ' if group else ''}{first if first == last else f'{first}-{last}'} {node}"
        for group, node, first, last in runs
    )


def plan_notes(plan: Plan) -> list[Cell]:
    """Return the lines below the table: what must go or move, what is kept free, who waits and why, the totals."""
    lines: list[Cell] = []
    for eviction in plan.evictions:
        pods = counted(len(eviction.pods), "pod")
        lines.append(
            Cell(
                f"evicts {pods} of {eviction.workload} for {eviction.beneficiary}, {gpu_time(eviction.lost)} lost", WARN
            )
        )
    for move in plan.moves:
        way = ", ".join(f"{pod.name} {pod.source} → {pod.target}" for pod in move.pods)
        lines.append(Cell(f"moves {way} for {move.beneficiary}, {gpu_time(move.lost)} lost", WARN))
    for kept in plan.reservations:
        start = f", start in {span(kept.start - plan.time)}" if kept.start >= 0 else ""
        place = (
            f"{kept.domain} ({counted(len(kept.nodes), 'node')})" if kept.domain else counted(len(kept.nodes), "node")
        )
        lines.append(Cell(f"keeps {place} for {kept.workload}{start}"))
    lines += [
        Cell(f"{entry.name} {waits(entry)}, {entry.reason.code.value}: {entry.reason.summary}")
        for entry in plan.workloads
        if entry.reason
    ]
    return lines


def waits(entry: WorkloadPlan) -> str:
    """Return ``waits``, or what a workload that runs cannot do."""
    return "waits" if entry.state is State.PENDING else "gets no more pods"


def plan_totals(plan: Plan) -> str:
    """Return ``2 placed, 1 running, 1 pending``."""
    counts = [(state, sum(1 for entry in plan.workloads if entry.state is state)) for state in State]
    return ", ".join(f"{number} {state.value}" for state, number in counts if number) or "nothing to do"
