"""The jobs of SenseTime's Helios clusters (2020; published with the SC'21 study, CC BY 4.0), in two forms.

``cluster_log.csv`` is the publisher's log of one cluster; ``helios_last15000.csv`` the last 15,000 jobs, as exists of
Philly too.
"""

from __future__ import annotations

from collections.abc import Mapping

from railwise.formats.traces.cluster_log import DESCRIBED, read_cluster_log
from railwise.formats.traces.intake import Intake
from railwise.formats.traces.interval_log import COLUMNS as INTERVAL_COLUMNS
from railwise.formats.traces.interval_log import read_interval_log
from railwise.formats.traces.loader import Loader, folder_of, stem
from railwise.formats.traces.table import Table


def read_helios(files: Mapping[str, bytes], intake: Intake) -> None:
    """Read either form, recognised by its header; several logs are clusters that share the target."""
    for source, data in files.items():
        intake.begin(source, folder_of(source) or stem(source) if len(files) > 1 else "")
        table = Table(data, source)
        if table.has(*INTERVAL_COLUMNS):
            read_interval_log(table, intake)
        else:
            read_cluster_log(table, intake)


LOADER = Loader(
    kind="helios",
    folder="helios",
    title="SenseTime Helios, 2020",
    files=("cluster_log.csv", "helios*.csv"),
    read=read_helios,
    columns=(
        *DESCRIBED,
        "vc: queue",
        "interval: time since the submission before (helios_last15000.csv)",
        "run_time: duration in s (helios_last15000.csv)",
        "user: user, and queue where there is no virtual cluster",
    ),
    silent=("no request of memory: not counted", "no priorities: first come, first served within a queue"),
)
