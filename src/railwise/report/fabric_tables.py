"""A fabric's map as tables: its domains with rails and leaves, its NVLink domains, and the evidence of each link."""

from __future__ import annotations

from collections.abc import Sequence

from railwise.fabric.fabric_map import LEAF_GROUP, Map, MapDomain
from railwise.fabric.observations import SERVER
from railwise.formats.hostlist import fold
from railwise.report.table import STRONG, WARN, Cell, Column, Table, row, table
from railwise.report.wording import counted, span


def headline(drawn: Map) -> str:
    """Return what there is in one line."""
    servers = [device for device in drawn.devices.values() if device.kind == SERVER]
    groups = [domain for domain in drawn.domains if domain.level == LEAF_GROUP]
    parts = [
        counted(len(servers), "server"),
        counted(len(drawn.devices) - len(servers), "switch", "switches"),
        counted(len(drawn.links()), "link"),
        counted(len(groups), "leaf group"),
    ]
    if drawn.scale_up:
        parts.append(counted(len(drawn.scale_up), "NVLink domain"))
    return ", ".join(parts)


def groups_table(drawn: Map) -> Table:
    """Return a row a leaf group: the wider domains it lies in, servers, rails and leaves."""
    narrower = drawn.levels.index(LEAF_GROUP) if LEAF_GROUP in drawn.levels else len(drawn.levels)
    wider = [level for level in drawn.levels[:narrower] if any(one.level == level for one in drawn.domains)]
    columns: list[Column | str] = [
        *(level.upper().replace("-", " ") for level in wider),
        "LEAF GROUP",
        Column("SERVERS", right=True),
        "NAMES",
        Column("RAILS", right=True),
        "LEAVES",
        Column("DEAD RAILS", wide=True),
    ]
    by_name = {(domain.level, domain.name): domain for domain in drawn.domains}
    rows = []
    for domain in drawn.domains:
        if domain.level == LEAF_GROUP:
            dead = [
                f"{name}: {_numbers(drawn.dead_rails[name])}" for name in domain.servers if drawn.dead_rails.get(name)
            ]
            above = _above(domain, wider, by_name)
            rails = {rail.rail for rail in drawn.rails.get(domain.name, ())}
            rows.append(
                row(
                    *(above.get(level, "") for level in wider),
                    Cell(domain.name, STRONG),
                    str(len(domain.servers)),
                    fold(domain.servers),
                    str(len(rails)),
                    fold(domain.switches),
                    Cell(", ".join(dead), WARN) if dead else "",
                )
            )
    return table(columns, rows)


def scale_up_table(drawn: Map) -> Table:
    """Return a row an NVLink or XGMI domain."""
    columns: list[Column | str] = [
        "DOMAIN",
        "KIND",
        Column("SERVERS", right=True),
        "NAMES",
        Column("IDENTITY", wide=True),
    ]
    rows = [
        row(Cell(one.name, STRONG), one.kind, str(len(one.servers)), fold(one.servers), one.identity)
        for one in drawn.scale_up
    ]
    return table(columns, rows)


def links_table(drawn: Map, most: int = 0) -> Table:
    """Return a row a link, with who says so, from how many ends, and how long ago (0 for ``most``: all of them)."""
    columns: list[Column | str] = ["FROM", "TO", Column("ENDS", right=True), "SOURCES", Column("AGE", right=True)]
    links = drawn.links()
    rows = [
        row(
            edge.a.text(),
            edge.b.text(),
            str(edge.sides()) if edge.sides() > 1 else Cell("1", WARN),
            ", ".join(sorted({one.source.partition(":")[0] for one in edge.evidence})),
            span(max(drawn.age(edge), 0)),
        )
        for edge in (links[:most] if most else links)
    ]
    return table(columns, rows)


def _above(domain: MapDomain, wider: Sequence[str], known: dict[tuple[str, str], MapDomain]) -> dict[str, str]:
    """Return the names of the wider domains around one, by level."""
    found: dict[str, str] = {}
    name = domain.parent
    for level in reversed(wider):
        around = known.get((level, name))
        if around is None:
            break
        found[level] = name
        name = around.parent
    return found


def _numbers(rails: frozenset[int]) -> str:
    return " ".join(str(rail) for rail in sorted(rails))
