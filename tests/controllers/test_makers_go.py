"""What becomes of pods when what makes them goes."""

from __future__ import annotations

import msgspec

from railwise.formats.kubernetes.kinds import JobSet
from tests.controllers.world import World, job, node, pod


def test_makers_come_and_go() -> None:
    world = World(node("n"))
    world.cache.replace_makers(type(job("j", 1)), [job("j", 2), job("k", 1)])
    world.put(pod("j-0", owner="Job/j"), pod("k-0", owner="Job/k"))
    assert world.settle() == {"k-0": "n"}
    world.cache.replace_makers(type(job("j", 1)), [])
    world.clock.now = 2.0
    assert sorted(world.settle()) == ["k-0"], "the Job is gone, so its pods go too"
    world.cache.put_maker(job("j", 1))
    assert sorted(world.settle()) == ["j-0", "k-0"]


def test_pods_of_a_job_that_is_being_deleted_are_not_placed_any_more() -> None:
    world = World(node("n", 2))
    world.cache.put_maker(job("j", 3))
    world.put(*(pod(f"j-{index}", owner="Job/j") for index in range(3)))
    assert world.settle() == {}
    going = msgspec.structs.replace(job("j", 1).metadata, deletion_timestamp="2026-01-01T00:00:00Z")
    world.cache.put_maker(msgspec.structs.replace(job("j", 1), metadata=going))
    assert world.settle() == {}
    assert world.plan is not None
    assert world.plan.workloads == ()


def test_a_kind_that_may_not_be_listed_any_more_takes_no_pods_with_it() -> None:
    world = World(node("n"))
    sets = JobSet(metadata=job("s", 1).metadata)
    world.cache.put_maker(sets)
    world.cache.replace_makers(JobSet, [])
    world.put(pod("s-0", owner="JobSet/s"))
    world.clock.now = 2.0
    assert world.settle() == {"s-0": "n"}


def test_somebody_elses_pod_on_a_node_that_is_not_there_is_nobodys_business() -> None:
    world = World(node("n"))
    world.put(pod("theirs", on="gone", schedulerName="somebody"))
    world.settle()
    assert world.plan is not None
    assert world.plan.workloads == ()
    world.cache.nodes.put(node("gone"))
    world.settle()
    assert world.engine is not None
    assert len(world.engine.records) == 1
