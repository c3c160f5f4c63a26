"""Victims where few may go: all of them together, the least important tier that suffices."""

from __future__ import annotations

from railwise.engine.eviction.claim import Claim, Way
from railwise.engine.eviction.trial import Trial
from railwise.engine.eviction.units import FREE, Unit, surplus_units, whole_unit
from railwise.engine.gangs.record import Record


def search_together(claim: Claim, records: list[Record]) -> Way | None:
    """Return the cheapest way by some of these workloads: surplus pods alone if they suffice."""
    own = own_units(claim)
    for priority in sorted({record.workload.priority for record in records}):
        tier = [record for record in records if record.workload.priority <= priority]
        surplus = surplus_of(claim, tier)
        alone = [unit for unit in surplus if unit.record.workload.kind != "training"]
        way = Trial(claim, own + alone).run() if alone else None
        if way is None:
            way = Trial(claim, own + surplus + wholes_of(claim, tier)).run()
        if way is not None:
            return way
    return None


def own_units(claim: Claim) -> list[Unit]:
    """Return the claimant's own surplus, highest ranks first; it costs nothing."""
    if not claim.record.pods:
        return []
    units = surplus_of(claim, [claim.record])
    return [Unit(unit.record, unit.keys, FREE, whole=False, after=None) for unit in units]


def surplus_of(claim: Claim, records: list[Record]) -> list[Unit]:
    """Return what these workloads can spare."""
    return [unit for record in records for unit in surplus_units(record, claim.state, claim.workloads.now)]


def wholes_of(claim: Claim, records: list[Record]) -> list[Unit]:
    """Return all pods of each of these workloads."""
    return [whole_unit(record, claim.state, claim.workloads.now) for record in records]
