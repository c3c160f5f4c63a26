from __future__ import annotations

import json

import pytest
import yaml

from railwise.formats.plan_writer import plan_document, plan_text
from railwise.formats.schema import KINDS, schema_of
from railwise.model.plan import Eviction, Move, Plan, PodMove, PodPlacement, Reservation, State, WorkloadPlan
from railwise.model.reason import Act, Code, LevelCount, Reason
from tests.formats.schema_check import problems

PLAN = Plan(
    scenario="two-units",
    time=60_000_000,
    workloads=(
        WorkloadPlan(
            name="llama",
            queue="nlp",
            state=State.PLACED,
            pods=(
                PodPlacement("llama-0", 0, "", "gpu-001", ("0", "1")),
                PodPlacement("llama-a-b-0", 0, "a/b", "gpu-002", ("0@4",)),
            ),
            domains={"spine": ("s1",), "rack": ("r1", "r2")},
            preferred_met=False,
            victims=("old",),
            alternative=1,
            seconds_per_step=0.25,
            best_seconds=0.125,
            exact=False,
        ),
        WorkloadPlan(
            name="big",
            queue="default",
            state=State.PENDING,
            reason=Reason(
                Code.TOO_FRAGMENTED,
                "8 of 16 pods fit in one rack",
                Act.WAIT,
                "wait for old",
                3,
                {"gpu": 2, "fits": 1},
                (LevelCount("rack", "r1", 8, 16),),
            ),
        ),
    ),
    evictions=(Eviction("old", ("old-0",), "llama", 7200, "lower priority"),),
    moves=(Move("small", (PodMove("small-0", "gpu-001", "gpu-009", ("0",)),), "llama", 0),),
    reservations=(Reservation("big", "s1/p1/r1", ("gpu-001",), 7_200_000_000),),
    warnings=("node n1 is overfull",),
    decisions=2,
    slots_left={"rack": {1: 2, 2: 1}},
)

DOCUMENT = {
    "apiVersion": "railwise.dev/v1alpha1",
    "kind": "Plan",
    "scenario": "two-units",
    "time": 60_000_000,
    "workloads": [
        {
            "name": "llama",
            "queue": "nlp",
            "state": "placed",
            "pods": [
                {"name": "llama-0", "rank": 0, "group": "", "node": "gpu-001", "cards": [0, 1]},
                {"name": "llama-a-b-0", "rank": 0, "group": "a/b", "node": "gpu-002", "cards": ["0@4"]},
            ],
            "domains": {"spine": ["s1"], "rack": ["r1", "r2"]},
            "preferredMet": False,
            "traffic": {"secondsPerStep": 0.25, "best": 0.125},
            "victims": ["old"],
            "reason": None,
            "exact": False,
            "alternative": 1,
        },
        {
            "name": "big",
            "queue": "default",
            "state": "pending",
            "pods": [],
            "domains": {},
            "preferredMet": True,
            "traffic": {"secondsPerStep": 0.0, "best": 0.0},
            "victims": [],
            "reason": {
                "code": "TooFragmented",
                "summary": "8 of 16 pods fit in one rack",
                "act": "wait",
                "next": "wait for old",
                "nodes": {"total": 3, "gpu": 2, "fits": 1},
                "levels": [{"level": "rack", "best": "r1", "has": 8, "needs": 16}],
            },
            "exact": True,
        },
    ],
    "evictions": [
        {"workload": "old", "pods": ["old-0"], "for": "llama", "lostGpuSeconds": 7200, "why": "lower priority"}
    ],
    "moves": [
        {
            "workload": "small",
            "pods": [{"name": "small-0", "from": "gpu-001", "to": "gpu-009", "cards": [0]}],
            "for": "llama",
            "lostGpuSeconds": 0,
        }
    ],
    "reservations": [{"workload": "big", "domain": "s1/p1/r1", "nodes": ["gpu-001"], "start": 7_200_000_000}],
    "warnings": ["node n1 is overfull"],
    "metrics": {"decisions": 2, "slotsLeft": {"rack": {"1": 2, "2": 1}}},
}


def test_a_plan_has_exactly_these_members() -> None:
    assert plan_document(PLAN) == DOCUMENT


def test_a_plan_reads_back_from_json_and_yaml() -> None:
    assert json.loads(plan_text(PLAN, "json")) == DOCUMENT
    assert yaml.safe_load(plan_text(PLAN, "yaml")) == DOCUMENT


@pytest.mark.parametrize("plan", [PLAN, Plan("", 0, ())])
def test_a_plan_obeys_its_schema(plan: Plan) -> None:
    assert problems(plan_document(plan), schema_of("plan")) == []


def test_the_schema_of_a_plan_is_closed() -> None:
    document = plan_document(PLAN)
    document["workloads"][0]["extra"] = 1
    del document["warnings"]
    assert sorted(problems(document, schema_of("plan"))) == ["$.workloads[0].extra: unknown", "$: warnings is missing"]


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_json_and_every_reference_leads_somewhere(kind: str) -> None:
    schema = schema_of(kind)
    text = json.dumps(schema)
    assert json.loads(text) == schema
    names = {part.partition('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert names <= set(schema.get("$defs", {}))


def test_there_is_no_schema_of_anything_else() -> None:
    with pytest.raises(ValueError, match=r"expected scenario, plan, case, fabric, .*not 'nonsense'"):
        schema_of("nonsense")
