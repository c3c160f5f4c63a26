"""Which servers a switch in maintenance closes for new work.

Whoever works on a leaf takes a rail from every server that hangs on it, so nothing new should start there. A spine is
one of several: it closes a server only if every way up from its leaves leads through switches that are worked on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from railwise.fabric.fabric_map import Map
from railwise.fabric.observations import SERVER
from railwise.model.natural import natural_key

Names = Mapping[str, Iterable[str]]


def closed(shut: Iterable[str], leaves_of: Names, above: Names) -> dict[str, str]:
    """Return the servers that are closed, each with a switch that closes it: its own leaf where that is worked on.

    ``shut`` are the switches in maintenance, ``leaves_of`` the leaves of every server, ``above`` what each switch's
    links lead up to. Of several switches that could be named it is the first in natural order.
    """
    own = set(shut)
    if not own:
        return {}
    why = {switch: switch for switch in own}
    grown = True
    while grown:
        grown = False
        for switch, upper in above.items():
            ways = set(upper)
            if switch not in why and ways and ways <= why.keys():
                why[switch] = why[min(ways, key=natural_key)]
                grown = True
    found = {}
    for server, leaves in leaves_of.items():
        mine = set(leaves)
        if shared := own & mine:
            found[server] = min(shared, key=natural_key)
        elif mine and mine <= why.keys():
            found[server] = min((why[leaf] for leaf in mine), key=natural_key)
    return found


def closed_servers(found: Map) -> dict[str, str]:
    """Return the servers of a map below switches in maintenance, each with the switch that closes it."""
    shut = [device.name for device in found.devices.values() if device.maintenance]
    if not shut:
        return {}
    leaves_of: defaultdict[str, set[str]] = defaultdict(set)
    above: defaultdict[str, set[str]] = defaultdict(set)
    for port, edge in found.edges.items():
        here, there = found.devices.get(port.device), found.devices.get(edge.other(port).device)
        if here is None or there is None or there.tier < 0:
            continue
        if here.kind == SERVER:
            leaves_of[here.name].add(there.name)
        elif 0 <= here.tier < there.tier:
            above[here.name].add(there.name)
    return closed(shut, leaves_of, above)
