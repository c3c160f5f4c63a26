"""The JSON Schema of plans."""

from __future__ import annotations

from railwise.formats.kinds import Schema
from railwise.model.plan import State
from railwise.model.reason import Act, Code

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_CARDS: Schema = {
    "type": "array",
    "items": {"anyOf": [_COUNT, {"type": "string", "pattern": "^[0-9]+@[0-9]+$"}]},
    "description": 'numbers of cards, or "0@4": the MIG slice that starts at memory slice 4 of card 0',
}


def _object(about: str, properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "description": about,
        "properties": properties,
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


def _map(about: str, values: Schema) -> Schema:
    return {"type": "object", "description": about, "additionalProperties": values}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_POD = _object("one pod on one node", {"name": _TEXT, "rank": _COUNT, "group": _TEXT, "node": _TEXT, "cards": _CARDS})

_REASON = _object(
    "why it waits",
    {
        "code": {"enum": [code.value for code in Code]},
        "summary": _TEXT,
        "act": {"enum": [act.value for act in Act], "description": "who must act"},
        "next": {"type": "string", "description": "the next step"},
        "nodes": {
            "type": "object",
            "description": "every node of the cluster under the first filter that applies; the counts add up to total",
            "properties": {"total": _COUNT},
            "required": ["total"],
            "additionalProperties": _COUNT,
        },
        "levels": _list(
            _object(
                "how close the best domain of a level comes",
                {"level": _TEXT, "best": _TEXT, "has": _COUNT, "needs": _COUNT},
            )
        ),
    },
)

_WORKLOAD = _object(
    "one workload after the plan",
    {
        "name": _TEXT,
        "queue": _TEXT,
        "state": {"enum": [state.value for state in State]},
        "pods": {"type": "array", "items": _POD, "description": "all it runs, in rank order, group by group"},
        "domains": _map("the domains used, by level", _TEXTS),
        "preferredMet": {"type": "boolean"},
        "traffic": _object(
            "seconds per step as predicted, and at the best placement; 0: unknown",
            {"secondsPerStep": {"type": "number"}, "best": {"type": "number"}},
        ),
        "victims": _TEXTS,
        "reason": {"anyOf": [_REASON, {"type": "null"}]},
        "exact": {"type": "boolean", "description": "whether the placement is proven best under the rules"},
        "alternative": {"type": "integer", "minimum": 0, "description": "the alternative that was taken"},
    },
    optional=("alternative",),
)

_EVICTION = _object(
    "pods that stop in favour of another workload",
    {"workload": _TEXT, "pods": _TEXTS, "for": _TEXT, "lostGpuSeconds": _COUNT, "why": _TEXT},
)

_MOVE = _object(
    "pods that change place in favour of another workload",
    {
        "workload": _TEXT,
        "pods": _list(_object("one pod", {"name": _TEXT, "from": _TEXT, "to": _TEXT, "cards": _CARDS})),
        "for": _TEXT,
        "lostGpuSeconds": _COUNT,
    },
)

_RESERVATION = _object(
    "room kept for a workload that waits",
    {
        "workload": _TEXT,
        "domain": _TEXT,
        "nodes": _TEXTS,
        "start": {"type": "integer", "description": "µs; -1: unknown"},
    },
)


def plan_schema(version: str) -> Schema:
    """Return the schema of a plan document of an ``apiVersion``."""
    return _object(
        "the result of one decision",
        {
            "apiVersion": {"const": version},
            "kind": {"const": "Plan"},
            "scenario": _TEXT,
            "time": {"type": "integer", "description": "µs from the start of the document's clock"},
            "workloads": _list(_WORKLOAD),
            "evictions": _list(_EVICTION),
            "moves": _list(_MOVE),
            "reservations": _list(_RESERVATION),
            "warnings": _TEXTS,
            "metrics": _object(
                "figures of the decision",
                {
                    "decisions": _COUNT,
                    "slotsLeft": _map(
                        "by level: gangs of so many whole nodes that still fit at once", _map("", _COUNT)
                    ),
                },
            ),
        },
    )
