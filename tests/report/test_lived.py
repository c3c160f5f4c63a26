"""What became of each workload: untouched, back, not back, still waiting; done when, and how slowly."""

from __future__ import annotations

from dataclasses import replace

from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from railwise.model.workload import Group, Workload
from railwise.report.lived import ends_table, recovery_table
from railwise.report.run_data import Comparison, JobRun, RunData, Stint

HOUR = 3_600_000_000
AT = 2 * HOUR
FABRIC = Topology("fabric", (Level("superpod"), Level("rack")))
NODES = tuple(
    Node(f"n{index}", places={"fabric": {"superpod": f"p{index // 4}", "rack": f"r{index // 2}"}}, cards=(Cards(8),))
    for index in range(8)
)
JOBS = tuple(Workload(name, Group(pods=2, min_pods=2), order=order) for order, name in enumerate("abcdef"))


def stint(job: int, start: int, end: int, *nodes: int, works: bool = True) -> Stint:
    places = tuple((node, 8000) for node in nodes)
    return Stint(job, start * HOUR, end * HOUR, places, "stopped", 1, works)


def lived(end: int, start: int = 0, step: int = 0, best: int = 0) -> JobRun:
    return JobRun(start, end, 0, 0, 0, 0, 2, (1, 1), 1, step, best)


def run(policy: str, stints: tuple[Stint, ...], jobs: tuple[JobRun, ...]) -> RunData:
    return RunData(policy, 0, 9 * HOUR, False, jobs, stints, (), (), (), (), {})


STINTS = (
    stint(0, 0, 5, 0, 1),
    stint(1, 0, 2, 0, 1),
    stint(1, 2, 4, 4, 5),
    stint(2, 0, 2, 0, 1),
    stint(2, 2, 3, 2, works=False),
    stint(2, 5, 7, 2, 7),
    stint(3, 0, 2, 4, 5),
    stint(4, 6, 7, 4, 5),
    stint(5, 0, 1, 4, 5),
)
ENDS = (
    lived(5 * HOUR, step=100, best=100),
    lived(4 * HOUR, step=250, best=100),
    lived(-1),
    lived(-1, start=-1),
    lived(3 * HOUR),
    lived(2 * HOUR),
)
KNOWN = Scenario(topologies=(FABRIC,), nodes=NODES, workloads=JOBS)


def texts(known: Scenario) -> list[list[str]]:
    found = recovery_table(["one"], Comparison(known, (run("flat", STINTS, ENDS),)), list("abcdef"), AT)
    return [[cell.text for cell in row] for row in found.rows]


def test_how_each_came_through() -> None:
    assert texts(KNOWN) == [
        ["a", "untouched"],
        ["b", "back at once, p1/r2"],
        ["c", "back after 3h, over 2 racks"],
        ["d", "not back"],
        ["e", "still waits"],
        ["f", "done"],
    ]


def test_a_flat_cluster_has_no_racks_to_come_back_to() -> None:
    flat = replace(KNOWN, topologies=(), nodes=tuple(replace(node, places={}) for node in NODES))
    assert texts(flat)[1:3] == [["b", "back at once, 2 nodes"], ["c", "back after 3h, 2 nodes"]]


def test_when_each_was_done() -> None:
    other = tuple(one._replace(end=one.end + HOUR if one.end > 0 else one.end) for one in ENDS)
    comparison = Comparison(KNOWN, (run("flat", (), ENDS), run("railwise", (), other)))
    found = ends_table(["one", "two"], comparison, list("abcd"))
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["a", "5h", "6h"],
        ["b", "4h, steps 250 %", "5h, steps 250 %"],
        ["c", "not yet", "not yet"],
        ["d", "never", "never"],
    ]
    assert [cell.tone for cell in found.rows[0]] == ["strong", "good", ""]
