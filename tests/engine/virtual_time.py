"""Rounds in virtual time: workloads come at their time, run as long as they really run, and end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.model.node import Node
from railwise.model.plan import Plan
from railwise.model.policy import MINUTE, Policy
from railwise.model.workload import Workload
from tests.engine.small import FABRIC, scenario


class Rounds:
    """An engine whose workloads end by themselves. ``starts`` are the times (µs) at which they got their minimum."""

    def __init__(self, nodes: Iterable[Node], policy: Policy, lasts: Mapping[str, int] | None = None) -> None:
        """Start empty; ``lasts`` are true run times (µs) of workloads whose durations are not known."""
        made = scenario(list(nodes))
        flat = not any(node.places for node in made.nodes)
        self.engine = Engine(replace(made, topologies=() if flat else (FABRIC,), policy=policy))
        self.lasts = dict(lasts or {})
        self.coming: dict[int, list[Workload]] = {}
        self.ends: dict[int, list[str]] = {}
        self.starts: dict[str, int] = {}
        self.now = 0

    def submit(self, *workloads: Workload) -> None:
        """Let workloads come at their time of submission, or now where that has passed; in the order given."""
        for workload in workloads:
            known = len(self.starts) + sum(map(len, self.coming.values()))
            self.coming.setdefault(max(workload.submit, self.now), []).append(replace(workload, order=known))

    def run(self, until: int, watch: Callable[[Plan], None] | None = None) -> None:
        """Decide at every event up to a time (µs); ``watch`` sees every plan."""
        while True:
            times = [time for time in (*self.coming, *self.ends) if time <= until]
            if not times:
                break
            self.now = min(times)
            events: list[Event] = [Finish(name) for name in self.ends.pop(self.now, [])]
            events += [Submit(workload) for workload in self.coming.pop(self.now, [])]
            plan = self.engine.cycle(events, self.now)
            self._note()
            if watch is not None:
                watch(plan)
        self.now = until

    def _note(self) -> None:
        for name, record in self.engine.records.items():
            if record.pods and not record.short() and name not in self.starts:
                self.starts[name] = self.now
                lasts = self.lasts.get(name, record.workload.duration)
                if lasts:
                    self.ends.setdefault(self.now + lasts, []).append(name)


def lasting(workload: Workload, minutes: float, submit: float = 0) -> Workload:
    """Return the workload with a duration (0: not known) and a time of submission, in minutes."""
    return replace(workload, duration=round(minutes * MINUTE), submit=round(submit * MINUTE))
