"""A stream on a cluster: no job and no GPU-second is lost or invented, whatever the nodes are like."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import plan_scenario
from railwise.formats.scenario.reader import read_scenario
from railwise.formats.scenario.writer import scenario_document
from railwise.formats.traces import JobTrace, ReplayOptions, TraceJob, TracePart, combine
from railwise.formats.traces.clusters import cluster_of_size, flat_cluster, node_worth, sized_cluster
from railwise.formats.traces.replay import pods_of
from railwise.model.errors import InputError
from railwise.model.node import Cards, Node
from railwise.model.plan import State
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario
from railwise.model.workload import Checkpoint, Group, Workload

SECOND = 1_000_000


def trace(*jobs: TraceJob) -> JobTrace:
    return JobTrace("test", "a test", jobs, ("test: a note",))


def leaves(group: Group) -> Iterator[Group]:
    if not group.groups:
        yield group
    for child in group.groups:
        yield from leaves(child)


def cards(group: Group) -> int:
    """Return thousandths of a card of all pods."""
    asked = ((leaf.pods, leaf.request.cards) for leaf in leaves(group))
    return sum(pods * one.count * (one.fraction or 1000) for pods, one in asked)


def work(workload: Workload) -> int:
    return cards(workload.root) * workload.duration


@st.composite
def jobs(draw: st.DrawFn) -> TraceJob:
    """Draw a job of whole cards, or of pods that each have a part of one."""
    pods = draw(st.integers(0, 20))
    gpus = draw(
        st.one_of(st.integers(1, 300).map(lambda n: n * 1000), st.integers(1, 999).map(lambda n: n * pods or n))
    )
    return TraceJob(
        name="",
        submit=draw(st.integers(0, 10**12)),
        duration=draw(st.integers(1, 10**12)),
        gpus=gpus,
        pods=pods,
        queue=draw(st.sampled_from(["", "a", "B_c"])),
    )


@given(st.lists(jobs(), min_size=1, max_size=20), st.lists(st.integers(0, 16), min_size=1, max_size=5))
def test_no_job_and_no_gpu_second_is_lost_or_invented(drawn: list[TraceJob], nodes: list[int]) -> None:
    stream = trace(*(msgspec.structs.replace(job, name=f"j{place}") for place, job in enumerate(drawn)))
    cluster = Scenario(nodes=tuple(Node(f"n{n}", cards=(Cards(count),)) for n, count in enumerate(nodes)))
    made = combine(stream, cluster).workloads
    worth = max(node_worth(cluster), 1)
    assert [(one.name, one.submit, one.duration) for one in made] == [
        (job.name, job.submit, job.duration) for job in stream.jobs
    ]
    assert [cards(one.root) for one in made] == [job.gpus for job in stream.jobs]
    assert sum(map(work, made)) == stream.work()
    for one in made:
        assert all(leaf.min_pods == leaf.pods > 0 for leaf in leaves(one.root))
        assert all(leaf.request.cards.count <= worth for leaf in leaves(one.root))


@pytest.mark.parametrize(
    ("gpus", "pods", "expected"),
    [
        (1, 0, [(1, 1)]),
        (8, 0, [(1, 8)]),
        (16, 0, [(2, 8)]),
        (20, 0, [(2, 8), (1, 4)]),
        (12, 4, [(4, 3)]),
        (12, 5, [(1, 8), (1, 4)]),
        (40, 2, [(4, 8), (2, 4)]),
    ],
)
def test_the_rule_by_which_jobs_become_pods(gpus: int, pods: int, expected: list[tuple[int, int]]) -> None:
    assert [(count, one.count) for count, one in pods_of(gpus * 1000, pods, 8)] == expected


def test_a_part_of_a_card_stays_a_part_and_parts_of_several_are_equal() -> None:
    ((pods, share),) = pods_of(2_500, 10, 8)
    assert (pods, share.kind, share.count, share.fraction) == (10, "share", 1, 250)
    ((pods, share),) = pods_of(1_500, 0, 8)
    assert (pods, share.kind, share.count, share.fraction) == (1, "share", 2, 750)


def test_a_nodes_worth_is_that_of_the_nodes_that_hold_most_cards() -> None:
    nodes = [Node(f"a{n}", cards=(Cards(2),)) for n in range(7)] + [Node(f"b{n}", cards=(Cards(8),)) for n in range(2)]
    assert node_worth(Scenario(nodes=tuple(nodes))) == 8
    assert node_worth(Scenario(nodes=tuple(nodes[:-1]))) == 2
    assert node_worth(Scenario()) == 0


def test_queues_are_added_to_those_of_the_cluster_and_its_workloads_left_out() -> None:
    cluster = Scenario(
        name="ours",
        nodes=flat_cluster(2, 8).nodes,
        queues=(Queue("a", quota={"gpu": 8000}),),
        workloads=(Workload("old", Group(pods=1, min_pods=1)),),
    )
    scenario = combine(trace(TraceJob("x", 0, 1, 1000, queue="a"), TraceJob("y", 0, 1, 1000, queue="Team B")), cluster)
    assert scenario.queues == (
        Queue("a", quota={"gpu": 8000}),
        Queue("team-b", quota={"gpu": 16_000}),
    )
    assert [(one.name, one.queue) for one in scenario.workloads] == [("x", "a"), ("y", "team-b")]
    assert [one.preemptible for one in scenario.workloads] == [True, False]
    assert scenario.name == "test-on-ours"
    assert scenario.warnings == (
        "test: a note",
        "test: no checkpoints known: what runs is not evicted unless --assume evict=yes",
        "test: jobs in queues of the cluster's own may be evicted, and then start again",
        "test: workloads of the cluster's own, left out: 1",
    )


def test_queues_that_differ_in_capitals_alone_stay_apart() -> None:
    names = ("vcAb", "vcaB", "", "DEFAULT", "vcAb")
    scenario = combine(
        trace(*(TraceJob(f"j{n}", 0, 1, 1000, queue=name) for n, name in enumerate(names))), flat_cluster(1, 8)
    )
    assert [one.queue for one in scenario.workloads] == ["vcab", "vcab-2", "default", "default", "vcab"]


def test_checkpoints_can_be_assumed() -> None:
    made = combine(trace(TraceJob("a", 0, 1, 1000)), flat_cluster(1, 8), ReplayOptions(checkpoint=SECOND))
    assert made.workloads[0].checkpoint == Checkpoint(SECOND)
    assert "test: what runs is not evicted unless --assume evict=yes" in made.warnings


def test_a_size_names_a_cluster() -> None:
    assert cluster_of_size("3x4", "--cluster") == flat_cluster(3, 4)
    assert cluster_of_size("nodes.yaml", "--cluster") is None
    for text in ("0x8", "8x0", "9999999x8", "8x2000", "9" * 5000 + "x1"):
        with pytest.raises(InputError, match="from 1x1 to"):
            cluster_of_size(text, "--cluster")


def test_what_may_be_evicted_is_in_queues_without_quota() -> None:
    stream = trace(
        TraceJob("a", 0, 1, 1000, queue="hp", evictable=False), TraceJob("b", 0, 1, 1000, queue="spot", evictable=True)
    )
    firm = combine(stream, flat_cluster(1, 8))
    assert firm.queues == (Queue("hp", quota={"gpu": 8000}), Queue("spot"))
    assert [one.preemptible for one in firm.workloads] == [False, True]
    free = combine(stream, flat_cluster(1, 8), ReplayOptions(evict=True))
    assert free.queues == (Queue("hp"), Queue("spot"))
    assert [one.preemptible for one in free.workloads] == [True, True]
    assert combine(trace(TraceJob("a", 0, 1, 1000)), flat_cluster(1, 8)).queues == ()


def test_requests_count_where_the_cluster_says_what_it_has() -> None:
    job = TraceJob("x", 0, SECOND, 12_000, cpu=96_000, memory=1200, models=("A100", "V100"))
    silent = combine(trace(job), flat_cluster(2, 8))
    assert [leaf.request.resources for leaf in leaves(silent.workloads[0].root)] == [(), ()]
    assert sum("not counted" in warning for warning in silent.warnings) == 2
    assert any("any card will do" in warning for warning in silent.warnings)
    told = Node("n", cards=(Cards(8, "A100"),), resources={"cpu": 128_000, "memory": 10_000})
    heard = combine(trace(job), Scenario(nodes=(told,)))
    assert [leaf.request.resources for leaf in leaves(heard.workloads[0].root)] == [
        (("cpu", 64_000), ("memory", 800)),
        (("cpu", 32_000), ("memory", 400)),
    ]
    assert {leaf.card_rule.models for leaf in leaves(heard.workloads[0].root)} == {("A100",)}


def test_parts_become_groups_with_their_own_minima() -> None:
    parts = (TracePart("prefill", 32_000, 4, least=1), TracePart("decode", 16_000, 2, least=1))
    made = combine(trace(TraceJob("x", 0, SECOND, 48_000, kind="inference", parts=parts)), flat_cluster(8, 8))
    (workload,) = made.workloads
    assert [(one.name, one.pods, one.min_pods) for one in leaves(workload.root)] == [
        ("prefill", 4, 1),
        ("decode", 2, 1),
    ]
    assert workload.elastic
    assert workload.root.min_groups == 2


def test_times_and_traffic_that_the_trace_does_not_tell() -> None:
    stream = trace(TraceJob("a", 0, 0, 8000), TraceJob("b", 0, None, 16_000), TraceJob("c", 0, 5, 8000, traffic="pd"))
    made = combine(stream, flat_cluster(4, 8), ReplayOptions(pattern="dense"))
    assert [one.duration for one in made.workloads] == [1, 0, 5]
    assert [one.traffic and one.traffic.pattern for one in made.workloads] == [None, "dense", "pd"]
    assert any("without an end" in warning for warning in made.warnings)


@given(st.lists(jobs(), min_size=1, max_size=10))
def test_without_a_cluster_one_is_taken_that_is_neither_idle_nor_drowned(drawn: list[TraceJob]) -> None:
    drawn.sort(key=lambda job: job.submit)
    stream = trace(*drawn)
    cluster = sized_cluster(stream)
    held = sum(node.card_count() for node in cluster.nodes) * 1000
    span = max(drawn[-1].submit, *(job.duration or 0 for job in drawn), 1)
    assert held >= max(job.gpus for job in drawn)
    assert stream.work() * 100 <= held * span * 80
    assert any("no cluster given" in warning for warning in cluster.warnings)


def test_the_scenario_can_be_written_down_and_read_again() -> None:
    stream = trace(
        TraceJob("a", 3, 5 * SECOND, 20_000, queue="x"),
        TraceJob("b", 4, 5 * SECOND, 500, queue="y"),
        TraceJob("c", 5, SECOND, 16_000, kind="inference", parts=(TracePart("p", 8000, 1), TracePart("d", 8000, 1))),
    )
    scenario = combine(stream, flat_cluster(6, 8))
    again = read_scenario(scenario_document(scenario))
    assert again.workloads == scenario.workloads
    assert again.queues == scenario.queues
    plan = plan_scenario(scenario)
    assert {one.state for one in plan.workloads} == {State.PLACED}
