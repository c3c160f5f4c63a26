"""What an API server lets people write: each odd object is told what is wrong with it, everybody else is served."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from railwise.kubeapi.objects import PartialObject
from railwise.kubeapi.resources import EVENTS, NODES
from railwise.kubeapi.watching import Scope
from tests.control_plane import node
from tests.controllers.test_cluster_scheduler import Stage, scheduling, stage, until

__all__ = ["stage"]

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

LONG = "n" * 253
LARGE = "x" * 200_000
"""An API server takes annotations of a quarter of a megabyte in all."""

ODD: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "level": ({"required": "galaxy"}, {}, "UnknownLevel"),
    "large": ({"required": LARGE}, {}, "InvalidRequest"),
    "segment": ({"segment-size": "9" * 1000}, {}, "InvalidRequest"),
    "much": ({}, {"cpu": "1e18"}, "InvalidRequest"),
    "more": ({}, {"memory": "9Ei"}, "NeverFits"),
    "lacking": ({"min-pods": "1000000"}, {}, "Incomplete"),
    "crowded": ({"min-pods": "999999999"}, {}, "InvalidRequest"),
    LONG: ({"kind": "nonsense"}, {}, "InvalidRequest"),
}


class About(msgspec.Struct):
    kind: str = ""
    name: str = ""


class Told(PartialObject, frozen=True):
    regarding: About = msgspec.field(default_factory=About)
    reason: str = ""
    note: str = ""


async def events(stage: Stage, space: str) -> set[tuple[str, str, str]]:
    """Return (kind, name, reason) of the events of a namespace."""
    found = (await stage.client.list(EVENTS, Told, Scope(space))).objects
    return {(one.regarding.kind, one.regarding.name, one.reason) for one in found}


async def test_odd_objects_are_told_and_all_others_are_served(stage: Stage) -> None:
    await stage.nodes(4, racks=2)
    odd_node = node(f"{stage.space}-odd", space=stage.space)
    odd_node["status"]["allocatable"] = {**odd_node["status"]["allocatable"], "nvidia.com/gpu": "1000000"}
    await stage.client.create(NODES, "", odd_node)
    for name, (notes, amounts, _) in ODD.items():
        limits = {"nvidia.com/gpu": "1"}
        container = {
            "name": "main",
            "image": "none",
            "resources": {"limits": limits, "requests": {**limits, **amounts}},
        }
        await stage.pod(name, 1, notes, containers=[container])
    await stage.pod("misspelt", 1, {"requird": "rack"})
    async with scheduling(stage):
        await stage.job("gang", 2, 8, {"required": "rack"})
        for index in range(8):
            await stage.pod(f"well-{index}", 1)

        async def served() -> bool:
            return len(await stage.places()) == 11

        await until(served)

        async def words() -> dict[str, str]:
            return {name: (await stage.word(name)).message.partition(":")[0] for name in ODD}

        async def all_told() -> bool:
            return all((await words()).values())

        await until(all_told)
        assert await words() == {name: code for name, (*_, code) in ODD.items()}

        async def all_noted() -> bool:
            wanted = {("Pod", name, code) for name, (*_, code) in ODD.items()}
            there = await events(stage, stage.space) | await events(stage, "default")
            noted = {("Node", f"{stage.space}-odd", "CannotBeRead"), ("Pod", "misspelt", "Ignored")}
            return wanted | noted <= there

        await until(all_noted)
    assert await stage.places() == {name: place for name, place in (await stage.places()).items() if name not in ODD}
    assert not any(place.endswith("-odd") for place in (await stage.places()).values())
