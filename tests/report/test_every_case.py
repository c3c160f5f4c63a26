"""Every face of every policy case's plan can be drawn, and its figures add up, whatever the case is about."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from railwise.engine.cycle import plan_scenario
from railwise.engine.standing import books
from railwise.formats.cases.reader import read_cases
from railwise.formats.scenario.reader import read_spec
from railwise.model.errors import InputError
from railwise.model.plan import State
from railwise.model.scenario import Scenario
from railwise.report.domains import domain_tree
from railwise.report.lists import as_running, nodes_table, workloads_table
from railwise.report.marks import marks
from railwise.report.occupancy import Occupancy, occupancy
from railwise.report.plan_tables import plan_notes, plan_table, plan_totals, waits
from railwise.report.queues import queues_table
from railwise.report.reason_text import reason_lines
from railwise.report.slots import slots_table
from railwise.report.svg_topology import Panel, topology_svg
from railwise.report.table import Table
from railwise.report.tree import topology_table
from railwise.report.where_text import where_lines
from tests.conftest import ROOT

FILES = sorted((ROOT / "cases").glob("*.yaml"))


def scenarios(path: Path) -> list[tuple[str, Scenario]]:
    """Return the cases of a file whose documents can be read."""
    found = []
    for case in read_cases(path.read_bytes(), str(path)):
        if isinstance(case.scenario, dict):
            try:
                found.append((case.name, read_spec(case.scenario)))
            except InputError:
                continue
    return found


def rectangular(view: Table) -> bool:
    return all(len(cells) == len(view.columns) for cells in view.rows)


def check_moment(moment: Occupancy) -> None:
    scenario = moment.scenario
    root = domain_tree(moment)
    assert sorted(use.node.name for use in root.nodes) == sorted(node.name for node in scenario.nodes)
    for level in (root.children, [grandchild for child in root.children for grandchild in child.children]):
        assert not level or sum(domain.free for domain in level) == root.free
    shown = marks(scenario, moment.plan)
    assert len({mark.letters for mark in shown.values()}) == len(shown)
    for one_by_one in (True, False):
        assert rectangular(topology_table(root, shown, nodes=one_by_one))
        assert rectangular(nodes_table(moment, wide=one_by_one))
    running = as_running(moment)
    assert all(
        rectangular(view) for view in (slots_table(moment), workloads_table(running), queues_table(books(running)))
    )
    ET.fromstring(topology_svg(Panel(scenario.name, moment)))  # noqa: S314 -- our own output


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_face_of_every_case(path: Path, subtests: pytest.Subtests) -> None:
    for name, scenario in scenarios(path):
        with subtests.test(case=name):
            plan = plan_scenario(scenario)
            check_moment(occupancy(scenario))
            check_moment(occupancy(scenario, plan))
            assert len(plan_table(scenario, plan).rows) == len(plan.workloads)
            assert plan_totals(plan)
            notes = " ".join(line.text for line in plan_notes(plan))
            workloads = {workload.name: workload for workload in scenario.workloads}
            for entry in plan.workloads:
                if entry.reason:
                    assert sum(entry.reason.nodes.values()) == entry.reason.total
                    assert f"{entry.name} {waits(entry)}" in notes
                if entry.state is State.PENDING:
                    assert reason_lines(workloads[entry.name], entry, plan)
                elif entry.pods:
                    assert where_lines(scenario, plan, workloads[entry.name], entry)
