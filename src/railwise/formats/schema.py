"""The JSON Schema of our formats, for editors that complete and check what is typed.

Scenarios, fabrics, discovery documents and policy tests are described by the very tables their readers use, so the two
cannot drift apart.
Plans are only written by us; their description stands beside, closed, so that a new member is noticed at once.
"""

from __future__ import annotations

from railwise.formats.kinds import Definitions, Schema
from railwise.formats.plan_schema import plan_schema
from railwise.formats.records import Record
from railwise.formats.scenario.reader import API_VERSION, METADATA_RECORD, SPEC_RECORD

DIALECT = "https://json-schema.org/draft/2020-12/schema"

KINDS = ("scenario", "plan", "case", "fabric", "discovery", "sweep")
"""The documents that have a schema."""


def schema_of(kind: str) -> Schema:
    """Return the schema of one of ``KINDS`` as plain values; ValueError for any other."""
    if kind == "plan":
        return {"$schema": DIALECT, "title": "Plan", **plan_schema(API_VERSION)}
    definitions: Definitions = {}
    if kind == "case":
        from railwise.formats.cases.records import CASE  # noqa: PLC0415 - policy tests have many keys of their own

        root = CASE.schema(definitions)
    elif kind == "sweep":
        from railwise.formats.sweep.records import SWEEP  # noqa: PLC0415 - it names the policies, which are loaded for it

        root = SWEEP.schema(definitions)
    elif kind == "scenario":
        root = _document("Scenario", SPEC_RECORD, definitions)
    elif kind == "fabric":
        from railwise.formats.fabric.records import FABRIC_RECORD  # noqa: PLC0415 - likewise

        root = _document("Fabric", FABRIC_RECORD, definitions)
    elif kind == "discovery":
        from railwise.formats.discovery.records import DISCOVERY_RECORD  # noqa: PLC0415 - likewise

        root = _document("Discovery", DISCOVERY_RECORD, definitions)
    else:
        raise ValueError(f"expected {', '.join(KINDS)}, not {kind!r}")
    return {"$schema": DIALECT, "title": kind.capitalize(), **root, "$defs": definitions}


def _document(kind: str, spec: Record, definitions: Definitions) -> Schema:
    return {
        "type": "object",
        "properties": {
            "apiVersion": {"const": API_VERSION},
            "kind": {"const": kind},
            "metadata": METADATA_RECORD.schema(definitions),
            "spec": spec.schema(definitions),
        },
        "required": ["apiVersion", "kind", "spec"],
        "additionalProperties": False,
    }
