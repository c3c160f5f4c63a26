"""``railwise demo``: a fabric discovered, the same workloads placed in four ways, and a rack that loses power."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from railwise.cli.errors import HintedError

if TYPE_CHECKING:
    from railwise.report.occupancy import Occupancy
    from railwise.report.run_data import Comparison

FILE = "railwise-demo.yaml"
POLICIES = (
    ("spread", "default scheduler"),
    ("flat", "gangs without a map"),
    ("affinity", "node affinity"),
    ("railwise", "railwise"),
)
"""The policies shown, by their names in the engine and in the output."""

SIZES = (4, 8)


class Story(NamedTuple):
    """What the demo shows: the cluster after each policy's plan, the drawing, and a day lived under each policy."""

    moments: list[Occupancy]
    drawing: str
    comparison: Comparison


@click.command("demo")
@click.argument("folder", default=".", type=click.Path(file_okay=False), metavar="[DIR]")
def command(*, folder: str) -> None:
    """See a fabric discovered, four schedulers place the same workloads on it, and a failure in virtual time.

    Needs no cluster and no GPU. Leaves the scenario, a drawing and a report in DIR (default: here), and never
    overwrites a file that it did not write.
    """
    from railwise.cli.demo_scenario import DEMO, FAILURE, NEW, TRAINING
    from railwise.cli.output import print_lines, print_table
    from railwise.cli.report_file import report_text
    from railwise.report.compare import facts_table, strips_table
    from railwise.report.lived import ends_table, recovery_table
    from railwise.twin.summary import summarise

    _first_act()
    told = story()
    names = [shown for _, shown in POLICIES]
    target = _free_name(Path(folder), FILE, DEMO)
    page = report_text(told.comparison, summarise(told.comparison.runs))
    picture = _free_name(Path(folder), target.with_suffix(".svg").name, told.drawing)
    report = _free_name(Path(folder), target.with_suffix(".html").name, page)
    for path, text in ((target, DEMO), (picture, told.drawing), (report, page)):
        path.write_text(text, encoding="utf-8")

    print_lines(_opening(told.moments[0]))
    print_table(strips_table(names, told.moments))
    print_lines(["", "A letter is a node of a workload below, ▒ what ran before, · a free node.", ""])
    print_table(facts_table(names, told.moments, "rack", SIZES))
    print_lines(["", *_waiting(told.moments[-1])])
    print_lines(["", "Now the same day in virtual time. After 3h20m rack p2/r3 loses power for six hours:", ""])
    print_table(recovery_table(names, told.comparison, NEW, FAILURE))
    print_lines(["", "And when training is done (a step at the best place takes 100 %):", ""])
    print_table(ends_table(names, told.comparison, TRAINING))
    print_lines(
        ["", "Gangs without a map take nodes as the file lists them, here rack by rack: no order is kinder to them."]
    )
    print_lines(["", *_closing(target, picture, report)])


def _first_act() -> None:
    """Show the map being discovered; where this machine opens no ports, say so and go on."""
    from railwise.cli.demo_discovery import discovered, told
    from railwise.cli.demo_scenario import DEMO
    from railwise.cli.errors import warning_line
    from railwise.cli.output import print_lines, print_table
    from railwise.formats.inputs import read_inputs
    from railwise.report.fabric_tables import groups_table, headline

    try:
        found = discovered(read_inputs([(FILE, DEMO.encode())]))
    except (OSError, TimeoutError) as error:
        warning_line(f"no virtual switches on this machine ({error}), so the map is not discovered here")
        return
    print_lines(
        ["First the map. Virtual switches answer over gNMI, and Railwise asks them who hangs on their ports:", ""]
    )
    print_lines([headline(found.drawn), ""])
    print_table(groups_table(found.drawn))
    print_lines(["", *told(found), ""])


def story() -> Story:
    """Return the demo's cluster after the plan of each policy, the drawing of them side by side, and the day."""
    from railwise.cli.decide import decide
    from railwise.cli.demo_scenario import DEMO
    from railwise.formats.inputs import read_inputs
    from railwise.model.quantity import DAY
    from railwise.report.occupancy import occupancy
    from railwise.report.run_data import Comparison
    from railwise.twin.comparison import compare

    scenario = read_inputs([(FILE, DEMO.encode())])
    moments = [occupancy(scenario, decide(scenario, policy)) for policy, _ in POLICIES]
    runs = compare(lambda _seed: scenario, [policy for policy, _ in POLICIES], (scenario.seed,), DAY)
    comparison = Comparison(scenario, tuple(run.data for run in runs))
    return Story(moments, _drawing([shown for _, shown in POLICIES], moments), comparison)


def _opening(moment: Occupancy) -> list[str]:
    scenario = moment.scenario
    racks = {node.places["fabric"]["rack"] for node in scenario.nodes}
    size = f"{len(scenario.nodes)} nodes of 8 GPUs in {len(racks)} racks"
    return [
        f"A rail-optimised fabric: {size}, with small jobs running here and there.",
        "A training gang, a mixture of experts and a prefill/decode service arrive. Four ways to place them:",
        "",
    ]


def _waiting(moment: Occupancy) -> list[str]:
    from railwise.model.plan import State
    from railwise.report.reason_text import short

    waiting = [entry for entry in moment.plan.workloads if entry.state is State.PENDING] if moment.plan else []
    return [f"{entry.name} waits, {short(entry.reason)}." for entry in waiting if entry.reason]


def _closing(target: Path, picture: Path, report: Path) -> list[str]:
    return [
        f"The report is in {report}: open it in any browser. The scenario is in {target}, the picture in {picture}.",
        "Go on with",
        f"  railwise why sora -f {target}",
        f"  railwise plan {target} --what-if-drain gpu-[17-24]",
        f"  railwise simulate {target} --policy railwise --policy affinity",
    ]


def _drawing(names: list[str], moments: list[Occupancy]) -> str:
    from railwise.report.svg_topology import Panel, panels_svg

    panels = [Panel(name, moment, _caption(moment)) for name, moment in zip(names, moments, strict=True)]
    return panels_svg("The same workloads, placed in four ways", panels)


def _caption(moment: Occupancy) -> str:
    """Return how many of the new workloads lie inside one rack, and what is left for others there."""
    from railwise.model.plan import State
    from railwise.report.wording import counted

    decided = [one for one in moment.plan.workloads if one.state is not State.RUNNING] if moment.plan else []
    together = sum(1 for one in decided if len(one.domains.get("rack", ())) == 1)
    left = ", ".join(f"{counted(size, 'node')} ×{moment.slots['rack'].get(size, 0)}" for size in SIZES)
    return f"{together} of {len(decided)} in one rack; left: {left}"


def _free_name(folder: Path, name: str, text: str) -> Path:
    """Return the path to write to: the name itself where nothing or just this text is there, else one with a number."""
    if not folder.is_dir():
        raise HintedError(f"{folder}: no such directory", f"mkdir -p {folder}")
    path = folder / name
    number = 2
    while path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        number += 1
    return path
