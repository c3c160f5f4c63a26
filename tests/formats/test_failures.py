"""Failures in a document: read, refused, and written again."""

from __future__ import annotations

from typing import Any

import pytest

from railwise.formats.scenario.reader import read_scenario, read_spec
from railwise.formats.scenario.writer import scenario_document
from railwise.model.errors import InputError

SPEC: dict[str, Any] = {
    "topologies": [{"name": "fabric", "levels": [{"name": "pod", "uplink": "1600Gbps"}, "rack"]}],
    "nodes": [{"name": "n-[1-4]", "gpus": 8, "in": {"pod": "p1", "rack": "r[1-2]"}}],
}


def _read(*failures: dict[str, Any]) -> Any:
    return read_spec({**SPEC, "failures": list(failures)}).failures


def test_they_are_read_and_written_again() -> None:
    nodes = {"node": "n-[1-2]", "mtbf": "30d", "repair": "4h"}
    cables = {"uplink": "pod", "topology": "fabric", "cables": 8, "mtbf": "365d", "repair": "2h"}
    found = _read(nodes, cables)
    assert found[0].nodes == ("n-1", "n-2")
    assert (found[1].topology, found[1].level, found[1].cables) == ("fabric", "pod", 8)
    document = scenario_document(read_spec({**SPEC, "failures": [nodes, cables]}))
    assert document["spec"]["failures"] == [nodes, cables]
    assert read_scenario(document).failures == found


@pytest.mark.parametrize(
    ("failure", "path", "words"),
    [
        ({"mtbf": "1d", "repair": "1h"}, "spec.failures[0]", "either 'node' or 'uplink'"),
        ({"node": "n-1", "uplink": "pod", "mtbf": "1d", "repair": "1h"}, "spec.failures[0]", "either"),
        ({"node": "n-9", "mtbf": "1d", "repair": "1h"}, "spec.failures[0].node", "there is no node 'n-9'"),
        ({"node": "n-1", "repair": "1h"}, "spec.failures[0].mtbf", "required"),
        ({"node": "n-1", "mtbf": "0s", "repair": "1h"}, "spec.failures[0].mtbf", "more than 0s"),
        ({"node": "n-1", "mtbf": "1d", "repair": "0s"}, "spec.failures[0].repair", "more than 0s"),
        ({"uplink": "pot", "mtbf": "1d", "repair": "1h"}, "spec.failures[0].uplink", "did you mean 'pod'?"),
        ({"uplink": "rack", "mtbf": "1d", "repair": "1h"}, "spec.failures[0].uplink", "nobody says what"),
        (
            {"uplink": "pod", "topology": "fabrik", "mtbf": "1d", "repair": "1h"},
            "spec.failures[0].topology",
            "did you mean 'fabric'?",
        ),
        ({"uplink": "pod", "cables": 0, "mtbf": "1d", "repair": "1h"}, "spec.failures[0].cables", "1"),
    ],
)
def test_mistakes_are_named(failure: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        _read(failure)
    assert [fault.path for fault in caught.value.faults] == [path]
    assert words in caught.value.faults[0].text()
