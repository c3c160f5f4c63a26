"""The keys of a sweep: one table for reading and for the JSON Schema."""

from __future__ import annotations

from typing import Any, Final

from railwise.engine.policies import POLICIES
from railwise.formats.faults import Faults, described
from railwise.formats.kinds import ByForm, Choice, Definitions, Flag, Kind, ListOf, MapOf, Schema, Text, Whole
from railwise.formats.records import Field, Record
from railwise.formats.scenario.reader import API_VERSION, METADATA_RECORD, OBJECT
from railwise.formats.terms import DURATION, MOST_WORKLOADS, PATH, SENTENCE
from railwise.formats.traces.streams import LOADERS

MOST_SEEDS: Final = 10_000
"""A sweep has at most so many seeds."""

SEED: Final = Whole(0, (1 << 63) - 1)
POLICY: Final = Choice(*POLICIES)


class Parameters(Kind[dict[str, Any]]):
    """A mapping from what is varied to its values; what a key may hold depends on the key and is read later."""

    or_nothing = True

    def __init__(self, values: Schema) -> None:
        """Keep the schema of a value."""
        self._values = values

    def read(self, value: object, path: str, faults: Faults) -> dict[str, Any] | None:
        """Return the mapping."""
        if isinstance(value, dict):
            return value
        faults.add(path, f"expected a mapping, not {described(value)}")
        return None

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "object", "additionalProperties": dict(self._values)}


SCENARIO: Final = ByForm[Any](
    "the path of a scenario, a list of paths, or the spec of a scenario",
    {str: PATH, list: ListOf(PATH, 1), dict: OBJECT},
)

TRACE: Final = Record(
    "SweepTrace",
    {
        "kind": Field(Choice(*(loader.kind for loader in LOADERS)), "which data set or log format", required=True),
        "files": Field(
            ByForm[Any]("a path or a list of paths", {str: PATH, list: ListOf(PATH, 1)}),
            "its files, or the folder in which they lie",
            required=True,
        ),
        "jobs": Field(Whole(1, MOST_WORKLOADS), "only the first so many jobs"),
        "from": Field(DURATION, "leave out what was submitted before, counted from the first submission"),
        "until": Field(DURATION, "leave out what was submitted later, counted from the first submission"),
        "skipBad": Field(Flag(), "leave out rows that cannot be read; default: they are errors"),
        "assume": Field(
            MapOf(Text(r"[a-z]+(-[a-z]+)*", 40, "the key of an assumption"), SENTENCE),
            "what to take where the trace is silent, by the keys of --assume",
        ),
    },
)

SPEC: Final = Record(
    "SweepSpec",
    {
        "scenario": Field(
            SCENARIO, "what is lived through: a file beside this one, several that are read together, or a spec"
        ),
        "trace": Field(TRACE, "a published job stream in place of a scenario"),
        "cluster": Field(
            PATH, "where the stream runs: a scenario, the folder of a published map, or a size such as 500x8"
        ),
        "policies": Field(ListOf(POLICY, 1), "who places; default: railwise"),
        "against": Field(POLICY, "the policy that the others are compared with; default: the first"),
        "seeds": Field(
            ByForm[Any]("a number of seeds or a list of them", {int: Whole(1, MOST_SEEDS), list: ListOf(SEED, 1)}),
            "so many seeds, from 0, or these; default: the seed 0",
        ),
        "resample": Field(
            SENTENCE, "how each seed draws arrivals: shuffle, jobs, blocks or blocks:6h; default: as they stand"
        ),
        "until": Field(DURATION, "when a run stops; default: when nothing happens any more"),
        "parameters": Field(
            Parameters({"anyOf": [{"type": "array", "items": {}}, {"type": "object"}]}),
            "what is varied: paths into the scenario (spec.policy.backfill), load, nodes and others, each with a list "
            "of values or a mapping from names to values; every combination is run",
        ),
        "variants": Field(
            Parameters({"type": "object"}),
            "several parameters at once: a mapping from a name to what is set, by the same keys",
        ),
    },
)

SWEEP: Final = Record(
    "Sweep",
    {
        "apiVersion": Field(Choice(API_VERSION), "version of the format", required=True),
        "kind": Field(Choice("Sweep"), "Sweep", required=True),
        "metadata": Field(METADATA_RECORD, "name and notes"),
        "spec": Field(SPEC, "a scenario, and what is varied", required=True),
    },
)

LABEL: Final = Text(r"[^\x00-\x1f\x7f]+", 60, "a name for tables")
"""What the value of a parameter is called."""
