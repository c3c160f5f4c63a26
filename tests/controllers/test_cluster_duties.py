"""What a scheduler owes a real cluster after the plan: gangs on lost nodes, and victims that a budget protects."""

from __future__ import annotations

import pytest

from railwise.controllers.cache import ClusterCache
from railwise.formats.kubernetes.schema import Pod
from railwise.kubeapi.resources import DISRUPTION_BUDGETS, NODES, PODS
from railwise.model.policy import Policy
from tests.controllers.test_cluster_scheduler import Stage, scheduling, stage, until

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]


async def going(one: Stage, name: str) -> bool:
    """Return whether a pod is gone, or on its way."""
    pod = await one.client.find(PODS, Pod, one.space, name)
    return pod is None or pod.metadata.deletion_timestamp is not None


async def bound(one: Stage, *names: str) -> bool:
    return set(names) <= (await one.places()).keys()


async def test_a_gang_that_lost_a_node_is_repaired_on_another(stage: Stage) -> None:
    await stage.nodes(3)
    cache = ClusterCache(stage.name, policy=Policy(node_grace=1_000_000))
    await stage.job("train", 2, 8)
    async with scheduling(stage, cache=cache):
        await until(lambda: bound(stage, "train-0", "train-1"))
        places = await stage.places()
        down = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
        await stage.client.patch(NODES, "", places["train-0"], down, sub="status")
        await until(lambda: going(stage, "train-0"))
        assert not await going(stage, "train-1")
        await stage.pod("train-again", 8, owner=stage.owners["train"])
        await until(lambda: bound(stage, "train-again"))
    now = await stage.places()
    assert now["train-1"] == places["train-1"]
    assert now["train-again"] not in set(places.values())


async def test_a_victim_that_its_budget_protects_stays_and_another_goes(stage: Stage) -> None:
    await stage.nodes(2)
    async with scheduling(stage):
        await stage.pod("older", 8)
        await until(lambda: bound(stage, "older"))
        await stage.pod("younger", 8)
        await until(lambda: bound(stage, "younger"))
        runs = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
        await stage.client.patch(PODS, stage.space, "younger", runs, sub="status")  # a budget protects what runs
        selector = {"matchLabels": {"app": "younger"}}
        budget = {"metadata": {"name": "keep"}, "spec": {"minAvailable": 1, "selector": selector}}
        await stage.client.create(DISRUPTION_BUDGETS, stage.space, budget)
        await stage.pod("high", 8, priority=None, priorityClassName="system-cluster-critical")
        await until(lambda: going(stage, "older"))
        assert not await going(stage, "younger")
        await stage.client.delete(PODS, stage.space, "older", grace=0)
        await until(lambda: bound(stage, "high"))
