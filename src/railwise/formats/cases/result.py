"""What becomes of a policy test: its scenario with the plan at the end or at a moment, or its document's faults."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from railwise.engine.cycle import plan_scenario
from railwise.engine.outcome import after
from railwise.engine.views import fair_shares
from railwise.formats.cases.evicted_cards import NeedsError
from railwise.formats.cases.expected_places import Places
from railwise.formats.cases.model import RUN_SIMULATE, Case
from railwise.formats.document import load
from railwise.formats.scenario.reader import read_scenario, read_spec
from railwise.model.errors import Fault, InputError
from railwise.model.plan import Plan, WorkloadPlan
from railwise.model.scenario import Scenario

TWIN: Final = "the twin"


@dataclass(frozen=True)
class Lived:
    """A simulated case: the plan at the end (key None) and at each moment asked for, and how long each start took."""

    plans: dict[int | None, Plan]
    waits: dict[str, int]


Simulate = Callable[[Scenario, int, tuple[int, ...]], Lived]
"""Lets a scenario live until a time in µs (0: until nothing happens any more), with plans at some moments."""


class Result:
    """What became of a case: a scenario with its plan, or the faults for which the document was refused."""

    def __init__(self, case: Case, simulate: Simulate | None = None, moment: int | None = None) -> None:
        """Read the case's document; decide when somebody asks for the plan."""
        self.case = case
        self.simulate = simulate
        self.moment = moment
        self.faults: tuple[Fault, ...] = ()
        self.scenario = Scenario()
        try:
            self.scenario = _read(case)
        except InputError as refused:
            self.faults = refused.faults
        self.places = Places(self.scenario)
        self.workloads = {workload.name: workload for workload in self.scenario.workloads}

    def at(self, moment: int | None) -> Result:
        """Return what had become of the case just after some moment (None: at the end)."""
        if moment == self.moment or self.faults or self.simulate is None:
            return self
        _ = self.lived
        other = copy(self)
        other.moment = moment
        for derived in ("plan", "later"):
            other.__dict__.pop(derived, None)
        return other

    @cached_property
    def lived(self) -> Lived:
        """Return the life of a case that takes time; NeedsError where nothing can live through it."""
        if self.simulate is None:
            raise NeedsError(TWIN)
        moments = sorted({one.at for one in self.case.expect if one.at is not None})
        return self.simulate(self.scenario, self.case.until, tuple(moments))

    @cached_property
    def plan(self) -> Plan:
        """Return the plan at the moment of this result."""
        if self.case.run == RUN_SIMULATE:
            return self.lived.plans[self.moment]
        return plan_scenario(self.scenario)

    @cached_property
    def later(self) -> Scenario:
        """Return the scenario with the plan carried out."""
        return after(self.scenario, self.plan)

    @cached_property
    def shares(self) -> dict[str, dict[str, int]]:
        """Return the fair shares before anything is decided."""
        return fair_shares(self.scenario)

    def of(self, name: str) -> WorkloadPlan | None:
        """Return what the plan says about a workload."""
        return next((one for one in self.plan.workloads if one.name == name), None)


def _read(case: Case) -> Scenario:
    if case.document is None:
        return read_spec(case.scenario, "", case.read_file)
    documents = load(case.document, case.source)
    return read_scenario(documents[0].value, case.source, case.read_file)
