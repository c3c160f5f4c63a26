"""NVLink and XGMI domains: servers whose GPUs report one and the same fabric.

A domain is what the GPUs say (cluster UUID and clique), not where a tray is said to sit. If cards of one server, or two
sources, report different domains, the server is in none of them until they agree; a chassis serial number that differs
from that of most of the domain is told, because a tray was probably put into another rack.

A manager knows the cluster of a tray but not its clique. That is no other domain: it is the clique that the tray's own
cards report, else the only one that anybody reports in that cluster.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

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
    everywhere = _cliques(one for of_server in said.values() for told in of_server.values() for one in told)
    for server in sorted(said, key=natural_key):
        cliques = everywhere | _cliques(one for told in said[server].values() for one in told)
        by_domain: dict[str, ScaleUp] = {}
        for key in sorted(said[server]):
            for one in said[server][key]:
                if one.health:
                    facts = (("health", one.health), ("source", key[0]))
                    findings.append(Finding(Kind.SCALE_UP_UNHEALTHY, server, facts=facts))
                if one.domain and not one.domain.startswith(NO_FABRIC):
                    identity = cliques.get(one.domain, one.domain)
                    by_domain[identity] = _together(by_domain.get(identity), one)
        if len(by_domain) == 1:
            identity, one = next(iter(by_domain.items()))
            members[identity][server] = one
        elif by_domain:
            domains = ("domains", " ".join(sorted(by_domain)))
            findings.append(Finding(Kind.SCALE_UP_CONFLICT, server, facts=(domains,)))
    order = sorted(members, key=lambda one: natural_key(next(iter(members[one]))))
    made = [_domain(identity, members[identity], findings) for identity in order]
    return _named(made, members, racks, old), findings


def _cliques(said: Iterable[ScaleUp]) -> dict[str, str]:
    """Return the domain that a cluster stands for where it is named without a clique: the only one reported in it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in said:
        cluster, _, clique = one.domain.rpartition(".")
        if cluster and clique.isdecimal():
            found[cluster].add(one.domain)
    return {cluster: domain for cluster, domains in found.items() if len(domains) == 1 for domain in domains}


def _together(first: ScaleUp | None, second: ScaleUp) -> ScaleUp:
    """Return what two sources say of one server and one domain, the second before the first."""
    if first is None:
        return second
    return replace(
        second,
        gpus=second.gpus or first.gpus,
        chassis=second.chassis or first.chassis,
        tray=second.tray or first.tray,
        name=second.name or first.name,
    )


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
