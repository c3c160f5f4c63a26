"""NVLink and XGMI domains: servers whose GPUs report one and the same fabric.

A domain is what the GPUs say (cluster UUID and clique), not where a tray is said to sit. If cards of one server, or two
sources, report different domains, the server is in none of them until they agree; a chassis serial number that differs
from that of most of the domain is told, because a tray was probably put into another rack.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from railwise.fabric.fabric_map import ScaleUpDomain
from railwise.fabric.findings import Finding, Kind
from railwise.fabric.identity import Named, Nameless, names_for
from railwise.fabric.observations import ScaleUp
from railwise.fabric.wiring import Key
from railwise.model.natural import natural_key

NO_FABRIC = "00000000-0000-0000-0000-000000000000"
"""The cluster UUID of GPUs that are in no NVLink fabric: equal on every server, and no domain."""


def scale_up_domains(
    said: Mapping[str, Mapping[Key, tuple[ScaleUp, ...]]], racks: Mapping[str, str], old: tuple[ScaleUpDomain, ...]
) -> tuple[tuple[ScaleUpDomain, ...], list[Finding]]:
    """Return the domains by what is ``said`` of each server, named as before where they were there; and findings."""
    findings: list[Finding] = []
    members: defaultdict[str, dict[str, ScaleUp]] = defaultdict(dict)
    for server in sorted(said, key=natural_key):
        by_domain = {}
        for key in sorted(said[server]):
            for one in said[server][key]:
                if one.health:
                    facts = (("health", one.health), ("source", key[0]))
                    findings.append(Finding(Kind.SCALE_UP_UNHEALTHY, server, facts=facts))
                if one.domain and not one.domain.startswith(NO_FABRIC):
                    by_domain[one.domain] = one
        if len(by_domain) == 1:
            identity, one = next(iter(by_domain.items()))
            members[identity][server] = one
        elif by_domain:
            domains = ("domains", " ".join(sorted(by_domain)))
            findings.append(Finding(Kind.SCALE_UP_CONFLICT, server, facts=(domains,)))
    order = sorted(members, key=lambda one: natural_key(next(iter(members[one]))))
    made = [_domain(identity, members[identity], findings) for identity in order]
    return _named(made, members, racks, old), findings


def _domain(identity: str, servers: Mapping[str, ScaleUp], findings: list[Finding]) -> ScaleUpDomain:
    chassis = Counter(one.chassis for one in servers.values() if one.chassis)
    usual = min(chassis, key=lambda serial: (-chassis[serial], serial), default="")
    for server, one in servers.items():
        if one.chassis and one.chassis != usual:
            facts = (("domain", identity), ("chassis", one.chassis), ("usual", usual))
            findings.append(Finding(Kind.SCALE_UP_CONFLICT, server, facts=facts))
    first = next(iter(servers.values()))
    return ScaleUpDomain("", identity, first.kind, usual, tuple(servers))


def _named(
    made: list[ScaleUpDomain],
    members: Mapping[str, Mapping[str, ScaleUp]],
    racks: Mapping[str, str],
    old: tuple[ScaleUpDomain, ...],
) -> tuple[ScaleUpDomain, ...]:
    """Give names: the one an identity had before, else by overlap, else what the source or the rack is called."""
    wanted = []
    for domain in made:
        names = {one.name for one in members[domain.identity].values()}
        racks_here = {racks.get(server, "") for server in domain.servers}
        wishes = [*names] if len(names) == 1 else []
        wishes += [f"{domain.kind}-{rack}" for rack in racks_here if rack and len(racks_here) == 1]
        wishes += [f"{domain.kind}-{domain.chassis}"] * bool(domain.chassis) + [domain.identity]
        same = frozenset({domain.identity})
        wanted.append(Nameless(frozenset(domain.servers), same, tuple(wish for wish in wishes if wish)))
    known = [Named(one.name, frozenset(one.servers), frozenset({one.identity})) for one in old]
    names_given = names_for(wanted, known)
    return tuple(
        ScaleUpDomain(name, one.identity, one.kind, one.chassis, one.servers)
        for name, one in zip(names_given, made, strict=True)
    )
