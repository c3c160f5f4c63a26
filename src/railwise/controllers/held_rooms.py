"""Room that a workload which moves keeps at its new nodes until its owner has made its pods anew.

Kubernetes moves no pod: a move is an eviction, and another pod in its place. Between the two nobody asks for the room
at the new nodes. So the engine goes on believing that the pods run there; once as many pods have come as have left,
they are bound to just these nodes. If they do not come in time, or the move was refused, the room is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from railwise.controllers.gang_book import LiveGang, Place
from railwise.formats.kubernetes.workloads import LivePod

PATIENCE = 300.0
"""Seconds for which room is held."""


class Held(NamedTuple):
    """The nodes that a workload is to have, by place, and until when."""

    places: dict[Place, str]
    until: float


class HeldRooms:
    """What is held, by the name of the workload."""

    def __init__(self, steady: Callable[[], float]) -> None:
        """Hold nothing; ``steady`` gives seconds."""
        self._steady = steady
        self._held: dict[str, Held] = {}

    def hold(self, gang: LiveGang) -> None:
        """Hold the nodes where a workload is believed to be, for pods that are yet to come."""
        self._held[gang.name] = Held(dict(gang.places), self._steady() + PATIENCE)

    def revise(self, gang: LiveGang) -> bool:
        """Take note of where a workload is believed to be now; return whether room is given back by that."""
        held = self._held.get(gang.name)
        if held is None or held.places == gang.places:
            return False
        del self._held[gang.name]
        return True

    def waits(self, gang: LiveGang) -> bool:
        """Return whether pods of a workload are still waited for; if it runs after all, nothing is held any more."""
        held = self._held.get(gang.name)
        if held is None:
            return False
        if held.until <= self._steady() or any(pod.spec.node_name for pod in gang.members.values()):
            del self._held[gang.name]
            return False
        return len(gang.members) < len(held.places)

    def seats(self, gang: LiveGang, pods: Mapping[Place, LivePod]) -> dict[str, str]:
        """Return the node that is held for each pod (uid), given their places; then nothing is held any more."""
        held = self._held.pop(gang.name, None)
        if held is None:
            return {}
        left = dict(held.places)
        found = {live.uid: left.pop(place) for place, live in pods.items() if place in left}
        for (group, _), live in pods.items():
            other = next((place for place in left if place[0] == group), None) if live.uid not in found else None
            if other is not None:
                found[live.uid] = left.pop(other)
        return found

    def over(self) -> list[str]:
        """Return the workloads whose time is over."""
        now = self._steady()
        return [name for name, held in self._held.items() if held.until <= now]

    def ends(self) -> list[float]:
        """Return when times are over."""
        return [held.until for held in self._held.values()]

    def clear(self) -> None:
        """Hold nothing any more."""
        self._held.clear()
