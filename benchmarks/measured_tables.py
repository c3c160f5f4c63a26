"""The measured AllReduce tables beside the repository, as samples with the data sheets of their systems."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from railwise.traffic.calibration import Sample
from railwise.traffic.datasheet import System
from railwise.traffic.links import GIGA

TABLES = Path(__file__).resolve().parents[2] / "shared" / "traces" / "nccl-measured" / "all_reduce_measured.csv.gz"
"""Where the tables lie, if they do."""

DATA_SHEETS: dict[str, tuple[str, int]] = {
    "8x H100 SXM (NVLink4+NVSwitch)": ("nvlink4", 400),
    "8x H200 (NVLink4, NVLS)": ("nvlink4", 400),
    "8x B200 (P6-B200, NVLink5)": ("nvlink5", 400),
    "2x p4de.24xlarge (8x A100, EFA 400 Gb/s)": ("nvlink3", 50),
    "2x p5.48xlarge (8x H100, EFA 3200 Gb/s)": ("nvlink4", 400),
    "2x GCP A3 Mega (8x H100)": ("nvlink4", 200),
    "4x P6-B200 (32x B200, 8x50 GB/s EFA v4 per node)": ("nvlink5", 400),
}
"""Link between the cards of a node, and Gbit/s of NIC for each card."""


def measured_systems(path: Path = TABLES) -> dict[str, System]:
    """Return the seven systems by name, rows in order of size; OSError where the tables are absent."""
    rows: dict[str, list[dict[str, str]]] = {name: [] for name in DATA_SHEETS}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            rows[row["system"]].append(row)
    systems = {}
    for name, (fast, gigabits) in DATA_SHEETS.items():
        table = sorted(Sample(int(row["size_bytes"]), round(float(row["time_us"]) * 1000)) for row in rows[name])
        nodes, cards = int(rows[name][0]["nodes"]), int(rows[name][0]["gpus"])
        systems[name] = System(nodes, cards // nodes, fast, gigabits * GIGA, tuple(table))
    return systems
