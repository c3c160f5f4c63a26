"""What would hurt about nodes and levels: places that are not named, or whose names say nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from railwise.model.node import Node
from railwise.model.scenario import Scenario
from railwise.model.topology import Topology
from railwise.report.audit import ADVICE, PROBLEM, Finding
from railwise.report.wording import counted, hosts


def of_nodes(scenario: Scenario) -> Iterator[Finding]:
    """Yield what is found about nodes with cards, and about the levels that they name."""
    carded = [node for node in scenario.nodes if node.card_count()]
    if not carded:
        yield Finding("no-cards", PROBLEM, "nodes", "no node has a GPU", "see that the device plugin runs on them")
        return
    yield from _out_of_use(scenario, carded)
    nameless = [node.name for node in carded if any(not run.model for run in node.cards)]
    if nameless and any(run.model for node in carded for run in node.cards):
        what = "say no model of their GPUs, while others do: a wish for a model never finds them"
        yield Finding("no-model", ADVICE, hosts(nameless, scenario), what, "run GPU feature discovery there too")
    if not scenario.topologies:
        what = "no node says where it stands, so all links count as equal"
        yield Finding("no-topology", PROBLEM, "nodes", what, "name the labels with --levels, or run discovery")
    for topology in scenario.topologies:
        for level in topology.level_names():
            yield from _of_level(scenario, topology, level, carded)
        yield from _of_sizes(topology, carded)


def _out_of_use(scenario: Scenario, carded: Sequence[Node]) -> Iterator[Finding]:
    dark = [node for node in carded if not node.ready]
    shut = [node for node in carded if node.ready and node.unschedulable]
    sick = [node for node in carded if node.ready and node.unhealthy]
    lame = [node for node in carded if node.dead_rails]
    lost = {name: sum(node.card_count() for node in nodes) for name, nodes in (("dark", dark), ("shut", shut))}
    bad = sum(len(node.unhealthy) for node in sick)
    for check, nodes, what, step in (
        ("not-ready", dark, f"not ready, with {counted(lost['dark'], 'GPU')}", "repair or remove"),
        ("cordoned", shut, f"cordoned, with {counted(lost['shut'], 'GPU')}", "open or remove"),
        ("sick-cards", sick, f"short of {counted(bad, 'GPU')} that cannot be used", "repair"),
        ("dead-rails", lame, "short of rails: gangs there are slower, and are put there last", "look at the links of"),
    ):
        if nodes:
            one = len(nodes) == 1
            about = hosts([node.name for node in nodes], scenario)
            yield Finding(check, ADVICE, about, f"{'is' if one else 'are'} {what}", f"{step} {'it' if one else 'them'}")


def _of_level(scenario: Scenario, topology: Topology, level: str, carded: Sequence[Node]) -> Iterator[Finding]:
    about = f"level {level} of {topology.name}"
    named = [node for node in carded if node.places.get(topology.name, {}).get(level)]
    if not named:
        yield Finding("empty-level", PROBLEM, about, "no node with GPUs names a domain of it", "label them, or drop it")
        return
    known = {node.name for node in named}
    missing = [node.name for node in carded if node.name not in known]
    if missing:
        what = f"{counted(len(missing), 'node')} with GPUs name no {level}: each counts as one of its own"
        yield Finding("unlabelled", PROBLEM, hosts(missing, scenario), what, f"label them with their {level}")
    sizes = Counter(_path(node, topology, level) for node in named)
    lonely = sum(size == 1 for size in sizes.values())
    if len(sizes) > 1 and lonely * 2 >= len(sizes):
        what = f"{lonely} of its {len(sizes)} domains hold one node: no gang of two nodes fits inside one of them"
        yield Finding("lonely-domains", PROBLEM, about, what, "see whether the label names nodes, or is misspelt")
    elif len(sizes) == 1 and len(topology.levels) == 1 and len(carded) > 1:
        what = "has one domain: it tells no place from another"
        yield Finding("one-domain", ADVICE, about, what, "add a narrower level")


def _of_sizes(topology: Topology, carded: Sequence[Node]) -> Iterator[Finding]:
    levels = topology.level_names()
    if not levels:
        return
    sizes: dict[tuple[str, ...], set[int]] = {}
    for node in carded:
        sizes.setdefault(_path(node, topology, levels[-1]), set()).add(node.card_count())
    mixed = ["/".join(path) for path, found in sizes.items() if len(found) > 1 and path[-1]]
    if mixed:
        about = f"{levels[-1]} {mixed[0]}" + (f" and {len(mixed) - 1} more" if mixed[1:] else "")
        what = "holds nodes of different numbers of GPUs: equal pods of a gang leave the larger ones part empty"
        yield Finding("mixed-sizes", ADVICE, about, what, "keep nodes of one size together")


def _path(node: Node, topology: Topology, level: str) -> tuple[str, ...]:
    levels = topology.level_names()
    places = node.places.get(topology.name, {})
    return tuple(places.get(one, "") for one in levels[: levels.index(level) + 1])
