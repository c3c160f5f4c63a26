"""Why a workload is where it is: the levels it lies in, which rules were kept, and what its place costs others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from railwise.model.plan import Plan, PodPlacement, State, WorkloadPlan
from railwise.model.scenario import Scenario
from railwise.model.topology import NO_LEVEL, Topology
from railwise.model.workload import Group, Workload
from railwise.report.occupancy import occupancy
from railwise.report.plan_tables import topology_of
from railwise.report.slots import narrowest
from railwise.report.table import DIM, GOOD, STRONG, WARN, Cell
from railwise.report.wording import counted, demand_text, gpu_time, hosts, joined, leaves, pods_wanted

_VERBS = {State.PLACED: "goes to", State.RUNNING: "runs on", State.MOVED: "moves to"}
_INDENT = "  "


def where_lines(scenario: Scenario, plan: Plan, workload: Workload, entry: WorkloadPlan) -> list[Cell]:
    """Return the answer to "why is it there" line by line, for a workload that has pods."""
    nodes = hosts([pod.node for pod in entry.pods], scenario)
    number = len({pod.node for pod in entry.pods})
    lines = [
        Cell(f"{workload.name} {_VERBS.get(entry.state, 'has')} {counted(number, 'node')}: {nodes}", STRONG),
        Cell(""),
        Cell(f"{_INDENT}It asks for {demand_text(workload.root)}{_rules(workload.root)}."),
    ]
    wanted = pods_wanted(workload.root)
    if len(entry.pods) < wanted:
        why = f" ({entry.reason.code.value}: {entry.reason.summary})" if entry.reason else ""
        rest = f"{len(entry.pods)} of {counted(wanted, 'pod')} run; the rest is surplus and waits{why}."
        lines.append(Cell(f"{_INDENT}{rest}", WARN))
    if entry.alternative >= 0:
        lines.append(Cell(f"{_INDENT}Of its alternatives, number {entry.alternative + 1} was taken."))
    topology = topology_of(scenario, workload)
    if topology and topology.levels:
        lines += _level_lines(workload.root, entry, topology)
        lines += _group_lines(scenario, workload, entry, topology)
        lines += _ring_lines(scenario, entry, topology)
    lines += _price_lines(scenario, plan, entry)
    lines += [Cell(""), Cell(f"{_INDENT}{_proof(entry)}", DIM)]
    return lines


def _rules(root: Group) -> str:
    rule = root.topology
    parts = [f"inside one {rule.required}"] * bool(rule.required)
    parts += [f"if possible inside one {rule.preferred}"] * bool(rule.preferred and rule.preferred != NO_LEVEL)
    if root.segment and (root.segment.required or root.segment.preferred):
        parts.append(f"in runs of {root.segment.size} inside one {root.segment.required or root.segment.preferred}")
    return "".join(f", {part}" for part in parts)


def _level_lines(root: Group, entry: WorkloadPlan, topology: Topology) -> list[Cell]:
    names = topology.level_names()
    width = max(len(name) for name in names)
    shown = {name: _some(entry.domains.get(name, ())) for name in names}
    place = max(len(text) for text in shown.values())
    lines = [Cell("")]
    for name in names:
        note, tone = _level_note(root, entry, name)
        lines.append(Cell(f"{_INDENT * 2}{name:<{width}}  {shown[name]:<{place}}  {note}".rstrip(), tone))
    return lines


def _some(domains: Sequence[str], most: int = 6) -> str:
    more = f" and {len(domains) - most} more" if len(domains) > most else ""
    return ", ".join(domains[:most]) + more or "–"


def _level_note(root: Group, entry: WorkloadPlan, name: str) -> tuple[str, str]:
    single = len(entry.domains.get(name, ())) == 1
    if name == root.topology.required:
        return "required: all of it in one", GOOD
    if name == root.topology.preferred:
        if single:
            return "preferred: all of it in one", GOOD
        return f"preferred, but no single {name} could hold it", WARN
    return "", ""


def _group_lines(scenario: Scenario, workload: Workload, entry: WorkloadPlan, topology: Topology) -> list[Cell]:
    """Return a line a group: its nodes and the domains of the level its own rule speaks of."""
    if not workload.root.groups:
        return []
    lines = [Cell("")]
    names = topology.level_names()
    for path, group in leaves(workload.root):
        pods = [pod for pod in entry.pods if pod.group == path]
        level = group.topology.required or group.topology.preferred or names[-1]
        found = _domains(scenario, pods, topology, level)
        rule = "required" if group.topology.required else "preferred" if group.topology.preferred else ""
        place = f", {level if len(found) == 1 else level + 's'} {_some(found)}" if level in names and found else ""
        place += f" ({rule if len(found) == 1 else 'one ' + rule})" if rule else ""
        on = f" on {hosts([pod.node for pod in pods], scenario)}{place}" if pods else ", none placed"
        lines.append(Cell(f"{_INDENT * 2}{path}: {counted(len(pods), 'pod')}{on}"))
    return lines


def _domains(scenario: Scenario, pods: Sequence[PodPlacement], topology: Topology, level: str) -> list[str]:
    places = {node.name: node.places.get(topology.name, {}) for node in scenario.nodes}
    return list(dict.fromkeys(places[pod.node][level] for pod in pods if level in places.get(pod.node, {})))


def _ring_lines(scenario: Scenario, entry: WorkloadPlan, topology: Topology) -> list[Cell]:
    """Return how often the ring of ranks leaves a domain, at the narrowest level that has several."""
    names = topology.level_names()
    level = next((name for name in names if len(entry.domains.get(name, ())) > 1), "")
    ranks = [pod for pod in entry.pods if not pod.group]
    if not level or len(ranks) < 3:  # noqa: PLR2004 -- two ranks are no ring
        return []
    depth = names.index(level) + 1
    places = {node.name: node.places.get(topology.name, {}) for node in scenario.nodes}
    paths = [tuple(places.get(pod.node, {}).get(name, "") for name in names[:depth]) for pod in ranks]
    cuts = sum(1 for here, there in pairwise([*paths, paths[0]]) if here != there)
    least = len(set(paths))
    fewest = "the fewest possible" if cuts == least else f"{least} would be the fewest"
    return [Cell(""), Cell(f"{_INDENT}The ring of its ranks crosses from {level} to {level} {cuts} times, {fewest}.")]


def _price_lines(scenario: Scenario, plan: Plan, entry: WorkloadPlan) -> list[Cell]:
    """Return what the place costs others: gangs that no longer fit because of it, and who has to go."""
    without = replace(plan, workloads=tuple(replace(one, pods=()) if one is entry else one for one in plan.workloads))
    before, after = occupancy(scenario, without).slots, occupancy(scenario, plan).slots
    lines: list[Cell] = []
    for level in dict.fromkeys((narrowest(scenario, before), "cluster")):
        lost = [
            f"{counted(size, 'node')} {count} → {after[level].get(size, 0)}"
            for size, count in sorted(before[level].items())
            if count != after[level].get(size, 0)
        ]
        name = f"inside one {level}" if level != "cluster" else "in all"
        lines += [Cell(f"{_INDENT * 2}{name}: {', '.join(lost)}")] if lost else []
    head = (
        [Cell(""), Cell(f"{_INDENT}What its place leaves for others, in gangs of whole free nodes:")] if lines else []
    )
    gone = [eviction for eviction in plan.evictions if eviction.beneficiary == entry.name]
    if gone:
        whom = joined([f"{counted(len(one.pods), 'pod')} of {one.workload}" for one in gone])
        work = gpu_time(sum(one.lost for one in gone))
        head = [Cell(""), Cell(f"{_INDENT}For it, {whom} must go ({work} lost)."), *head]
    return head + lines


def _proof(entry: WorkloadPlan) -> str:
    if entry.state is State.RUNNING:
        return "It keeps its place."
    if entry.exact:
        return "No placement is better under the rules (all were considered)."
    return "The best that the bounded search found; it may not be the best there is."
