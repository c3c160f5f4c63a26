"""The machines of Alibaba's PAI (2020, CC BY 4.0): type and number of cards, CPUs and memory, no topology.

The table is published without a header line; copies have one. Machines are numbered in the order of the table within
their type (``p100-1``), because an id of 24 digits cannot be read in a plan.
"""

from __future__ import annotations

from collections import Counter

from railwise.formats.traces.cells import CellError, Cells
from railwise.formats.traces.table import Table
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario

MACHINES = "pai_machine_spec.csv"
COLUMNS = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")
MOST_CARDS = 1024
NO_CARDS = "CPU"


def read_machines(data: bytes, source: str = MACHINES) -> Scenario:
    """Return the cluster; InputError, naming every bad row, if the table cannot be read or a machine occurs twice."""
    faults = []
    nodes = []
    seen: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    for row in Table(data, source, names=COLUMNS).rows():
        try:
            row.check()
            machine, kind = row.text("machine"), row.text("gpu_type")
            if machine in seen:
                faults.append(Fault(f"{source}:{row.line}", f"the machine stands in line {seen[machine]} already"))
                continue
            seen[machine] = row.line
            numbers[kind] += 1
            nodes.append(_node(row, kind, numbers[kind]))
        except CellError as error:
            faults.append(Fault(f"{source}:{row.line}", str(error)))
    if faults or not nodes:
        raise InputError(faults or [Fault(source, "no machines in it")])
    return Scenario(name="alibaba-gpu-v2020", nodes=tuple(nodes))


def _node(row: Cells, kind: str, number: int) -> Node:
    cards = row.count("cap_gpu", MOST_CARDS)
    resources = {"cpu": row.scaled("cap_cpu", 1000, 1 << 40), "memory": row.scaled("cap_mem", 1024, 1 << 40)}
    run = (Cards(cards, kind),) if cards and kind != NO_CARDS else ()
    return Node(f"{kind.lower()}-{number}", cards=run, resources=resources)
