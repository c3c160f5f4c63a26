"""The queues as a table and as plain data: what each is promised, is due, holds, borrows, lends and waits for."""

from __future__ import annotations

from fractions import Fraction

from railwise.engine.queues.fairness import Sharing
from railwise.engine.standing import Books, Standing
from railwise.report.table import DIM, GOOD, NOTHING, STRONG, WARN, Cell, Column, Table, row, table
from railwise.report.wording import thousandths

ENDLESS = "∞"
"""The share of a queue that holds something and is due nothing."""

_UNITS = {"gpu": "GPU", "cpu": "core", "memory": "Gi"}


def amount_text(resource: str, amount: int) -> str:
    """Return an amount in GPUs, cores, Gi or pieces, without its unit."""
    if resource == "memory":
        return thousandths(amount * 1000 // 1024)
    return thousandths(amount) if resource in {"gpu", "cpu"} else str(amount)


def resources(found: Books) -> tuple[str, ...]:
    """Return the resources worth a row, GPUs first: those of which there are any, or that somebody asks for."""
    asked = {name for one in found.queues for name in (*one.quota, *one.allocated, *one.pending)}
    known = [name for name in found.counted if found.capacity.get(name) or name in asked]
    return tuple(sorted(known, key=lambda name: (name != "gpu", name))) or ("gpu",)


def matters(one: Standing, resource: str) -> bool:
    """Return whether a queue says anything about a resource, holds any of it or asks for some."""
    said = resource in one.quota or resource in one.queue.limit
    return said or bool(one.allocated.get(resource) or one.pending.get(resource))


def queues_table(found: Books) -> Table:
    """Return a row a queue and resource, depth first, children indented; the unit is shown where there are several."""
    shown = resources(found)
    return table(
        [
            "QUEUE",
            Column("UNIT", wide=len(shown) < 2),  # noqa: PLR2004 -- one unit needs no column
            Column("QUOTA", right=True),
            Column("FAIR SHARE", right=True),
            Column("ALLOCATED", right=True),
            Column("BORROWED", right=True),
            Column("LENT", right=True),
            Column("PENDING", right=True),
            Column("SHARE", right=True),
            Column("LIMIT", right=True, wide=True),
            Column("LENDS", right=True, wide=True),
            Column("WEIGHT", right=True, wide=True),
            *[Column(name, right=True, wide=True) for name in _past(found)],
            Column("PRIORITY", right=True, wide=True),
            Column("RUNNING", right=True, wide=True),
            Column("WAITING", right=True, wide=True),
        ],
        [
            _row(one, resource, _past(found), first=resource == shown[0])
            for one in found.queues
            for resource in shown
            if resource == shown[0] or matters(one, resource)
        ],
    )


def _past(found: Books) -> tuple[str, ...]:
    """Return the columns about past usage, none where it does not count."""
    return ("USED", "COUNTS") if any(one.used is not None for one in found.queues) else ()


def percent_text(part: Fraction) -> str:
    """Return a part of the whole in per cent to one place, rounded down."""
    return f"{thousandths(int(part * 1000) * 100)} %"


def _row(one: Standing, resource: str, past: tuple[str, ...], *, first: bool) -> tuple[Cell, ...]:
    queue = one.queue
    lend = queue.lend or {}
    over, due = one.borrowed.get(resource, 0), one.fair.get(resource, 0)
    history = [percent_text(one.used or Fraction(0)), thousandths(int(one.weight))] if past else []
    facts = [thousandths(queue.weight), *history, str(queue.priority), str(one.running), str(one.waiting)]
    return row(
        Cell("  " * one.depth + _name(one), STRONG) if first else Cell(""),
        _UNITS.get(resource, resource),
        _amount(one.quota, resource),
        Cell(amount_text(resource, due), DIM if not due else "") if one.sound else Cell(NOTHING, DIM),
        _number(one, one.allocated, resource),
        Cell(amount_text(resource, over), WARN if over else DIM) if one.sound else Cell(NOTHING, DIM),
        _number(one, one.lent, resource),
        _number(one, one.pending, resource),
        _share(one, resource),
        _amount(queue.limit, resource),
        _amount(lend, resource),
        *(facts if first else [""] * len(facts)),
    )


def _name(one: Standing) -> str:
    if not one.sound:
        return f"{one.queue.name} (in no tree)"
    return f"{one.queue.name} (stopped)" if one.queue.stopped else one.queue.name


def _amount(amounts: dict[str, int], resource: str) -> Cell:
    return Cell(amount_text(resource, amounts[resource])) if resource in amounts else Cell(NOTHING, DIM)


def _number(one: Standing, amounts: dict[str, int], resource: str) -> Cell:
    amount = amounts.get(resource, 0)
    return Cell(amount_text(resource, amount), "" if amount else DIM) if one.sound else Cell(NOTHING, DIM)


def _share(one: Standing, resource: str) -> Cell:
    if not one.sound or resource != one.dominant:
        return Cell(NOTHING, DIM)
    above = one.share is None or one.share > 1
    return Cell(share_text(one), WARN if above else GOOD if one.share else DIM)


def share_text(one: Standing) -> str:
    """Return allocated ÷ fair share of the dominant resource to three places, rounded down."""
    return ENDLESS if one.share is None else thousandths(int(one.share * 1000))


def queue_items(found: Books) -> list[dict[str, object]]:
    """Return the queues as plain data; ``gpu`` amounts are thousandths of a card, others base units.

    ``share`` is in thousandths, null where something is held and nothing is due; so are ``used``, its part of the GPU
    time of its siblings, and ``countedWeight``, which are there where past usage counts.
    """
    return [
        {
            "name": one.queue.name,
            "parent": one.queue.parent or None,
            "quota": dict(one.quota),
            "limit": dict(one.queue.limit),
            "lend": dict(one.queue.lend) if one.queue.lend is not None else None,
            "weight": one.queue.weight,
            "priority": one.queue.priority,
            "stopped": one.queue.stopped,
            "inTree": one.sound,
            "fairShare": dict(one.fair),
            "allocated": dict(one.allocated),
            "borrowed": dict(one.borrowed),
            "lent": dict(one.lent),
            "pending": dict(one.pending),
            "share": None if one.share is None else int(one.share * 1000),
            "dominant": one.dominant,
            "running": one.running,
            "waiting": one.waiting,
            **({} if one.used is None else {"used": int(one.used * 1000), "countedWeight": int(one.weight)}),
        }
        for one in found.queues
    ]


def queue_data(found: Books, name: str) -> list[dict[str, object]]:
    """Return the steps of a queue and those above it as plain data, top first; amounts are exact, in base units.

    An amount that is no whole number is a fraction as text, such as ``80000/3``.
    """
    path: list[str] = []
    current = found.of(name)
    while current is not None and current.sound:
        path.insert(0, current.queue.name)
        current = found.of(current.queue.parent) if current.queue.parent else None
    return [
        _level_data(steps, one, parent, resource)
        for one, parent in zip(path, ["", *path], strict=False)
        for resource in found.counted
        if (steps := found.steps.get((parent, resource))) is not None
    ]


def _level_data(steps: Sharing, name: str, parent: str, resource: str) -> dict[str, object]:
    claim = next(claim for claim in steps.claims if claim.name == name)
    reduced = next(claim for claim in steps.reduced if claim.name == name)
    return {
        "queue": name,
        "parent": parent or None,
        "resource": resource,
        "total": _plain(steps.total),
        "quota": _plain(claim.quota),
        "countedQuota": _plain(reduced.quota),
        "demand": claim.demand,
        "first": _plain(steps.first[name]),
        "left": _plain(steps.left),
        "steps": [
            {
                "priority": None if pour.last else pour.priority,
                "left": _plain(pour.left),
                "given": {one: _plain(more) for one, more in pour.given.items()},
                "full": list(pour.full),
            }
            for pour in steps.pours
        ],
        "exact": _plain(steps.exact[name]),
        "roundedUp": name in steps.raised,
        "fairShare": _plain(steps.shares[name]),
    }


def _plain(amount: Fraction | int) -> int | str:
    return int(amount) if amount.denominator == 1 else str(amount)
