"""Fabrics for tests: the usual designs in small, and drawn ones."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Action, Event, Fabric, Port

SMALL = {
    "rail-optimised": {"units": 2, "servers": 4, "rails": 4, "spines": 2},
    "fat-tree": {"units": 3, "servers": 4, "spines": 2},
    "nvl72": {"units": 1, "servers": 2},
    "dgx-superpod": {"units": 6, "servers": 3, "rails": 4, "spines": 4},
    "two-tier-ethernet": {"units": 3, "servers": 4},
    "irregular": {"units": 4, "servers": 8, "rails": 4},
}


def small(design: str, **changes: int) -> Fabric:
    """Return a small fabric of a design."""
    made = DESIGNS[design]
    sizes: dict[str, int] = {**SMALL[design], **changes}
    return made.draw(replace(made.usual, **sizes))  # type: ignore[arg-type] # all of them are numbers


@st.composite
def drawn(draw: st.DrawFn) -> Fabric:
    """Draw a fabric with events."""
    design = draw(st.sampled_from(sorted(SMALL)))
    changes: dict[str, int] = {"units": draw(st.integers(1, 3)), "servers": draw(st.integers(1, 4))}
    if design == "irregular":
        changes["seed"] = draw(st.integers(0, 1000))
    elif design == "nvl72":
        changes = {"units": 1, "servers": draw(st.integers(1, 2))}
    else:
        changes["storage"] = draw(st.integers(0, 2))
    fabric = small(design, **changes)
    return replace(fabric, timeline=tuple(draw(st.lists(events(fabric), max_size=6))))


def events(fabric: Fabric) -> st.SearchStrategy[Event]:
    """Draw events that the fabric can live through."""
    ports = [port for cable in fabric.cables for port in (cable.a, cable.b)]
    nics = [Port(server.name, nic.name) for server in fabric.servers for nic in server.nics]
    times = st.integers(0, 10_000_000)
    switches = st.sampled_from([switch.name for switch in fabric.switches])
    cables = st.integers(0, len(fabric.cables) - 1) if fabric.cables else st.nothing()
    flap = {"every": st.integers(2, 5_000_000), "times": st.integers(1, 3)}
    choices = [
        st.builds(Event, times, st.just(Action.NIC), on=st.booleans(), ports=st.tuples(st.sampled_from(nics))),
        st.builds(Event, times, st.just(Action.SWITCH), on=st.booleans(), device=switches),
        st.builds(Event, times, st.just(Action.MAINTENANCE), on=st.booleans(), device=switches),
        st.builds(Event, times, st.just(Action.TELEMETRY), on=st.booleans(), device=switches),
        st.builds(Event, times, st.just(Action.CABLE), on=st.booleans(), cable=cables),
        st.builds(Event, times, st.just(Action.CABLE), cable=cables, **flap),
    ]
    if ports:
        two = st.tuples(st.sampled_from(ports), st.sampled_from(ports))
        choices.append(st.builds(Event, times, st.just(Action.REPLUG), on=st.just(True), ports=two))
    return st.one_of(choices)
