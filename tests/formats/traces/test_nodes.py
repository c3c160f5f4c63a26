"""Published lists of machines as clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces.registry import convert
from railwise.model.errors import InputError
from tests.formats.traces import samples


def test_machines_of_pai_are_numbered_within_their_type() -> None:
    bare = convert("", {"pai_machine_spec.csv": samples.MACHINES.encode()})
    assert [(node.name, node.card_count(), node.resources) for node in bare.nodes] == [
        ("cpu-1", 0, {"cpu": 96_000, "memory": 512 * 1024}),
        ("v100-1", 8, {"cpu": 96_000, "memory": 384 * 1024}),
    ]
    headed = "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n" + samples.MACHINES
    assert convert("alibaba-gpu-v2020", {"pai_machine_spec.csv": headed.encode()}) == bare


def test_spot_nodes_have_a_model_and_cpus() -> None:
    cluster = convert("", {"node_info_df.csv": samples.SPOT_NODES.encode()})
    assert [(node.name, node.cards[0].count, node.cards[0].model, node.resources) for node in cluster.nodes] == [
        ("node-0", 8, "A100-SXM4-80GB", {"cpu": 128_000}),
        ("node-1", 1, "A10", {"cpu": 128_000}),
    ]


@pytest.mark.parametrize(
    ("name", "text", "path", "word"),
    [
        ("pai_machine_spec.csv", "a,V100,96,512,8\na,V100,96,512,8\n", ":2", "stands in line 1 already"),
        ("pai_machine_spec.csv", "a,V100,96,512,many\n", ":1", "column cap_gpu"),
        ("pai_machine_spec.csv", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n", "", "no machines"),
        ("node_info_df.csv", samples.SPOT_NODES + "A10,1,128,1\n", ":4", "stands in line 3 already"),
        ("node_info_df.csv", samples.SPOT_NODES + "A10,one,128,2\n", ":4", "whole numbers of cards"),
    ],
)
def test_what_is_wrong_with_a_list_is_told(name: str, text: str, path: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        convert("", {name: text.encode()})
    assert caught.value.faults[0].path == name + path
    assert word in caught.value.faults[0].message


def test_the_published_lists_have_the_cards_their_authors_count(shared: Callable[[str], Path]) -> None:
    pai = "traces/alibaba-gpu-v2020/pai_machine_spec.csv.gz"
    machines = convert("", {pai: shared(pai).read_bytes()}).nodes
    assert len(machines) == 1_897
    assert Counter(node.name.partition("-")[0] for node in machines)["p100"] == 798
    spot = "traces/alibaba-spot-gpu-v2026/node_info_df.csv.gz"
    nodes = convert("", {spot: shared(spot).read_bytes()}).nodes
    assert (len(nodes), sum(node.card_count() for node in nodes)) == (4_278, 10_412)
