"""One cluster under several policies, side by side: a character for each node, and the few facts that differ."""

from __future__ import annotations

from collections.abc import Sequence

from railwise.model.plan import State, WorkloadPlan
from railwise.model.topology import Level
from railwise.model.workload import Workload
from railwise.report.domains import Domain, domain_tree
from railwise.report.marks import Mark, marks
from railwise.report.occupancy import NodeUse, Occupancy
from railwise.report.plan_tables import where
from railwise.report.table import BAD, DIM, GOOD, STRONG, Cell, Table, row, table
from railwise.report.wording import counted

FREE = "·"
PART = "▒"


def strips_table(names: Sequence[str], moments: Sequence[Occupancy]) -> Table:
    """Return a row a domain of the narrowest level, with a strip of its nodes under each policy.

    A node is the letter of the workload that has most of its cards, ``▒`` if only older ones do, ``·`` if it is free.
    """
    trees = [domain_tree(moment) for moment in moments]
    letters = [marks(moment.scenario, moment.plan) for moment in moments]
    rows = []
    for domains in zip(*(_last(tree) for tree in trees), strict=True):
        one = domains[0]
        label = one.path if one.level else "nodes"
        rows.append(row(label, *(strip(domain.nodes, shown) for domain, shown in zip(domains, letters, strict=True))))
    level = _level(moments[0])
    return table([level.upper(), *(name.upper() for name in names)], rows)


def _level(moment: Occupancy) -> str:
    levels: tuple[Level, ...] = moment.scenario.topologies[0].levels if moment.scenario.topologies else ()
    return levels[-1].name if levels else "cluster"


def _last(domain: Domain) -> list[Domain]:
    if not domain.children:
        return [domain]
    return [last for child in domain.children for last in _last(child)]


def strip(nodes: Sequence[NodeUse], shown: dict[str, Mark]) -> str:
    """Return a character a node."""
    return "".join(_sign(use, shown) for use in nodes)


def _sign(use: NodeUse, shown: dict[str, Mark]) -> str:
    cards: dict[str, int] = {}
    for card in use.cards:
        for name in card.tenants:
            cards[name] = cards.get(name, 0) + 1
    fresh = [name for name in cards if name in shown and shown[name].fresh]
    if fresh:
        return shown[max(fresh, key=lambda name: cards[name])].letters[:1]
    return PART if cards or use.state != "ready" else FREE


def facts_table(names: Sequence[str], moments: Sequence[Occupancy], level: str, sizes: Sequence[int]) -> Table:
    """Return where each new workload lies under each policy, and the gangs that still fit.

    Args:
        names: of the policies.
        moments: the cluster after each policy's plan.
        level: whose slots are counted.
        sizes: gangs in whole nodes, a row each.
    """
    rows = []
    for workload in moments[0].scenario.workloads:
        cells: list[Cell] = []
        fresh = False
        for moment in moments:
            entry = (
                next((one for one in moment.plan.workloads if one.name == workload.name), None) if moment.plan else None
            )
            if entry is None or entry.state is State.RUNNING:
                continue
            fresh = True
            cells.append(_place(moment, workload, entry))
        if fresh:
            letter = marks(moments[0].scenario, moments[0].plan)[workload.name].letters
            rows.append(row(Cell(f"{letter} {workload.name}", STRONG), *cells))
    for size in sizes:
        counts = [moment.slots.get(level, {}).get(size, 0) for moment in moments]
        best = max(counts)
        cells = [Cell(str(count), GOOD if count == best else BAD) for count in counts]
        rows.append(row(Cell(f"slots left: {counted(size, 'node')} in one {level}", STRONG), *cells))
    return table(["WORKLOAD", *(name.upper() for name in names)], rows)


def _place(moment: Occupancy, workload: Workload, entry: WorkloadPlan) -> Cell:
    """Return where a workload lies, and whether that breaks its rule: baselines do not know rules about places."""
    if not entry.pods:
        return Cell("waits", DIM)
    required = workload.root.topology.required
    broken = len(entry.domains.get(required, ())) > 1
    text = where(moment.scenario, workload, entry) or "placed"
    return Cell(f"{text}, not one {required}" if broken else text, GOOD if entry.preferred_met and not broken else BAD)
