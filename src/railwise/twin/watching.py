"""What a recorder is told after each moment of a run, so that it never has to look through everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from railwise.engine.events import Event
    from railwise.twin.simulation import Simulation


class Moment(NamedTuple):
    """One moment: what happened, and what the round of decisions made of it. Names are sorted.

    ``events`` is what the engine was told at ``at`` µs. ``ended`` had all their work done. ``started`` have their
    minimum since this moment, ``stopped`` had it before and have it no more; a gang that begins anew is in both.
    ``changed`` are all whose pods may have changed, ended ones included; where somebody runs stands in
    ``engine.records[name].pods``. ``waiting`` is the number of workloads that are there without their minimum,
    ``cards`` that of the cards in use (a shared one counts once), both from this moment on.
    """

    at: int
    events: tuple[Event, ...]
    ended: tuple[str, ...]
    started: tuple[str, ...]
    stopped: tuple[str, ...]
    changed: tuple[str, ...]
    waiting: int
    cards: int


class Watch(Protocol):
    """A recorder of a run."""

    def see(self, simulation: Simulation, moment: Moment) -> None:
        """Take note of a moment, just after it; ``simulation`` may be read and must not be changed."""
        ...
