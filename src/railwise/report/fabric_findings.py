"""Findings about a fabric as sentences: what is wrong, where, what would be right, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from railwise.fabric.findings import PROBLEMS, Finding, Kind
from railwise.report.table import BAD, DIM, WARN, Cell, Column, Table, row, table
from railwise.report.wording import counted

_REMEDY: Final = {
    Kind.MISWIRED: "move the plug",
    Kind.RAIL_SWAPPED: "swap the plugs back",
    Kind.MISSING: "check cable and optics",
    Kind.UNEXPECTED: "unplug it, or write it into the intent",
    Kind.DEGRADED: "check NIC, cable and leaf port",
    Kind.ONE_SIDED: "check LLDP at the silent end",
    Kind.CONFLICT: "see which source is out of date",
    Kind.AMBIGUOUS_NAME: "give the devices different names",
    Kind.UNKNOWN_NEIGHBOUR: "let it tell its name, or list its MAC",
    Kind.DUPLICATE_CHASSIS: "give the devices chassis ids of their own",
    Kind.PORT_NAME_CLASH: "rename the alias",
    Kind.STALE: "see why the source is silent",
    Kind.QUARANTINED: "wait, or see what happened to the device",
    Kind.UNPLACED: "see whether it is cabled",
    Kind.REMEMBERED: "see whether it is on",
    Kind.AMBIGUOUS_GROUP: "check its cables",
    Kind.SCALE_UP_CONFLICT: "check the tray and its fabric manager",
    Kind.SCALE_UP_UNHEALTHY: "see the fabric manager",
    Kind.HOSTILE: "see what the device is",
}
"""What somebody may do about a finding; the other kinds ask for nothing."""


def finding_text(finding: Finding) -> str:
    """Return one sentence, without the subject where it begins with it anyway."""
    text = _SENTENCES[finding.kind](finding)
    return f"{text} (inferred from the rest of its unit)" if finding.inferred else text


def remedy(kind: Kind) -> str:
    """Return what to do about a kind of finding; empty where there is nothing to do."""
    return _REMEDY.get(kind, "")


def findings_table(findings: tuple[Finding, ...]) -> Table:
    """Return a row a finding: its kind, what it says, and (wide) what to do."""
    rows = [row(Cell(one.kind.value, _tone(one)), finding_text(one), Cell(remedy(one.kind), DIM)) for one in findings]
    return table(["FINDING", "WHAT", Column("DO", wide=True)], rows)


def _tone(finding: Finding) -> str:
    if finding.kind in (Kind.MISWIRED, Kind.RAIL_SWAPPED, Kind.SCALE_UP_CONFLICT):
        return BAD
    return WARN if finding.kind in PROBLEMS else DIM


def _miswired(one: Finding) -> str:
    here, there = one.ports
    wanted = [end for end in one.expected if end]
    if not wanted:
        return f"{here} leads to {there}, and nobody knows where it should"
    first = f"{here} leads to {there}, should lead to {one.expected[0]}" if one.expected[0] else ""
    second = f"{there} should lead to {one.expected[1]}" if one.expected[1] else ""
    return "; ".join(filter(None, (first or f"{here} leads to {there}, should lead nowhere", second)))


def _degraded(one: Finding) -> str:
    return f"{one.subject} has {one.fact('have')} of {one.fact('of')} links, lacks {one.fact('leaves')}"


def _others(one: Finding) -> str:
    count = int(one.fact("count") or 0)
    more = f" and {count - len(one.fact('others').split())} more" if count > len(one.fact("others").split()) else ""
    return one.fact("others").replace(" ", ", ") + more


def _unknown(one: Finding) -> str:
    if one.ports == (one.subject,):
        return f"{one.subject} hears {counted(int(one.fact('count') or 1), 'neighbour')} without a name"
    return f"{one.fact('name') or one.subject}, heard at {', '.join(one.ports)}, is no node that is known"


def _scale_up(one: Finding) -> str:
    if one.fact("domains"):
        return f"the cards of {one.subject} are said to be in {one.fact('domains').replace(' ', ' and in ')}"
    usual = one.fact("usual")
    return f"{one.subject} reports chassis {one.fact('chassis')}, the others of its NVLink domain {usual}"


_SENTENCES: Final[dict[Kind, Callable[[Finding], str]]] = {
    Kind.MISWIRED: _miswired,
    Kind.RAIL_SWAPPED: _miswired,
    Kind.MISSING: lambda one: f"no link between {one.ports[0]} and {one.ports[1]}",
    Kind.UNEXPECTED: lambda one: f"{one.ports[0]} leads to {one.ports[1]}, where no cable should be",
    Kind.DEGRADED: _degraded,
    Kind.ONE_SIDED: lambda one: f"{one.subject} hears {one.fact('denied')}, which hears somebody else or nobody",
    Kind.CONFLICT: lambda one: f"{one.subject}: sources disagree, also heard: {_others(one)}",
    Kind.SEVERAL_NEIGHBOURS: lambda one: f"{one.subject} hears several neighbours, also {_others(one)}",
    Kind.AMBIGUOUS_NAME: lambda one: (
        f"{one.subject} hears '{one.fact('name')}', which could be {one.fact('fits').replace(' ', ' or ')}"
    ),
    Kind.UNKNOWN_NEIGHBOUR: _unknown,
    Kind.DUPLICATE_CHASSIS: lambda one: f"{one.fact('devices').replace(' ', ', ')} share chassis {one.fact('chassis')}",
    Kind.PORT_NAME_CLASH: lambda one: f"{one.subject} hears a port that is one's name and another one's alias",
    Kind.STALE: lambda one: f"{one.fact('source')} has not confirmed {one.subject} for {one.fact('seconds')} s",
    Kind.QUARANTINED: lambda one: (
        f"{one.subject} lost {one.fact('lost')} of {one.fact('of')} neighbours at once, not believed yet"
    ),
    Kind.PLANE_IGNORED: lambda one: (
        f"{counted(int(one.fact('count') or 1), 'switch', 'switches')} from {one.subject} on: {one.fact('reason')}"
    ),
    Kind.UNPLACED: lambda one: f"{one.subject} has no leaf group",
    Kind.REMEMBERED: lambda one: f"{one.subject} has no link left and keeps the group it had",
    Kind.AMBIGUOUS_GROUP: lambda one: f"{one.subject} has as many links into one leaf group as into another",
    Kind.SCALE_UP_CONFLICT: _scale_up,
    Kind.SCALE_UP_UNHEALTHY: lambda one: f"the GPUs of {one.subject}: {one.fact('health')} ({one.fact('source')})",
    Kind.HOSTILE: lambda one: f"{one.subject} says more than any device does, {one.fact('left')} entries left out",
    Kind.NAME_CHANGED: lambda one: f"'{one.subject}' cannot be a label as it stands, it is {one.fact('label')} there",
    Kind.MAINTENANCE: lambda one: f"{one.subject} is worked on: nothing new is placed below it",
}
