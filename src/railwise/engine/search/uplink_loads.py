"""What running workloads want of uplinks at present: kept per uplink, renewed for the workloads that changed.

A candidate place is then judged by the few workloads on its own uplinks, never by the cluster. A workload wants of an
uplink what it carries in a step over the time that a step takes alone; steps of several tenants are taken to interleave
as well as they can, so a link is short only when all together want more than it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from railwise.engine.gangs.record import Record
from railwise.model.workload import Workload
from railwise.traffic.contention import newcomer_share
from railwise.traffic.links import transfer_time
from railwise.traffic.placement_time import Step
from railwise.traffic.wiring import Uplink

TreeUplink = tuple[int, int, int, int]
"""An uplink of one of several topologies: the topology's number, then ``Uplink``."""

Capacity = Callable[[int, int, int], int]
"""Bits/s that long messages reach over an uplink: of a topology's number, a level and a domain."""


class UplinkLoads:
    """Who wants how much of which uplink, in bits/s.

    Whoever changes where a workload's pods run notes it in ``changed``; it is looked at when somebody asks. ``steps``
    is what they say who run. Where somebody ``follows``, ``renewed`` collects the workloads that were looked at, and
    ``touched`` the uplinks that any of them uses or used before.
    """

    def __init__(self, step_here: Callable[[Record], Step | None], capacity: Capacity) -> None:
        """Start with idle links; ``step_here`` tells what a workload says where it runs (None: nothing)."""
        self.step_here: Final = step_here
        self.capacity: Final = capacity
        self.changed: Final[dict[Record, None]] = {}
        self.steps: Final[dict[Record, Step]] = {}
        self.follows = False
        self.renewed: Final[dict[Record, None]] = {}
        self.touched: Final[dict[TreeUplink, None]] = {}
        self._on: Final[dict[TreeUplink, dict[Record, int]]] = {}
        self._wanted: Final[dict[TreeUplink, int]] = {}

    def refresh(self) -> None:
        """Take in what changed since the last time."""
        for record in self.changed:
            old = self.steps.pop(record, None)
            step = self.step_here(record) if record.pods else None
            if old is not None:
                for uplink, wanted in self._of(record, old).items():
                    del self._on[uplink][record]
                    self._wanted[uplink] -= wanted
                    if not self._on[uplink]:
                        del self._on[uplink], self._wanted[uplink]
            if step is not None:
                self.steps[record] = step
                for uplink, wanted in self._of(record, step).items():
                    self._on.setdefault(uplink, {})[record] = wanted
                    self._wanted[uplink] = self._wanted.get(uplink, 0) + wanted
            if self.follows:
                self.renewed[record] = None
                for one in (old, step):
                    self.touched.update(dict.fromkeys(self._of(record, one)) if one is not None else {})
        self.changed.clear()

    def users(self, uplink: TreeUplink) -> Mapping[Record, int]:
        """Return who wants how much of an uplink (bits/s), as of the last ``refresh``."""
        return self._on.get(uplink, {})

    def crowded(self, uplink: TreeUplink) -> bool:
        """Return whether all together want more of an uplink than it carries, as of the last ``refresh``."""
        return self._wanted.get(uplink, 0) > self.capacity(*uplink[:3])

    def any_use(self) -> bool:
        """Return whether anybody uses any uplink, as of the last ``refresh``."""
        return bool(self._on)

    def in_use(self) -> list[TreeUplink]:
        """Return the uplinks that anybody uses, as of the last ``refresh``."""
        return list(self._on)

    def slowed(self, tree: int, step: Step, workload: Workload) -> tuple[int, Uplink | None]:
        """Return the ns of a step beside those who run, and the uplink that they make slow (None: none).

        On each uplink the workload gets at least what is fair if all others there have nothing narrower elsewhere.
        """
        if self.changed:
            self.refresh()
        slowest, where = step.total(), None
        for (level, domain, way), carried in step.carried.items():
            users = self._on.get((tree, level, domain, way))
            if users is None:
                continue
            others = [wanted for record, wanted in users.items() if record.workload is not workload]
            if not others:
                continue
            time = transfer_time(carried, max(1, newcomer_share(self.capacity(tree, level, domain), others)))
            if time > slowest:
                slowest, where = time, (level, domain, way)
        return slowest, where

    def _of(self, record: Record, step: Step) -> dict[TreeUplink, int]:
        tree = record.demand.root.tree
        return {(tree, *uplink): step.wants(carried) for uplink, carried in step.carried.items()}
