"""What a simulation shows and writes: a table a policy, plain data for machines, the log of decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from railwise.cli.output import listing, print_data, print_table, write_file
from railwise.report.runs import runs_table
from railwise.twin.comparison import Run
from railwise.twin.metrics import Metrics, measure


def show(runs: Sequence[Run], form: str, decisions: str | None) -> None:
    """Print what the runs come to; write the decisions of the first one where a file is named (- is stdout)."""
    measured = [(run.policy, measure(run.simulation)) for run in runs]
    if decisions:
        write_file(decisions, "".join(json.dumps(line) + "\n" for line in _decisions(runs[0])))
    if form in ("json", "yaml"):
        print_data(listing("RunList", [{"policy": policy, **_document(numbers)} for policy, numbers in measured]), form)
    elif decisions != "-":
        print_table(runs_table([(policy, numbers._asdict()) for policy, numbers in measured]), wide=form == "wide")


def _document(numbers: Metrics) -> dict[str, int]:
    """Return the numbers under the names of our documents (``waitMean``)."""
    return {
        first + "".join(word.capitalize() for word in rest): value
        for (first, *rest), value in ((name.split("_"), value) for name, value in numbers._asdict().items())
    }


def _decisions(run: Run) -> list[dict[str, Any]]:
    return [
        {"at": one.at, "workload": one.workload, "event": one.event}
        | ({"nodes": list(one.nodes)} if one.nodes else {})
        | ({"pods": list(one.pods), "for": one.beneficiary} if one.beneficiary else {})
        for one in run.simulation.history.decisions
    ]
