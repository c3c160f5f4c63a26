"""The NVLink domain of a server's cards, from a CSV query of ``nvidia-smi`` for clique and cluster of each card.

Every card reports the cluster and the clique its fabric manager gave it. Cards without one say N/A, or all zeros while
the fabric is not up. Only the columns that are needed are looked at, by their names, in any order.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import Final

from railwise.fabric.observations import SERVER, Report, ScaleUp, Speaker, clean
from railwise.model.errors import Fault, InputError

SOURCE: Final = "nvidia-smi"
CLUSTER, CLIQUE, STATE = "fabric.clusterUuid", "fabric.cliqueId", "fabric.state"
MOST_CARDS: Final = 1024
_HINT: Final = f"expected the CSV of `nvidia-smi --query-gpu=index,{STATE},{CLIQUE},{CLUSTER} --format=csv`"
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NOBODY: Final = "00000000-0000-0000-0000-000000000000"


def read_nvidia_smi(data: bytes, server: str, time: int = 0, source: str = "") -> Report:
    """Return the report of a server: a ``ScaleUp`` for each (cluster, clique) its cards report, most cards first.

    Raises InputError for what is no such table.
    """
    try:
        lines = data.decode("utf-8-sig").splitlines()[: MOST_CARDS + 1]
    except UnicodeDecodeError:
        raise InputError([Fault("", "not UTF-8 text", _HINT)], source) from None
    reader = csv.DictReader(lines, skipinitialspace=True)
    missing = [name for name in (CLUSTER, CLIQUE) if name not in (reader.fieldnames or [])]
    if missing:
        raise InputError([Fault("1", f"no column {' and no column '.join(missing)}", _HINT)], source)
    cards: Counter[str] = Counter()
    states: set[str] = set()
    for number, row in enumerate(reader, start=2):
        cluster, clique = (row[CLUSTER] or "").strip().lower(), (row[CLIQUE] or "").strip()
        states.add(clean(row.get(STATE) or ""))
        if cluster in ("", "n/a", "[n/a]", _NOBODY):
            continue
        if not _UUID.fullmatch(cluster) or not (clique.isdecimal() and len(clique) < 12):  # noqa: PLR2004 # 32 bits
            raise InputError(
                [Fault(str(number), f"no cluster and clique: {clean(cluster)!r}, {clean(clique)!r}")], source
            )
        cards[f"{cluster}.{int(clique)}"] += 1
    health = "" if states <= {"", "Completed", "N/A", "[N/A]"} else "fabric " + ", ".join(sorted(states))
    counted = sorted(cards.items(), key=lambda item: (-item[1], item[0]))
    domains = tuple(ScaleUp(domain, "nvlink", count, health=health) for domain, count in counted)
    return Report(SOURCE, Speaker(server, SERVER), time, scale_up=domains, links=False)
