"""Slots left as a table: how many gangs of each size still fit inside one domain of each level, now and at best.

"40 % is free" tells nobody whether his job of four nodes will start. This table does, a row a size and a column a
level; the figure beside it is what an empty cluster would offer, so the gap between the two is used or broken up.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.model.scenario import Scenario
from railwise.report.occupancy import Occupancy, empty_slots
from railwise.report.table import BAD, GOOD, NOTHING, WARN, Cell, Column, Table, row, table
from railwise.report.wording import counted

Slots = Mapping[str, Mapping[int, int]]
"""Per level name and gang size in whole nodes: how many such gangs fit at once."""


def slots_table(moment: Occupancy) -> Table:
    """Return the table; a cell reads ``3 of 8``: what fits, and what would fit if nothing ran.

    GPUs are given where all nodes have as many.
    """
    now, empty, scenario = moment.slots, empty_slots(moment.scenario), moment.scenario
    trees = [[level for level in one.level_names() if empty.get(level)] for one in scenario.topologies]
    levels = list(dict.fromkeys(level for names in trees for level in reversed(names)))
    widest = {names[0] for names in trees if names}
    if all((now["cluster"], empty["cluster"]) != (now[level], empty[level]) for level in widest):
        levels.append("cluster")
    sizes = sorted({size for level in levels for size, count in empty[level].items() if count})
    cards = {node.card_count() for node in scenario.nodes if node.card_count()}
    each = next(iter(cards)) if len(cards) == 1 else 0
    columns = [Column("GANG"), *([Column("GPUS", right=True)] if each else [])]
    columns += [Column(f"IN ONE {level.upper()}" if level != "cluster" else "IN ALL", right=True) for level in levels]
    return table(
        columns,
        [
            row(
                counted(size, "node"),
                *([str(size * each)] if each else []),
                *(_cell(now.get(level, {}).get(size, 0), empty[level].get(size)) for level in levels),
            )
            for size in sizes
        ],
    )


def _cell(now: int, empty: int | None) -> Cell:
    if not empty:
        return Cell(NOTHING, "dim")
    return Cell(f"{now} of {empty}", GOOD if now == empty else BAD if not now else WARN if 2 * now < empty else "")


def slots_line(slots: Slots, level: str) -> str:
    """Return ``1 node ×12, 2 nodes ×5, 4 nodes ×2`` for one level."""
    return ", ".join(f"{counted(size, 'node')} ×{count}" for size, count in sorted(slots.get(level, {}).items()))


def narrowest(scenario: Scenario, slots: Slots) -> str:
    """Return the narrowest level of the default topology that slots are counted for, or ``cluster``."""
    names = scenario.topologies[0].level_names() if scenario.topologies else ()
    return next((level for level in reversed(names) if slots.get(level)), "cluster")


def slot_items(moment: Occupancy) -> list[dict[str, object]]:
    """Return one item a level and size: the gangs that fit, and those that would fit if nothing ran."""
    empty = empty_slots(moment.scenario)
    return [
        {"level": level, "nodes": size, "left": moment.slots.get(level, {}).get(size, 0), "empty": best}
        for level, sizes in empty.items()
        for size, best in sorted(sizes.items())
    ]
