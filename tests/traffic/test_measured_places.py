"""Measured synchronisation times of six training jobs on nodes of four T4 cards: one node against several."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

from railwise.model.workload import Traffic
from railwise.traffic.links import GIGA, fast_link
from railwise.traffic.placement_time import Party, step_at
from railwise.traffic.sizes import read_sizes
from railwise.traffic.wiring import Seat, Wiring

PROFILES = "traces/pollux-osdi21/profiles_placements.csv.gz"
GRADIENTS = {"bert": 418, "yolov3": 236, "ncf": 121, "imagenet": 98, "cifar10": 43, "deepspeech2": 200}
"""MiB of gradients in single precision, roughly."""

NODE = Wiring((), (), 50 * GIGA)
"""One NIC of 50 Gbit/s a node."""


def predicted(application: str, cards_per_node: str) -> int:
    seats = [Seat(node, (), int(cards), 4, fast_link("pcie3")) for node, cards in enumerate(cards_per_node)]
    sizes = read_sizes(Traffic("dense", {"gradients": f"{GRADIENTS[application]}Mi"}))
    return step_at(sizes, [Party("", seats)], NODE).total()


def test_one_node_is_predicted_quicker_than_several_and_mostly_is(shared: Callable[[str], Path]) -> None:
    groups: dict[tuple[str, str, int], dict[str, float]] = {}
    with gzip.open(shared(PROFILES), "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            key = (row["application"], row["local_bsz"], sum(map(int, row["placement"])))
            groups.setdefault(key, {})[row["placement"]] = float(row["sync_time"])
    right, pairs = 0, 0
    for (application, _, cards), measured in groups.items():
        alone = str(cards)
        for other, time in measured.items():
            if alone in measured and len(other) > 1:
                assert predicted(application, alone) < predicted(application, other)
                pairs += 1
                right += measured[alone] < time
    assert pairs > 300
    assert right >= 0.85 * pairs
