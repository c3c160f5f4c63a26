"""What would hurt, as values: a cluster read before anybody has to call for help.

Nothing here is an error; everything loads and is planned on. But a rack that names one node, a queue that is promised
what nobody has, or a rule that no node can meet costs placements silently. Each finding says where, what it costs, and
what to do. What is looked for stands in ``audit_nodes``, ``audit_queues`` and ``audit_work``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from railwise.report.table import BAD, GOOD, WARN, Cell
from railwise.report.wording import counted

PROBLEM = "problem"
ADVICE = "advice"


class Finding(NamedTuple):
    """Something that would hurt.

    ``check`` is the name of the check and ``grade`` one of PROBLEM and ADVICE; ``about`` says where, ``what`` what is
    found and what it costs, ``step`` what to do.
    """

    check: str
    grade: str
    about: str
    what: str
    step: str


def audit_lines(findings: Sequence[Finding]) -> list[Cell | str]:
    """Return the findings for people: where, what it costs, what to do; problems first."""
    lines: list[Cell | str] = []
    for one in in_order(findings):
        lines += [
            Cell(f"{one.grade}: {one.check}: {one.about}", BAD if one.grade == PROBLEM else WARN),
            f"  {one.what}.",
            f"  Next: {one.step}.",
            "",
        ]
    problems = sum(one.grade == PROBLEM for one in findings)
    if not findings:
        return [Cell("Nothing is found that would hurt.", GOOD)]
    return [*lines, f"{counted(problems, PROBLEM)}, {counted(len(findings) - problems, 'piece')} of {ADVICE}."]


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Return problems before advice, each in the order in which they were found."""
    return sorted(findings, key=lambda one: one.grade != PROBLEM)


def audit_items(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return the findings as plain data."""
    keys = {"check": "check", "grade": "grade", "about": "where", "what": "what", "step": "next"}
    return [{keys[key]: value for key, value in one._asdict().items()} for one in in_order(findings)]
