"""Random lives of a cluster: in whatever order things happen, belief follows facts, and a restart knows the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.controllers.cache import Binding
from railwise.controllers.gang_book import places_of
from railwise.formats.kubernetes.kinds import Job
from tests.controllers.world import SCHEDULER, World, job, node, pod
from tests.examples import examples

NODES = ("n0", "n1", "n2", "n3")
CARDS = 4

STEPS = (
    "create",
    "job",
    "theirs",
    "confirm",
    "lose",
    "elsewhere",
    "end",
    "delete",
    "vanish",
    "cordon",
    "dark",
    "relist",
)


class Life:
    """A cluster in which things happen by chance; ``data`` draws them."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.nodes = {name: node(name, CARDS, rack=f"r{index // 2}") for index, name in enumerate(NODES)}
        self.world = World(*self.nodes.values())
        self.jobs: list[Job] = []
        self.way: list[Binding] = []
        self.count = 0

    def draw(self, things: Any) -> Any:
        return self.data.draw(st.sampled_from(sorted(things)))

    def step(self) -> None:
        kind = self.draw(STEPS)
        pods = self.world.cache.pods.pods
        self.count += 1
        if kind == "create":
            gpus, priority = self.data.draw(st.integers(1, CARDS)), self.data.draw(st.integers(0, 2))
            self.world.put(pod(f"p-{self.count}", gpus, priority=priority))
        elif kind == "job":
            size, name = self.data.draw(st.integers(1, 3)), f"j-{self.count}"
            notes = self.draw([(), ("required",)])
            rule = dict.fromkeys(notes, "rack")
            self.jobs.append(job(name, size, **rule))
            self.world.cache.put_maker(self.jobs[-1])
            for index in range(size):
                self.world.put(pod(f"{name}-{index}", 2, owner=f"Job/{name}", notes=rule))
        elif kind == "theirs":
            free = [name for name in NODES if self.used()[name] + 1 <= CARDS]
            if free:
                self.world.put(pod(f"t-{self.count}", 1, scheduler="other", on=self.draw(free)))
        elif kind in ("confirm", "lose", "elsewhere") and self.way:
            self.answer(kind, self.way.pop(self.data.draw(st.integers(0, len(self.way) - 1))))
        elif kind in ("end", "delete", "vanish") and pods:
            self.stop(kind, self.draw(pods))
        elif kind in ("cordon", "dark"):
            name = self.draw(NODES)
            off = self.data.draw(st.booleans())
            rack = f"r{NODES.index(name) // 2}"
            fact = {"unschedulable": off} if kind == "cordon" else {"ready": not off}
            self.nodes[name] = node(name, CARDS, rack=rack, **fact)
            self.world.cache.nodes.put(self.nodes[name])
        elif kind == "relist":
            self.world.cache.pods.replace(list(pods.values()))

    def used(self) -> Counter[str]:
        """Return the cards that bound and assumed pods hold on each node."""
        found: Counter[str] = Counter()
        book = self.world.cache.pods
        for uid, one in book.pods.items():
            cards = int(one.spec.containers[0].resources.limits.get("nvidia.com/gpu", 0))
            where = one.spec.node_name or book.assumed.get(uid, "")
            if where and one.status.phase not in ("Succeeded", "Failed"):
                found[where] += cards
        return found

    def answer(self, kind: str, binding: Binding) -> None:
        book = self.world.cache.pods
        one = book.pods.get(binding.pod.uid)
        if one is None or one.spec.node_name or book.assumed.get(binding.pod.uid) != binding.node:
            return
        if kind == "confirm":
            self.world.confirm(binding)
        elif kind == "lose":
            book.refute(binding.pod.uid, 1.0)
        else:
            cards = int(one.spec.containers[0].resources.limits["nvidia.com/gpu"])
            free = [name for name in NODES if self.used()[name] + cards <= CARDS]
            if free:
                spec = msgspec.structs.replace(one.spec, node_name=self.draw(free))
                self.world.put(msgspec.structs.replace(one, spec=spec))

    def stop(self, kind: str, uid: str) -> None:
        one = self.world.cache.pods.pods[uid]
        if kind == "vanish":
            self.world.cache.pods.drop(uid)
        elif kind == "end":
            self.world.put(msgspec.structs.replace(one, status=msgspec.structs.replace(one.status, phase="Succeeded")))
        else:
            meta = msgspec.structs.replace(one.metadata, deletion_timestamp="2026-01-01T01:00:00Z")
            self.world.put(msgspec.structs.replace(one, metadata=meta))

    def decide(self) -> None:
        """Decide, and carry out evictions at once, as if the victims went quickly."""
        world = self.world
        events = world.cache.events()
        if events is None or world.engine is None:
            self.way += world.round()
            return
        plan = world.engine.cycle(events, world.cache.clock.now())
        stops = world.cache.stopped(plan)
        self.way += world.cache.decided(plan)
        for stop in stops:
            world.cache.pods.leaves(stop.pod.uid, stop.node)
        for stop in stops:
            world.cache.pods.drop(stop.pod.uid)

    def rest(self) -> None:
        """Let everything on its way arrive."""
        for _ in range(30):
            self.world.clock.now += 100.0
            self.decide()
            if not self.way:
                break
            for binding in self.way:
                self.answer("confirm", binding)
            self.way.clear()
        assert not self.way


def check(life: Life) -> None:
    """Compare what the engine believes with the facts, and with what a restart would believe."""
    world = life.world
    assert world.engine is not None
    facts = Counter(world.places().values())
    theirs = Counter(
        one.spec.node_name
        for one in world.cache.pods.pods.values()
        if one.spec.node_name and one.spec.scheduler_name != SCHEDULER and one.status.phase == "Pending"
    )
    ended = Counter(
        one.spec.node_name
        for one in world.cache.pods.pods.values()
        if one.spec.scheduler_name == SCHEDULER and one.spec.node_name and one.status.phase != "Pending"
    )
    expected = Counter({name: number for name, number in (facts + theirs - ended).items() if number})
    assert Counter(world.believed().values()) == expected
    again = World(*(life.nodes[name] for name in NODES))
    for maker in life.jobs:
        again.cache.put_maker(maker)
    again.put(*world.cache.pods.pods.values())
    told = again.cache.begin().workloads
    assert Counter(where for one in told for where in places_of(one).values()) == expected, "a restart knows the same"


@given(st.data())
@examples(40)
@pytest.mark.slow
def test_belief_follows_the_facts(data: st.DataObject) -> None:
    life = Life(data)
    for _ in range(data.draw(st.integers(1, 25))):
        life.step()
        if data.draw(st.booleans()):
            life.decide()
        assert max(life.used().values(), default=0) <= CARDS, "no card is promised twice"
    life.rest()
    check(life)
