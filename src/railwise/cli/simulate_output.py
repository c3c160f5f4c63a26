"""What a simulation shows and writes: a table of the policies, plain data for machines, the log of decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from railwise.cli.output import listing, print_data, print_table, write_file
from railwise.report.runs import runs_document, runs_table
from railwise.twin.comparison import Run
from railwise.twin.summary import summarise


def show(runs: Sequence[Run], form: str, decisions: str | None) -> None:
    """Print what the runs come to; write the decisions of the first one where a file is named (- is stdout)."""
    summary = summarise([run.data for run in runs])
    if decisions:
        write_file(decisions, "".join(json.dumps(line) + "\n" for line in _decisions(runs[0])))
    if form in ("json", "yaml"):
        print_data(listing("RunList", runs_document(summary)), form)
    elif decisions != "-":
        print_table(runs_table(summary, wide=form == "wide"))


def _decisions(run: Run) -> list[dict[str, Any]]:
    return [
        {"at": one.at, "workload": one.workload, "event": one.event}
        | ({"nodes": list(one.nodes)} if one.nodes else {})
        | ({"pods": list(one.pods), "for": one.beneficiary} if one.beneficiary else {})
        for one in run.decisions
    ]
