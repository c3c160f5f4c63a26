"""Why a workload waits, as a colleague would say it: the headline, figures that add up, who acts, what to do next."""

from __future__ import annotations

from railwise.model.plan import Plan, WorkloadPlan
from railwise.model.reason import Act, Code, LevelCount, Reason
from railwise.model.workload import Workload
from railwise.report.table import BAD, DIM, GOOD, STRONG, WARN, Cell
from railwise.report.wording import counted, demand_text, span

FILTERS = {
    "notReady": "not ready",
    "cordoned": "closed to new pods (cordoned)",
    "taint": "a taint that the pods do not tolerate",
    "selector": "left out by the node selector or affinity",
    "model": "no card of the model or memory asked for",
    "gpu": "not enough free GPUs",
    "cpu": "not enough free CPU",
    "memory": "not enough free memory",
    "pods": "no room for one more pod",
    "fits": "can take a pod now",
}
"""What each count of nodes means, in the order in which the filters apply."""

ACTS = {
    Act.USER: "the owner of the workload",
    Act.ADMIN: "the administrator of the cluster",
    Act.WAIT: "nobody; it starts by itself when its turn and its room come",
}

_INDENT = "  "


def reason_lines(workload: Workload, entry: WorkloadPlan, plan: Plan) -> list[Cell]:
    """Return the answer to "why does it wait" line by line.

    Args:
        workload: who waits.
        entry: its entry in the plan, with a reason.
        plan: for a reservation in its favour.
    """
    reason = entry.reason
    if reason is None:
        return [Cell(f"{workload.name} waits, and no reason was recorded.", WARN)]
    lines = [
        Cell(f"{workload.name} waits: {reason.code.value}", STRONG),
        Cell(""),
        Cell(f"{_INDENT}{sentence(reason.summary)}"),
        Cell(f"{_INDENT}It asks for {demand_text(workload.root)}."),
    ]
    if entry.pods:
        lines.append(Cell(f"{_INDENT}{counted(len(entry.pods), 'pod')} of it still run and keep their places."))
    lines += node_lines(reason) + level_lines(reason.levels)
    lines += [Cell(""), *_outlook(workload.name, reason, plan)]
    return lines


def sentence(text: str) -> str:
    """Return the text as a sentence: capital letter, full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def node_lines(reason: Reason) -> list[Cell]:
    """Return how many nodes each filter keeps away; the counts add up to the number of nodes."""
    if not reason.total:
        return []
    width = max(len(name) for name in reason.nodes)
    digits = len(str(max(reason.nodes.values())))
    lines = [
        Cell(""),
        Cell(f"{_INDENT}{counted(reason.total, 'node')}, each under the first thing that keeps a pod away:"),
    ]
    for name, number in reason.nodes.items():
        meaning = FILTERS.get(name, f"not enough free {name}")
        lines.append(
            Cell(f"{_INDENT * 2}{name:<{width}}  {number:>{digits}}  {meaning}", GOOD if name == "fits" else "")
        )
    return lines


def level_lines(levels: tuple[LevelCount, ...]) -> list[Cell]:
    """Return a line a level: how close its best domain comes."""
    if not levels:
        return []
    width = max(len(count.level) for count in levels)
    place = max(len(count.best) for count in levels)
    return [
        Cell(""),
        Cell(f"{_INDENT}The best domain of each level:"),
        *(
            Cell(
                f"{_INDENT * 2}{count.level:<{width}}  {count.best:<{place}}"
                f"  has room for {count.has} of {count.needs} pods",
                "" if count.has >= count.needs else BAD,
            )
            for count in levels
        ),
    ]


def _outlook(name: str, reason: Reason, plan: Plan) -> list[Cell]:
    lines = [Cell(f"{_INDENT}Who acts  {ACTS[reason.act]}")]
    if reason.next:
        lines.append(Cell(f"{_INDENT}Next      {reason.next}"))
    for kept in plan.reservations:
        if kept.workload == name:
            what = kept.domain or counted(len(kept.nodes), "node")
            when = f", expected to start in {span(kept.start - plan.time)}" if kept.start >= 0 else ""
            lines.append(Cell(f"{_INDENT}Kept      {what}{when}"))
    lines.append(Cell(f"{_INDENT}More      railwise explain {reason.code.value}", DIM))
    return lines


def short(reason: Reason) -> str:
    """Return code and summary on one line."""
    return f"{reason.code.value}: {reason.summary}" if reason.summary else reason.code.value


def codes() -> tuple[str, ...]:
    """Return all codes in order of precedence."""
    return tuple(code.value for code in Code)
