"""Short ways to read a scenario in tests: from the YAML of its ``spec``, with its faults or its warnings."""

from __future__ import annotations

import pytest

from railwise.formats.document import load
from railwise.formats.scenario.reader import read_spec
from railwise.model.errors import InputError
from railwise.model.node import Node
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Workload


def spec(text: str) -> Scenario:
    (document,) = load(text.encode(), "test")
    return read_spec(document.value, "test")


def node(text: str, topologies: str = "[{name: fabric, levels: [spine, rack]}, {name: nvl, levels: [clique]}]") -> Node:
    """Return the first node of an entry."""
    return spec(f"topologies: {topologies}\nnodes: [{text}]").nodes[0]


def workload(text: str) -> Workload:
    return spec(f"workloads: [{text}]").workloads[0]


def queue(text: str) -> Queue:
    return spec(f"queues: [{text}]").queues[0]


def fault_lines(text: str) -> list[str]:
    """Return the faults of a spec, a line each."""
    with pytest.raises(InputError) as refusal:
        spec(text)
    return [fault.text() for fault in refusal.value.faults]
