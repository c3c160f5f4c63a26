"""Broken documents in great number: valid ones with something wrong, in their structure or in their text, and noise.

Each is made from its number alone, so that a failure can be repeated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import yaml

from railwise.formats.document import load
from tests.conftest import ROOT

HEAD = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "fuzz"}}

EVERYTHING: dict[str, Any] = {
    "seed": 1,
    "topologies": [
        {"name": "fabric", "levels": ["spine", {"name": "rack", "label": "x.com/rack", "uplink": "400Gbps"}]},
        {"name": "nvl", "levels": ["clique", {"name": "node", "uplink": "3200Gbps"}]},
    ],
    "nodes": [
        {"name": "n[1-8]", "in": {"spine": "s1", "rack": "r[1-2]"}, "at": {"nvl": {"clique": "c[1-8]"}}, "gpus": 8},
        {
            "name": "big",
            "gpu": [{"count": 4, "model": "A100-40GB", "mig": ["3g.20gb", "1g.5gb"]}, {"count": 2, "timeSlices": 4}],
            "resources": {"cpu": "192", "memory": "2Ti", "pods": 110, "x.com/y": 4},
            "labels": {"pool": "gold"},
            "taints": [{"key": "gpu", "value": "true", "effect": "NoSchedule"}],
            "rails": {"down": [3]},
        },
    ],
    "queues": [
        {"name": "org", "quota": {"gpu": 64}, "guarantee": {"rack": 1}},
        {"name": "team", "parent": "org", "limit": {"gpu": 8, "cpu": "4"}, "lend": {"gpu": 0.5}, "weight": 0.5},
    ],
    "workloads": [
        {
            "name": "w[1-2]",
            "queue": "team",
            "submit": "-5m",
            "pods": 4,
            "minPods": 2,
            "request": {"gpu": 0.5, "cpu": "500m", "memory": "1Gi"},
            "gpu": {"model": ["H100-80GB"], "memory": "40Gi", "island": "required"},
            "topology": {"name": "fabric", "required": "rack", "preferred": "node", "balance": "even"},
            "segment": {"size": 2, "required": "rack"},
            "nodeSelector": {"pool": "gold"},
            "nodeAffinity": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}],
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "traffic": {"pattern": "moe", "tokens": 4096, "gradients": "14Gi"},
            "checkpoint": {"every": "20m", "restore": "3m"},
            "running": {"nodes": ["n1", None], "since": "-1h", "cards": [[0, "1@4"]]},
        },
        {
            "name": "tree",
            "groups": [{"name": "a", "pods": 2}, {"name": "b", "groups": [{"name": "c"}], "minGroups": 1}],
        },
        {"name": "either", "alternatives": [{"pods": 2, "request": {"gpu": 8}}, {"pods": 4, "slowdown": 1.1}]},
        {"name": "parts", "request": {"mig-1g.5gb+me": 1}},
        {"name": "slices", "request": {"gpu-shared": 1, "gpu-memory": "25%"}},
    ],
    "policy": {"backfill": "none", "sizes": {"8": 60}, "defrag": {"every": "5m", "maxMoves": 2}},
    "fabric": "fabric.yaml",
    "events": [
        {"at": "10m", "node": "n3", "set": {"ready": False, "gpu.unhealthy": [1]}},
        {"at": "20m", "cable": ["n4/rail2", "leaf-3"], "set": {"up": False}},
    ],
}

ODD_VALUES: tuple[object, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**70,
        10**4000,
        0.1,
        -0.0,
        1e308,
        math.nan,
        math.inf,
        "",
        " ",
        "x",
        "0",
        "-1",
        "1e999999999",
    ),
    *(
        "yes",
        "n[1-3]",
        "n[1-",
        "n[0-1999]",
        "a[1-9999]b[1-9999]c[1-9999]",
        "64GB",
        "64Gi",
        "1h30m",
        "90",
        "é\u202e\x1b[2J",
    ),
    *("x" * 300, "../../x", "<script>", "none", "node", "default", "25%", "1g.5gb", "0@4", b"bytes"),
    *([], {}, [[]], [None], [{}], {"": {}}, {"name": None}, {"name": "n1"}, ["rack", "rack"]),
)

PIECES = (
    *(
        b"&a ",
        b"*a",
        b"<<: *a",
        b"!!int ",
        b"!!binary ",
        b"!x ",
        b"- ",
        b": ",
        b"? ",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"'",
        b"\t",
    ),
    *(
        b"\n",
        b"\n---\n",
        b"...\n",
        b"#",
        b"|",
        b">",
        b"%YAML 1.2\n",
        b"\xff",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\\ud800",
        b"~",
        b"NaN",
    ),
    *(b"1e999", b"010", b"yes", b"null", b",", b" " * 50, b"[" * 200, b"9" * 50, b"\xe2\x80\xa8", b"\r", b"\x85"),
)


@cache
def valid_specs() -> tuple[str, ...]:
    """Return specs as JSON text: one with every key, and those of the policy tests."""
    specs = [EVERYTHING]
    for path in sorted((ROOT / "cases").glob("*.yaml")):
        documents = (document.value for document in load(path.read_bytes(), path.name))
        specs.extend(document["spec"]["scenario"] for document in documents if "scenario" in document["spec"])  # type: ignore[index]
    return tuple(json.dumps(spec) for spec in specs)


def draw_spec(random: Random) -> dict[str, Any]:
    specs = valid_specs()
    spec: dict[str, Any] = json.loads(specs[0] if random.random() < 0.5 else random.choice(specs))
    return spec


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of everything inside a value."""
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, item in items:
        yield value, key
        yield from places(item)


def broken_value(number: int) -> dict[str, Any]:
    """Return a document with a few changes in its structure."""
    random = Random(number)
    document = deepcopy(HEAD) | {"spec": draw_spec(random)}
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        found = list(places(document))
        container, key = random.choice(found)
        other, other_key = random.choice(found)
        change = random.randrange(6)
        if change == 0:
            container[key] = deepcopy(random.choice(ODD_VALUES))
        elif change == 1:
            container[key] = json.loads(json.dumps(other[other_key], default=str))
        elif change == 2:
            del container[key]
        elif isinstance(container, list):
            container.append(json.loads(json.dumps(container[key], default=str)))
        elif change == 3:
            container[misspelt(random, key)] = container.pop(key)
        elif change == 4:
            container[random.choice(("name", "pods", "groups", "gpu", "x", "", "set", "\x1b"))] = random.choice(
                ODD_VALUES
            )
        else:
            container[key] = [container[key]]
    return document


def misspelt(random: Random, key: str) -> str:
    if not key:
        return "x"
    place = random.randrange(len(key))
    return key[:place] + random.choice(("", key[place] * 2, "x", key[place].swapcase())) + key[place + 1 :]


def broken_text(number: int) -> bytes:
    """Return the text of a document with a few changes in its bytes, or noise."""
    random = Random(number)
    if random.random() < 0.1:
        return random.randbytes(random.randrange(200))
    document = deepcopy(HEAD) | {"spec": draw_spec(random)}
    if random.random() < 0.5:
        data = bytearray(json.dumps(document).encode())
    else:
        data = bytearray(
            yaml.dump(document, Dumper=yaml.CSafeDumper, default_flow_style=None, sort_keys=False).encode()
        )
    for _ in range(random.choice((1, 1, 2, 8))):
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + random.choice((0, 0, 1, 1, 5, 60)))
        change = random.randrange(4)
        if change == 0:
            data[start:end] = random.choice(PIECES)
        elif change == 1:
            data[start:end] = random.randbytes(random.randrange(4))
        elif change == 2:
            data[start:end] = data[end : end + random.randrange(60)]
        else:
            del data[start:end]
    return bytes(data)
