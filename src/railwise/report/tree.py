"""The topology as a tree of text lines: what is free in each domain and who runs there, equal neighbours folded.

Large clusters are mostly alike: forty untouched racks are one line, not forty. Small ones are shown card by card, so
that the tree is the terminal's version of the drawing, with the same letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from railwise.formats.hostlist import fold
from railwise.report.domains import Domain
from railwise.report.marks import Mark
from railwise.report.occupancy import NodeUse
from railwise.report.table import BAD, DIM, GOOD, STRONG, WARN, Cell, Column, Table, row, table

NODES_SHOWN = 40
"""Up to so many nodes every node is shown, unless the caller asks otherwise."""

NAMED = 4
"""So many tenants are named per line of a folded tree."""

_BAR = 8


def topology_table(root: Domain, marks: Mapping[str, Mark], *, nodes: bool | None = None) -> Table:
    """Return the tree below a root as a table.

    Args:
        root: the whole cluster in one topology.
        marks: the letters of the workloads.
        nodes: whether to show nodes one by one with their cards; None: if there are few.
    """
    show = len(root.nodes) <= NODES_SHOWN if nodes is None else nodes
    title = root.name or "cluster"
    lines = [_line("", [root], title, marks, show=show, tone=STRONG)]
    if root.children:
        _walk(lines, [[root]], "", marks, show=show)
    else:
        _walk_nodes(lines, [root.nodes], "", marks)
    return table(["DOMAIN", "NODES", Column("FREE", right=True), "CARDS", "WHO"], lines)


def _walk(
    lines: list[tuple[Cell, ...]],
    parents: Sequence[Sequence[Domain]],
    indent: str,
    marks: Mapping[str, Mark],
    *,
    show: bool,
) -> None:
    """Add the children of one line, which stands for one or several equal domains."""
    members = parents[0]
    first = members[0]
    runs = [
        list(group)
        for _, group in groupby(range(len(first.children)), key=lambda index: _signature(first.children[index]))
    ]
    for number, run in enumerate(runs):
        equal = [member.children[index] for member in members for index in run]
        last = number == len(runs) - 1
        name = _names(equal)
        lines.append(_line(indent + ("└─ " if last else "├─ "), equal, name, marks, show=show))
        below = indent + ("   " if last else "│  ")
        if equal[0].children:
            _walk(lines, [equal], below, marks, show=show)
        elif show:
            _walk_nodes(lines, [domain.nodes for domain in equal], below, marks)


def _names(domains: Sequence[Domain]) -> str:
    if not domains[0].name:
        return f"(no {domains[0].level})"
    names = list(dict.fromkeys(domain.name for domain in domains))
    level = domains[0].level
    return fold(names) if names[0].lower().startswith(level.lower()) else f"{level} {fold(names)}"


def _signature(domain: Domain) -> tuple[object, ...]:
    """Return what makes two neighbours look the same."""
    return (
        bool(domain.name),
        domain.cards,
        domain.free,
        domain.whole,
        len(domain.nodes),
        tuple((use.state, use.kept_for, use.pods, use.runs()) for use in domain.nodes) if not domain.children else (),
        tuple(_signature(child) for child in domain.children),
    )


def _line(
    lead: str, domains: Sequence[Domain], name: str, marks: Mapping[str, Mark], *, show: bool, tone: str = ""
) -> tuple[Cell, ...]:
    one = domains[0]
    nodes = [use for domain in domains for use in domain.nodes]
    many = f" ×{len(domains)}" if len(domains) > 1 else ""
    hosts = f"{len(nodes)}" if one.children or show else fold([use.node.name for use in nodes])
    each = " each" if many else ""
    free = f"{one.free}/{one.cards}{each}"
    return row(
        Cell(f"{lead}{name}{many}", tone),
        hosts,
        Cell(free, GOOD if one.cards and one.free == one.cards else DIM if not one.free else ""),
        Cell(bar(one.cards - one.free, one.cards)),
        who(nodes, marks, most=0 if show else NAMED) if not one.children else Cell(""),
    )


def bar(used: int, total: int, width: int = _BAR) -> str:
    """Return a bar of ``width`` characters; a single card in use or free always shows."""
    if not total:
        return ""
    filled = -(-used * width // total)
    if used < total:
        filled = min(filled, width - 1)
    return "█" * filled + "░" * (width - filled)


def who(nodes: Sequence[NodeUse], marks: Mapping[str, Mark], most: int = 0) -> Cell:
    """Return the tenants of nodes with their pods, the plan's own first, and what is wrong with nodes.

    ``most`` 0 names all, with the letters that stand for them on the cards.
    """
    pods: dict[str, int] = {}
    for use in nodes:
        for name, count in use.pods:
            pods[name] = pods.get(name, 0) + count
    order = sorted(pods, key=lambda name: (name not in marks or not marks[name].fresh, -pods[name]))
    words = [
        (f"{marks[name].letters} " if not most and name in marks else "")
        + name
        + (f" ×{pods[name]}" if pods[name] > 1 else "")
        for name in order
    ]
    if most and len(words) > most:
        words = [*words[:most], f"and {len(words) - most} more"]
    trouble = [f"{len(found)} {text}" for text, found in _troubles(nodes) if found]
    return Cell(", ".join(words + trouble), WARN if trouble and not words else "")


def _troubles(nodes: Sequence[NodeUse]) -> list[tuple[str, list[NodeUse]]]:
    return [
        ("not ready", [use for use in nodes if use.state == "notReady"]),
        ("cordoned", [use for use in nodes if use.state == "cordoned"]),
        ("with sick cards", [use for use in nodes if use.node.unhealthy]),
    ]


def _walk_nodes(
    lines: list[tuple[Cell, ...]], members: Sequence[Sequence[NodeUse]], indent: str, marks: Mapping[str, Mark]
) -> None:
    """Add the nodes of one line, which stands for one or several equal domains; nodes at the same place are alike."""
    nodes = members[0]
    runs = [list(group) for _, group in groupby(range(len(nodes)), key=lambda index: _looks(nodes[index]))]
    for number, run in enumerate(runs):
        lead = indent + ("└─ " if number == len(runs) - 1 else "├─ ")
        group = [member[index] for member in members for index in run]
        use = group[0]
        notes = {"notReady": "not ready", "cordoned": "cordoned"}.get(use.state, "")
        notes = ", ".join(filter(None, (notes, f"kept for {use.kept_for}" if use.kept_for else "")))
        each = " each" if len(group) > 1 else ""
        lines.append(
            row(
                f"{lead}{fold([one.node.name for one in group])}",
                Cell(str(len(group)), DIM),
                Cell(f"{use.free}/{len(use.cards)}{each}", GOOD if use.cards and use.free == len(use.cards) else ""),
                Cell(card_letters(use, marks)),
                Cell(notes, BAD if use.state == "notReady" else WARN),
            )
        )


def _looks(use: NodeUse) -> tuple[object, ...]:
    return (use.state, use.kept_for, use.free, use.runs())


def card_letters(use: NodeUse, marks: Mapping[str, Mark]) -> str:
    """Return one character a card: a workload's letter, ``·`` free, ``+`` shared, ``x`` unhealthy, ``#`` others."""
    if not use.cards:
        return "".join(marks[name].letters for name, _ in use.pods if name in marks)
    text = ""
    for label, _, count in use.runs():
        letters = marks[label].letters if label in marks else ""
        sign = {"": "·", "+": "+", "!": "x"}.get(label, letters if len(letters) == 1 else "#")
        text += sign * count
    return text
