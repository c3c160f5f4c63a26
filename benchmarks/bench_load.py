"""A whole run of the command line on a large document: every one of 10,000 nodes listed, as ``snapshot`` writes them.

Processor time of the process, from its start to its end: imports, reading, checking, planning one gang, writing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from benchmarks.result import Bars, Quantity, Result

NODES = 10_000
RACK = 16
SUPERPOD = 16 * RACK
SPINE = 4 * SUPERPOD

BARS = {"json": Bars(pure=2.0), "yaml": Bars(pure=8.0)}


def document() -> dict[str, Any]:
    """Return a scenario with every node by itself, a queue, and one gang that waits."""
    nodes = [
        {
            "name": f"gpu-{number:05}",
            "in": {"spine": f"s{number // SPINE}", "superpod": f"p{number // SUPERPOD}", "rack": f"r{number // RACK}"},
            "gpu": {"count": 8, "model": "H100-80GB", "memory": "80Gi"},
            "resources": {"cpu": "192", "memory": "2Ti", "pods": 110},
            "labels": {"kubernetes.io/hostname": f"gpu-{number:05}", "kubernetes.io/arch": "amd64"},
        }
        for number in range(NODES)
    ]
    gang = {
        "name": "gang",
        "queue": "research",
        "pods": 16,
        "request": {"gpu": 8, "cpu": "64", "memory": "512Gi"},
        "topology": {"required": "superpod", "preferred": "rack"},
    }
    spec = {
        "topologies": [{"name": "fabric", "levels": ["spine", "superpod", "rack"]}],
        "nodes": nodes,
        "queues": [{"name": "research", "quota": {"gpu": 8 * NODES}}],
        "workloads": [gang],
    }
    return {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "live"}, "spec": spec}


def load(form: str) -> Result:
    """Return the processor time of ``railwise plan`` on the document as JSON or YAML."""
    whole = document()
    text = json.dumps(whole) if form == "json" else yaml.dump(whole, Dumper=yaml.CSafeDumper, sort_keys=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"scenario.{form}")
        path.write_text(text, encoding="utf-8")
        seconds = min(_run(path) for _ in range(2))
    return Result(seconds, "s", Quantity.DURATION, higher_is_better=False, bars=BARS[form])


def _run(path: Path) -> float:
    """Plan a document in a process of its own and return the processor time it took."""
    command = [sys.executable, "-m", "railwise", "plan", str(path), "-o", "json"]
    before = os.times()
    plan = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = os.times()
    (decided,) = json.loads(plan)["workloads"]
    assert decided["state"] == "placed", decided["reason"]
    return after.children_user + after.children_system - before.children_user - before.children_system


BENCHMARKS: dict[str, Callable[[], Result]] = {f"load-10k-{form}": partial(load, form) for form in BARS}
