"""The jobs of Shanghai AI Laboratory's Acme clusters Seren and Kalos (2023; NSDI'24, CC BY 4.0): LLM development.

Kalos says how much memory a pod had, Seren does not. Both are read on one clock where both are given.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cluster_log import DESCRIBED, read_cluster_log
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.loader import Loader, stem
from railwise.formats.traces.table import Table


def read_acme(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read ``trace_seren.csv``, ``trace_kalos.csv`` or both."""
    for source, data in files.items():
        intake.begin(source, stem(source).removeprefix("trace_"))
        read_cluster_log(Table(data, source), intake)


LOADER = Loader(
    kind="acme",
    folder="acme",
    title="Shanghai AI Laboratory Acme (Seren, Kalos), 2023",
    files=("trace_seren.csv", "trace_kalos.csv"),
    read=read_acme,
    columns=(*DESCRIBED, "user: user and queue", "mem_per_pod_GB: GiB a pod, times node_num (Kalos)"),
    silent=(
        "no virtual clusters: each user is a queue",
        "no priorities: first come, first served within a queue",
    ),
)
