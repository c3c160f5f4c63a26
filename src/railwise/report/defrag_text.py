"""A proposal of moves for people: what starts by them, who goes where, what it costs, which slots are won."""

from __future__ import annotations

from railwise.engine.defrag import Proposal
from railwise.formats.hostlist import fold
from railwise.report.plan_tables import plan_notes
from railwise.report.slots import narrowest
from railwise.report.table import GOOD, STRONG, Cell, Table, row, table
from railwise.report.wording import counted, gpu_time


def opening(proposal: Proposal) -> list[Cell | str]:
    """Return what the moves are good for and the moves, or that none help."""
    moves = proposal.plan.moves
    waiting = [one.name for one in proposal.first.workloads if one.reason is not None]
    if not moves:
        text = "No moves within these bounds win anything."
        if waiting:
            text = (
                f"No moves within these bounds start any of {counted(len(waiting), 'waiting workload')} or win slots."
            )
        return [text]
    what = f"{proposal.starts} starts" if proposal.starts else "more gangs fit"
    head = f"With {counted(len(moves), 'move')}, {what} ({gpu_time(proposal.lost)} lost)."
    places = [one for one in proposal.plan.workloads if one.name == proposal.starts]
    nodes = list(dict.fromkeys(pod.node for one in places for pod in one.pods))
    lines: list[Cell | str] = [Cell(head, STRONG), ""]
    for move in moves:
        way = ", ".join(f"{pod.name} {pod.source} → {pod.target}" for pod in move.pods)
        lines.append(f"move {way} ({gpu_time(move.lost)} lost)")
    if nodes:
        lines.append(f"then {proposal.starts} goes to {fold(nodes)}")
    return [*lines, ""]


def slots_table(proposal: Proposal) -> Table:
    """Return the gangs of each size that fit into one domain of the narrowest level, before and after."""
    level = narrowest(proposal.scenario, proposal.after)
    before, after = proposal.before.get(level, {}), proposal.after.get(level, {})
    rows = []
    for size in sorted(after):
        tone = GOOD if after[size] > before.get(size, 0) else ""
        rows.append(row(counted(size, "node"), str(before.get(size, 0)), Cell(str(after[size]), tone)))
    where = f"IN ONE {level.upper()}" if level != "cluster" else "IN ALL"
    return table([f"SLOTS {where}", "BEFORE", "AFTER"], rows)


def closing(proposal: Proposal) -> list[Cell | str]:
    """Return what the plan does before any move."""
    notes = plan_notes(proposal.first)
    return ["", "Before the moves:", *notes] if notes else []
