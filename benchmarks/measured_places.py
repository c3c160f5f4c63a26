"""The measured step times by placement beside the repository, by fabric and model."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from railwise.traffic.profiles import Row

TRACES = Path(__file__).resolve().parents[2] / "shared" / "traces"

POLLUX = TRACES / "pollux-osdi21" / "profiles_placements.csv.gz"
SIA = TRACES / "sia-sosp23" / "profiles_placements.csv.gz"
"""Where the tables lie, if they do. The rows of Sia's pool ``aws`` are those of Pollux and count once."""

Profiles = dict[tuple[str, str], list[Row]]
"""Rows by fabric and model."""


def measured_places() -> Profiles:
    """Return all rows; OSError where the tables are absent."""
    found: Profiles = {}
    for path in (POLLUX, SIA):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if path is SIA and row["gpu_pool"] == "aws":
                    continue
                places = tuple(int(digit) for digit in row["placement"])
                time = round(float(row["step_time"]) * 1_000_000_000)
                found.setdefault((row["gpu_pool"], row["application"]), []).append(
                    Row(places, int(row["local_bsz"]), time)
                )
    return found
