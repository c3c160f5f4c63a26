"""``railwise simulate``: the same arrivals under several policies in virtual time, and what came of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from railwise.cli.errors import ExitCode
from railwise.cli.options import POLICIES, files_option, levels_option, output_option

if TYPE_CHECKING:
    from railwise.twin.metrics import Metrics
    from railwise.twin.simulation import Simulation


@click.command("simulate")
@click.argument("paths", nargs=-1, metavar="FILE...")
@files_option
@output_option
@levels_option
@click.option(
    "--policy",
    "policies",
    type=click.Choice(POLICIES),
    multiple=True,
    default=("railwise",),
    help="Who places; may be given several times to compare.",
)
@click.option(
    "--until", default="", metavar="DURATION", help="Stop at this time; default: when nothing happens any more."
)
@click.option(
    "--decisions", metavar="FILE", help="Write the decisions of the first policy, a JSON line each; - is stdout."
)
def command(
    *,
    paths: tuple[str, ...],
    files: tuple[str, ...],
    form: str,
    levels: str,
    policies: tuple[str, ...],
    until: str,
    decisions: str | None,
) -> int:
    """Let a scenario live in virtual time: arrivals, ends, failures, and one round of decisions for each moment.

    Workloads arrive at their `submit`, and end after their `duration`; `events` change nodes. FILE is a scenario or
    Kubernetes manifests. The same input gives the same bytes.
    """
    from railwise.cli.output import listing, print_data, print_table, write_file
    from railwise.cli.sources import load_scenario
    from railwise.engine.policies import by_name
    from railwise.report.runs import runs_table
    from railwise.twin.metrics import measure
    from railwise.twin.simulation import Simulation

    scenario = load_scenario([*paths, *files], levels)
    end = _time(until) if until else 0
    runs: list[tuple[str, Simulation]] = []
    for policy in dict.fromkeys(policies):
        simulation = Simulation(scenario, by_name(policy, scenario.seed))
        simulation.run(end)
        runs.append((policy, simulation))
    measured = [(policy, measure(simulation)) for policy, simulation in runs]
    if decisions:
        write_file(decisions, "".join(json.dumps(line) + "\n" for line in _decisions(runs[0][1])))
    if form in ("json", "yaml"):
        print_data(listing("RunList", [{"policy": policy, **_document(numbers)} for policy, numbers in measured]), form)
    elif decisions != "-":
        print_table(runs_table([(policy, numbers._asdict()) for policy, numbers in measured]), wide=form == "wide")
    return ExitCode.OK


def _time(text: str) -> int:
    """Return the end of a run in µs."""
    from railwise.cli.errors import HintedError
    from railwise.model.quantity import parse_duration

    hint = "a time after the start, such as 90m or 1h30m"
    try:
        end = parse_duration(text)
    except ValueError as error:
        raise HintedError(f"--until {text}: {error}", hint) from None
    if end <= 0:
        raise HintedError(f"--until {text}: nothing happens before the start", hint)
    return end


def _document(numbers: Metrics) -> dict[str, int]:
    """Return the numbers under the names of our documents (``waitMean``)."""
    return {
        first + "".join(word.capitalize() for word in rest): value
        for (first, *rest), value in ((name.split("_"), value) for name, value in numbers._asdict().items())
    }


def _decisions(simulation: Simulation) -> list[dict[str, Any]]:
    return [
        {"at": one.at, "workload": one.workload, "event": one.event}
        | ({"nodes": list(one.nodes)} if one.nodes else {})
        | ({"pods": list(one.pods), "for": one.beneficiary} if one.beneficiary else {})
        for one in simulation.history.decisions
    ]
