"""Job streams in sweeps: the cluster that is named, what is set in it, and what is said of the jobs in addition."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from railwise.formats.sweep.model import Sweep
from railwise.formats.sweep.reader import read_sweep
from railwise.model.errors import InputError
from railwise.model.scenario import Scenario
from railwise.model.workload import Checkpoint, Traffic
from railwise.twin.sweep import Runner, cells_of
from railwise.twin.sweep_scenarios import Files, collect, scenario_of

SECOND = 1_000_000
JOBS = b"job_id,submission_time,duration,num_gpu\na,0,600,1\nb,60,1200,16\nc,120,600,4\nd,7200,600,32\n"
HOSTS = [("P1", "S1", 3), ("P1", "S2", 3), ("P2", "S1", 2)]
MAP = "ip,DSW,PSW,ASW\n" + "".join(
    f"{spine.lower()[1]}{leaf.lower()[1]}{number:062x},G1,{spine},{leaf}\n"
    for spine, leaf, count in HOSTS
    for number in range(count)
)
CLUSTER = {
    "topologies": [{"name": "fabric", "levels": ["rack"]}],
    "nodes": [{"name": "n[1-6]", "gpus": 8, "in": {"rack": "r[1-2]"}}],
}
FILES: dict[str, Files] = {
    "itp": (("itp/cluster01.csv", JOBS),),
    "map": (("map/topo.csv", MAP.encode()),),
    "bare": (),
    "six.yaml": (
        (
            "six.yaml",
            yaml.safe_dump({"apiVersion": "railwise.dev/v1alpha1", "kind": "Scenario", "spec": CLUSTER}).encode(),
        ),
    ),
}
LEVELS = [{"name": "core"}, {"name": "spine", "uplink": "800Gbps"}, {"name": "leaf", "uplink": "400Gbps"}]


def disk(name: str, beside: tuple[str, ...]) -> Files:
    del beside
    if name not in FILES:
        raise FileNotFoundError(2, "no such file", name)
    return FILES[name]


def sweep(**spec: Any) -> Sweep:
    value = {"trace": {"kind": "itp", "files": "itp"}} | spec
    document = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Sweep", "spec": value}
    return read_sweep(yaml.safe_dump(document, sort_keys=False).encode())


def first(known: Sweep) -> Scenario:
    return scenario_of(known, next(iter(known.variants())).settings, disk)


@pytest.mark.parametrize(("cluster", "nodes"), [("map", 8), ("six.yaml", 6), ("5x4", 5), (None, 4)])
def test_where_a_stream_runs(cluster: str | None, nodes: int) -> None:
    found = first(sweep() if cluster is None else sweep(cluster=cluster))
    assert len(found.nodes) == nodes
    assert [one.submit for one in found.workloads] == [0, 60 * SECOND, 120 * SECOND, 7200 * SECOND]


def test_what_is_set_in_a_published_map() -> None:
    known = sweep(cluster="map", parameters={"spec.topologies[0].levels": {"slow": LEVELS}, "nodes": [5]})
    found = first(known)
    assert [level.uplink for level in found.topologies[0].levels] == [0, 800_000, 400_000]
    assert [node.places["fabric"]["leaf"] for node in found.nodes] == ["S1", "S1", "S1", "S2", "S2"]


def test_what_is_said_of_gangs_and_of_all() -> None:
    known = sweep(
        cluster="6x8",
        parameters={
            "traffic": [{"pattern": "dense", "compute": "1s"}],
            "checkpoint": [{"every": "10m", "restore": "1m"}],
            "load": [2],
        },
    )
    found = first(known)
    assert [one.traffic for one in found.workloads] == [
        None,
        Traffic("dense", {"compute": "1s"}),
        None,
        Traffic("dense", {"compute": "1s"}),
    ]
    assert {one.checkpoint for one in found.workloads} == {Checkpoint(600 * SECOND, 60 * SECOND)}
    assert [one.submit for one in found.workloads] == [0, 30 * SECOND, 60 * SECOND, 3600 * SECOND]


def test_a_part_of_a_stream() -> None:
    assert len(first(sweep(trace={"kind": "itp", "files": ["itp"], "jobs": 2})).workloads) == 2
    late = first(sweep(trace={"kind": "itp", "files": "itp", "from": "1m", "until": "1h"}))
    assert [one.submit for one in late.workloads] == [0, 60 * SECOND]


def test_runs_of_a_stream() -> None:
    known = sweep(
        cluster="map", seeds=2, resample="shuffle", parameters={"cluster": ["map", "six.yaml"]}, policies=["flat"]
    )
    material = collect(known, disk)
    cells = cells_of(known, material)
    assert len({cell.digest for cell in cells}) == 4
    assert [cell.name() for cell in cells][::2] == ["cluster=map flat seed 0", "cluster=six.yaml flat seed 0"]
    runner = Runner(known, material)
    assert {runner.live(cell)["finished", ""] for cell in cells} == {4}


def test_a_digest_follows_the_files_of_its_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    known = sweep(parameters={"cluster": ["map", "six.yaml"]})
    before = [cell.digest for cell in cells_of(known, collect(known, disk))]
    monkeypatch.setitem(FILES, "six.yaml", ((*FILES["six.yaml"][0][:1], FILES["six.yaml"][0][1] + b"# x\n"),))
    after = [cell.digest for cell in cells_of(known, collect(known, disk))]
    assert (before[0] == after[0], before[1] == after[1]) == (True, False)
    monkeypatch.setitem(FILES, "itp", (("itp/cluster01.csv", JOBS + b"e,7300,600,8\n"),))
    assert all(
        one != two for one, two in zip(after, [c.digest for c in cells_of(known, collect(known, disk))], strict=True)
    )


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"scenario": "six.yaml"}, "a scenario or a trace, not both"),
    ({"trace": {"kind": "ipt", "files": "itp"}}, "did you mean 'itp'?"),
    ({"trace": {"kind": "itp"}}, "'files' is required"),
    ({"trace": {"kind": "itp", "files": "itp", "job": 3}}, "did you mean 'jobs'?"),
    ({"trace": {"kind": "itp", "files": "itp", "from": "2h", "until": "1h"}}, "expected more than 'from'"),
    ({"trace": {"kind": "itp", "files": "itp", "assume": {"durations": "1h"}}}, "did you mean 'duration'?"),
    ({"parameters": {"nodes": [4]}}, "the sweep names none"),
    ({"parameters": {"spec.policy.backfill": ["none"]}}, "the sweep names none"),
    ({"cluster": "bare"}, "no published map in this folder"),
    ({"cluster": "0x8"}, "from 1x1"),
    ({"cluster": "map", "parameters": {"spec.topologies[0].levls": [[]]}}, "did you mean 'levels'?"),
    ({"parameters": {"traffic": ["dens"]}}, "did you mean 'dense'?"),
    ({"parameters": {"checkpoint": [{"restore": "1m"}]}}, "'every' is required"),
]


@pytest.mark.parametrize(("spec", "text"), MISTAKES)
def test_mistakes(spec: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError) as caught:
        collect(sweep(**spec), disk)
    assert text in str(caught.value)


def test_a_cluster_alone_runs_nothing() -> None:
    document = {"apiVersion": "railwise.dev/v1alpha1", "kind": "Sweep", "spec": {"cluster": "5x8"}}
    with pytest.raises(InputError, match="'trace' is required"):
        read_sweep(yaml.safe_dump(document).encode())
