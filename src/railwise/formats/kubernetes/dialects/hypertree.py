"""Volcano's HyperNodes as a topology: which domain of each tier a node lies in.

Volcano leaves all topology jobs of a cluster waiting when one HyperNode has two parents or lies in a circle. Here such
an object loses the membership that is wrong, and says so; every other one keeps its own. Levels are the tiers, the
highest number first; nodes are found by name, by pattern or by labels, whenever they come.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from railwise.formats.kubernetes.dialects.kueue_schema import Selector
from railwise.formats.kubernetes.dialects.reading import spec_of
from railwise.formats.kubernetes.dialects.sources import ERROR, IGNORED, Finding, Source, TopologyDraft
from railwise.formats.kubernetes.schema import Part
from railwise.formats.patterns import safe_pattern
from railwise.formats.terms import LEVEL
from railwise.model.topology import NO_LEVEL, NODE_LEVEL, Level, Topology

NAME: Final = "hypernodes"
"""The topology that all HyperNodes together are."""


_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


class Exact(Part, frozen=True):
    """A member by its name."""

    name: str = ""


class Regex(Part, frozen=True):
    """Members by a pattern of their names."""

    pattern: str = ""


class MemberSelector(Part, frozen=True):
    """Which nodes or HyperNodes; one of the three."""

    exact_match: Exact | None = None
    regex_match: Regex | None = None
    label_match: Selector | None = None


class Member(Part, frozen=True):
    """A part of a HyperNode."""

    type: str = ""
    selector: MemberSelector = MemberSelector()


class HyperNodeSpec(Part, frozen=True):
    """A HyperNode; a smaller tier is closer."""

    tier: int
    tier_name: str = ""
    members: tuple[Member, ...] = msgspec.field(default=())


class Tiers(NamedTuple):
    """The levels of tiers, by number and by name."""

    levels: Mapping[int, str] = {}
    names: Mapping[str, str] = {}

    def level(self, text: str) -> str:
        """Return the level that a highest tier allowed means: the widest within it; empty: any place will do."""
        if not _NUMBER.fullmatch(text):
            return self.names.get(text, f"tier-{text}")
        tier = int(text)
        if self.levels and tier > max(self.levels):
            return ""
        within = [one for one in self.levels if one <= tier]
        return self.levels[max(within)] if within else f"tier-{text}"


NO_TIERS = Tiers()
"""Those of a cluster without HyperNodes."""


class _Tree:
    """The HyperNodes, their parents, and how they choose nodes."""

    def __init__(self) -> None:
        self.specs: dict[str, HyperNodeSpec] = {}
        self.parents: dict[str, str] = {}
        self.exact: dict[str, str] = {}
        self.patterns: list[tuple[str, re.Pattern[str]]] = []
        self.selectors: list[tuple[str, Selector]] = []
        self.levels: Mapping[int, str] = {}
        self._by_pattern: dict[str, str] = {}

    def places(self, name: str, labels: Mapping[str, str]) -> dict[str, str]:
        """Return the domains of a node by level."""
        found = {}
        at = self.exact.get(name) or self._matching(name) or self._selecting(labels)
        while at:
            found[self.levels[self.specs[at].tier]] = at
            at = self.parents.get(at, "")
        return found

    def _matching(self, name: str) -> str:
        if self.patterns and name not in self._by_pattern:
            self._by_pattern[name] = next((one for one, form in self.patterns if form.search(name)), "")
        return self._by_pattern.get(name, "")

    def _selecting(self, labels: Mapping[str, str]) -> str:
        return next((one for one, selector in self.selectors if _selected(selector, labels)), "")


def read_hypernodes(sources: Sequence[Source], findings: list[Finding]) -> tuple[list[TopologyDraft], Tiers]:
    """Return the topology of all HyperNodes, if there are any, and the levels of their tiers."""
    tree = _Tree()
    by_name: dict[str, Source] = {}
    for source in sources:
        spec = spec_of(source, HyperNodeSpec, findings)
        if spec is not None:
            tree.specs[source.name()] = spec
            by_name[source.name()] = source
    if not tree.specs:
        return [], Tiers()
    for name in sorted(tree.specs, key=lambda one: tree.specs[one].tier):
        for index, member in enumerate(tree.specs[name].members):
            _join(tree, by_name[name], f".spec.members[{index}]", member, findings)
    tiers = _tiers(tree.specs)
    tree.levels = tiers.levels
    levels = tuple(Level(tiers.levels[tier]) for tier in sorted(tiers.levels, reverse=True))
    first = by_name[min(by_name)]
    return [TopologyDraft(first, Topology(NAME, levels), places=tree.places)], tiers


def _join(tree: _Tree, source: Source, path: str, member: Member, findings: list[Finding]) -> None:
    """Note what a member chooses; one that cannot be kept is found and left out."""
    name, selector = source.name(), member.selector
    given = [one for one in (selector.exact_match, selector.regex_match, selector.label_match) if one is not None]
    if member.type not in ("Node", "HyperNode") or len(given) != 1:
        findings.append(Finding(source, ERROR, path, "expected a Node or HyperNode chosen in one of three ways"))
    elif member.type == "HyperNode":
        problem = _adopt(tree, name, selector.exact_match)
        if problem:
            findings.append(Finding(source, ERROR, f"{path}.selector", problem))
    elif selector.exact_match is not None:
        if tree.exact.setdefault(selector.exact_match.name, name) != name:
            other = tree.exact[selector.exact_match.name]
            text = f"the node {selector.exact_match.name} is in {other} already and stays there"
            findings.append(Finding(source, IGNORED, f"{path}.selector", text))
    elif selector.regex_match is not None:
        pattern, problem = safe_pattern(selector.regex_match.pattern)
        if pattern is None:
            findings.append(Finding(source, ERROR, f"{path}.selector.regexMatch.pattern", problem))
        else:
            tree.patterns.append((name, pattern))
    elif selector.label_match is not None:
        tree.selectors.append((name, selector.label_match))


def _adopt(tree: _Tree, parent: str, exact: Exact | None) -> str:
    """Make a HyperNode the parent of another; return what is wrong with that, empty: nothing."""
    if exact is None:
        return "a HyperNode is a member by its exact name only"
    child = exact.name
    if child not in tree.specs:
        return f"there is no HyperNode '{child}' that can be read"
    if tree.specs[child].tier >= tree.specs[parent].tier:
        return f"{child} has no smaller tier, so it cannot lie inside"
    if tree.parents.setdefault(child, parent) != parent:
        return f"{child} lies in {tree.parents[child]} already and stays there"
    return ""


def _tiers(specs: Mapping[str, HyperNodeSpec]) -> Tiers:
    """Return the levels: named as all HyperNodes of the tier agree, else by number."""
    said: dict[int, set[str]] = {}
    for spec in specs.values():
        said.setdefault(spec.tier, set()).add(spec.tier_name)
    levels: dict[int, str] = {}
    for tier in sorted(said):
        names = said[tier] - {""}
        name = next(iter(names)) if len(names) == 1 else ""
        fits = name and not LEVEL.problem(name) and name not in (NODE_LEVEL, NO_LEVEL, *levels.values())
        levels[tier] = name if fits else f"tier-{tier}"
    return Tiers(levels, {name: levels[tier] for tier, names in said.items() for name in names if name})


def _selected(selector: Selector, labels: Mapping[str, str]) -> bool:
    for one in selector.match_expressions:
        value = labels.get(one.key)
        if one.operator in ("In", "Exists") and (value is None or (one.operator == "In" and value not in one.values)):
            return False
        if one.operator == "NotIn" and value in one.values:
            return False
        if one.operator == "DoesNotExist" and value is not None:
            return False
    return bool(selector.match_labels or selector.match_expressions) and selector.match_labels.items() <= labels.items()
