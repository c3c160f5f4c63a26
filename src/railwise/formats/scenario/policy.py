"""The knobs of the decision (``spec.policy``); each has a default."""

from __future__ import annotations

from typing import Any

from railwise.formats.faults import Faults, at_index
from railwise.formats.kinds import Choice, ListOf, MapOf, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.scenario.requests import MODELS
from railwise.formats.terms import CPU, DURATION, MOST_NODES, MOST_WORKLOADS, THOUSANDTHS
from railwise.model.policy import MixPod, Policy

MOST_WEIGHT = 1_000_000_000
MOST_GPU_SECONDS = 1 << 60

AT_EVERY_DECISION = 1
"""The shortest period in µs: defragmentation is on and no decision leaves it out."""

DEFRAG_RECORD = Record(
    "Defrag",
    {
        "every": Field(DURATION, "how often; default: at every decision"),
        "maxMoves": Field(Whole(0, MOST_WORKLOADS), "how many workloads may move at once; default 1"),
        "maxLostGpuSeconds": Field(Whole(0, MOST_GPU_SECONDS), "how much work a round may cost; default: no bound"),
    },
)

CARD = 1000
"""One card in thousandths."""

MIX_POD_RECORD = Record(
    "MixPod",
    {
        "weight": Field(Whole(1, MOST_WEIGHT), "how often such pods come, against the others", required=True),
        "gpu": Field(THOUSANDTHS, "the cards of one pod: whole ones, or a share of one; default none"),
        "cpu": Field(CPU, "its cpu; default none"),
        "model": Field(MODELS, "models that will do; default any"),
    },
    hints={"gpus": "did you mean 'gpu'?", "memory": "memory does not count here"},
)
"""A kind of pod that usually comes."""

USUAL = Policy()
"""The policy of a scenario that says nothing of it."""

POLICY_RECORD = Record(
    "Policy",
    {
        "backfill": Field(
            Choice("easy", "conservative", "none"),
            "who may overtake: who does not delay the first that waits for room (easy, the default), who delays none "
            "of the first 16 (conservative), nobody in a leaf queue (none)",
        ),
        "reserveAfter": Field(
            DURATION,
            "how long after its submission a workload whose start is not known gets a domain for itself; default 10m",
        ),
        "reservations": Field(
            Whole(0, MOST_WORKLOADS), "how many workloads have room reserved at most; default 1 (0: none)"
        ),
        "victimWait": Field(DURATION, "how long room freed by victims is held; default 10m"),
        "nodeGrace": Field(DURATION, "how long a node may be not ready before its pods are lost; default 0s"),
        "repairWait": Field(DURATION, "how long survivors keep their places; default 5m"),
        "usageHalfLife": Field(DURATION, "half-life of past usage in fair shares; default: past usage does not count"),
        "largestGang": Field(
            Whole(0, MOST_NODES), "nodes up to which wider levels count for fragmentation; default none"
        ),
        "sizes": Field(
            MapOf(Text(r"[1-9][0-9]{0,6}", 7, "a number of cards"), Whole(1, MOST_WEIGHT)),
            "observed mix of sizes in cards, instead of powers of two",
        ),
        "mix": Field(
            ListOf(MIX_POD_RECORD),
            "the pods that usually come, by which single pods are packed (`railwise learn` counts them); default none",
        ),
        "defrag": Field(DEFRAG_RECORD, "moves that make room; default off"),
    },
)


def build_policy(record: dict[str, Any], path: str, faults: Faults, default: Policy = USUAL) -> Policy:
    """Return the policy; what is not given is as in ``default``."""
    defrag = record.get("defrag")
    if defrag is not None and "every" in defrag and not defrag["every"]:
        faults.add(f"{path}.defrag.every", "expected more than 0s")
    return Policy(
        backfill=record.get("backfill", default.backfill),
        reserve_after=record.get("reserveAfter", default.reserve_after),
        reservations=record.get("reservations", default.reservations),
        victim_wait=record.get("victimWait", default.victim_wait),
        node_grace=record.get("nodeGrace", default.node_grace),
        repair_wait=record.get("repairWait", default.repair_wait),
        usage_half_life=record.get("usageHalfLife", default.usage_half_life),
        largest_gang=record.get("largestGang", default.largest_gang),
        sizes=tuple(sorted((int(size), weight) for size, weight in record.get("sizes", {}).items())),
        mix=_mix(record.get("mix", []), f"{path}.mix", faults),
        defrag_every=default.defrag_every if defrag is None else defrag.get("every", AT_EVERY_DECISION),
        defrag_max_moves=default.defrag_max_moves if defrag is None else defrag.get("maxMoves", 1),
        defrag_max_lost=default.defrag_max_lost
        if defrag is None
        else defrag.get("maxLostGpuSeconds", MOST_GPU_SECONDS),
    )


def _mix(records: list[dict[str, Any]], path: str, faults: Faults) -> tuple[MixPod, ...]:
    pods = []
    for index, record in enumerate(records):
        gpu = record.get("gpu", 0)
        if gpu > CARD and gpu % CARD:
            faults.add(f"{at_index(path, index)}.gpu", "expected whole cards or a share of one card")
        if not gpu and record.get("model"):
            faults.add(f"{at_index(path, index)}.model", "a pod without cards accepts any model")
        models = record.get("model", [])
        models = (models,) if isinstance(models, str) else tuple(sorted(set(models)))
        pods.append(MixPod(record.get("weight", 1), gpu, record.get("cpu", 0), models))
    return tuple(pods)
