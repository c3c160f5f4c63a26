"""Annotations that no gang can keep, or that do not exist: refused or told, never waited on or ignored in silence."""

from __future__ import annotations

import pytest

from tests.controllers.world import World, node, pod


@pytest.mark.parametrize("told", ["1000001", "999999999", "9" * 400])
def test_a_number_of_pods_that_no_gang_can_have_is_refused_and_not_waited_for(told: str) -> None:
    world = World(node("n"))
    world.put(pod("w-0", 1, owner="PyTorchJob/w", notes={"min-pods": told}))
    world.clock.now = 100.0
    assert world.round() == []
    assert (world.reasons(), world.cache.lacking) == ({"a/w": "InvalidRequest"}, {})


def test_a_wish_that_does_not_exist_is_told_once_for_each_gang() -> None:
    world = World(node("n", 64))
    gang = [pod(f"w-{index}", 1, owner="PyTorchJob/w", notes={"requird": "rack"}) for index in range(3)]
    alike = [pod(f"single-{index}", 1, notes={"kinds": "training"}) for index in range(3)]
    world.put(*gang, *alike, pod("right", 1, notes={"kind": "training"}), pod("theirs", 1, scheduler="x", on="n"))
    world.clock.now = 100.0
    world.settle()
    told = {
        (one.metadata.name.partition("-")[0], text.partition("annotations.")[2]) for one, text in world.cache.ignored
    }
    assert len(world.cache.ignored) == 2, "what is asked for in the same words is told of the first"
    assert told == {
        ("w", "railwise.dev/requird: unknown annotation, did you mean 'railwise.dev/required'?"),
        ("single", "railwise.dev/kinds: unknown annotation, did you mean 'railwise.dev/kind'?"),
    }
    world.put(pod("w-3", 1, owner="PyTorchJob/w", notes={"requird": "rack"}))
    world.settle()
    assert len(world.cache.ignored) == 2
