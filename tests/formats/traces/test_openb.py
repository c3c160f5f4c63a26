"""OpenB: node lists become clusters, pod lists job streams with shares and models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from railwise.formats.traces import LoadOptions, combine, load
from railwise.formats.traces.registry import convert
from railwise.model.errors import InputError
from railwise.model.workload import CARDS_NONE, CARDS_SHARE, CARDS_WHOLE
from railwise.twin.learning import learn

NODES = """\
sn,cpu_milli,memory_mib,gpu,model
openb-node-0000,64000,262144,2,P100
openb-node-0227,96000,393216,8,G2
openb-node-1300,32000,131072,0,
"""
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
openb-pod-0000,12000,16384,1,1000,,LS,Running,100,12537496,101
openb-pod-0001,6000,12288,1,460,G2|P100|G2,LS,Running,427061,12902960,427061
openb-pod-0005,20000,65536,0,0,,LS,Running,90,290,91
openb-pod-0061,11908,47104,8,1000,G2,BE,Pending,10001278,10001403,
"""
NODE_FILE = "openb_node_list_gpu_node.csv"
POD_FILE = "openb_pod_list_default.csv"
SECOND = 1_000_000


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def test_nodes_have_cards_cpu_and_memory() -> None:
    cluster = convert("", {NODE_FILE: NODES.encode()})
    assert [(node.name, node.card_count(), node.cards[0].model if node.cards else "") for node in cluster.nodes] == [
        ("openb-node-0000", 2, "P100"),
        ("openb-node-0227", 8, "G2"),
        ("openb-node-1300", 0, ""),
    ]
    assert cluster.nodes[0].resources == {"cpu": 64_000, "memory": 262_144}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NODES.replace("gpu,model", "gpus,model"), (":1", "missing: gpu", "did you mean 'gpus'?")),
        (NODES + "openb-node-0000,1,1,1,T4\n", (":5", "openb-node-0000 was listed before")),
        (NODES + "a,1,1,many,T4\nb,1,-1,1,T4\n", (":5", "column gpu", ":6", "column memory_mib")),
        (NODES + "a,1,1\n", (":5", "3 fields where the header has 5")),
        (NODES + "--,1,1,1,T4\n", (":5", "column sn: no name")),
        (NODES.splitlines()[0] + "\n", ("no rows below the header",)),
    ],
)
def test_bad_nodes_are_named_by_line_and_column(text: str, words: tuple[str, ...]) -> None:
    said = refused(lambda: convert("", {NODE_FILE: text.encode()}))
    assert all(word in said for word in words), said


def test_pods_become_jobs() -> None:
    trace = load("openb", {POD_FILE: PODS.encode()}, LoadOptions(cpu_jobs=True))
    assert [(job.name, job.submit // SECOND, job.gpus, job.cpu, job.memory, job.models) for job in trace.jobs] == [
        ("openb-pod-0005", 0, 0, 20_000, 65_536, ()),
        ("openb-pod-0000", 10, 1000, 12_000, 16_384, ()),
        ("openb-pod-0001", 426_971, 460, 6_000, 12_288, ("G2", "P100")),
        ("openb-pod-0061", 10_001_188, 8000, 11_908, 47_104, ("G2",)),
    ]
    durations = [job.duration for job in trace.jobs]
    assert durations == [199 * SECOND, 12_537_395 * SECOND, 12_475_899 * SECOND, 3_600 * SECOND]
    assert "openb: pods that never ran, which take --assume duration: 1" in trace.notes


def test_pods_without_cards_are_left_out_unless_asked_for() -> None:
    trace = load("openb", {POD_FILE: PODS.encode()})
    assert len(trace.jobs) == 3
    assert "openb: jobs without a GPU, left out unless --assume cpu-jobs=yes: 1" in trace.notes


def test_pods_on_the_cluster_keep_shares_and_models() -> None:
    cluster = convert("", {NODE_FILE: NODES.encode()})
    trace = load("openb", {POD_FILE: PODS.encode()}, LoadOptions(cpu_jobs=True))
    by_name = {one.name: one.root for one in combine(trace, cluster).workloads}
    cards = {name: (root.request.cards.kind, root.request.cards.count) for name, root in by_name.items()}
    assert cards == {
        "openb-pod-0000": (CARDS_WHOLE, 1),
        "openb-pod-0001": (CARDS_SHARE, 1),
        "openb-pod-0005": (CARDS_NONE, 0),
        "openb-pod-0061": (CARDS_WHOLE, 8),
    }
    assert by_name["openb-pod-0001"].request.cards.fraction == 460
    assert by_name["openb-pod-0001"].card_rule.models == ("G2", "P100")
    assert by_name["openb-pod-0001"].request.resources == (("cpu", 6_000), ("memory", 12_288))


def test_lists_without_times_say_so() -> None:
    text = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nopenb-pod-0000,12000,16384,1,1000\n"
    trace = load("openb", {"openb_pod_list_multigpu20.csv": text.encode()})
    assert (trace.jobs[0].submit, trace.jobs[0].duration) == (0, None)
    assert "openb: openb_pod_list_multigpu20 has no times: all pods come at once and run on" in trace.notes


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ("p,1,1,1,0,,LS,Running,1,2,1", "column gpu_milli: expected 1 to 1000"),
        ("p,1,1,1,1001,,LS,Running,1,2,1", "column gpu_milli"),
        ("p,x,1,1,1000,,LS,Running,1,2,1", "column cpu_milli"),
        ("p,1,1,1,1000,,LS,Running,soon,2,1", "column creation_time"),
        ("openb-pod-0000,1,1,1,1000,,LS,Running,1,2,1", "stands in line 2 already"),
    ],
)
def test_bad_pods_are_named_by_line_and_column(row: str, word: str) -> None:
    said = refused(lambda: load("openb", {POD_FILE: (PODS + row + "\n").encode()}))
    assert f"{POD_FILE}:6" in said
    assert word in said


@pytest.mark.slow
def test_the_published_lists(shared: Callable[[str], Path]) -> None:
    folder = shared("traces/openb-gpu-v2023")
    cluster = convert("", {NODE_FILE: (folder / f"{NODE_FILE}.gz").read_bytes()})
    assert len(cluster.nodes) == 1213
    assert sum(node.card_count() for node in cluster.nodes) == 6212
    assert Counter(node.cards[0].model for node in cluster.nodes)["G2"] == 549
    pods = (folder / f"{POD_FILE}.gz").read_bytes()
    scenario = combine(load("openb", {POD_FILE: pods}, LoadOptions(cpu_jobs=True)), cluster)
    learned = learn(scenario.workloads)
    assert (learned.pods, learned.kinds, len(learned.mix)) == (8152, 91, 35)
    assert learned.sizes == ((1, 3911), (2, 16), (4, 15), (8, 44))
    assert (learned.mix[0].weight, learned.mix[0].gpu, learned.mix[0].cpu) == (1047, 810, 3152)
