"""A workload as the search sees it: a tree of parts with resolved levels, shapes, and pods that already run.

Names are resolved once, here. What cannot be resolved (a topology, a required level) is a reason to wait and never a
rule dropped; an unknown ``preferred`` level falls back to the default locality.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.room import NodeSpec, Room
from railwise.engine.cluster.shapes import KIND_NONE, KIND_OTHER, Shape
from railwise.engine.cluster.state import ClusterState
from railwise.model.reason import Code
from railwise.model.topology import NO_LEVEL
from railwise.model.workload import Group, TopologyRule, Workload

NOT_GIVEN: Final = -1
"""A level that no rule names."""

ONE_CARD: Final = 1000
"""A card in thousandths."""

NO_LOCALITY: Final = -2
"""``preferred: none``."""


class UnreadableRuleError(Exception):
    """A rule names a topology or level that does not exist; the code says which, the text is for the user."""

    def __init__(self, code: Code, text: str) -> None:
        """Keep code and text."""
        super().__init__(text)
        self.code = code
        self.text = text


class Part:
    """The workload, or a group of it, with levels as indices into its tree (``tree.depth`` is the node).

    A leaf has a ``shape`` and ``pods``; ``fixed`` maps the ranks that already run to their nodes (index). ``lost``
    ranks ran once and must come back before anything else.
    """

    def __init__(self, index: int, path: str, group: Group, tree: int, parent: Part | None) -> None:
        """Start with no rule; ``read_parts`` fills the rest."""
        self.index: Final = index
        self.path: Final = path
        self.group: Final = group
        self.tree: Final = tree
        self.parent: Final = parent
        self.children: list[Part] = []
        self.required = NOT_GIVEN
        self.preferred = NOT_GIVEN
        self.distinct = NOT_GIVEN
        self.even = False
        self.shape: Shape | None = None
        self.segment_size = 0
        self.segment_required = NOT_GIVEN
        self.segment_preferred = NOT_GIVEN
        self.fixed: dict[int, int] = {}

    def leaves(self) -> list[Part]:
        """Return the leaves below (or this part itself), in document order."""
        if self.shape is not None:
            return [self]
        return [leaf for child in self.children for leaf in child.leaves()]

    def least(self) -> int:
        """Return the least number of pods with which this part has its minimum."""
        if self.shape is not None:
            return self.group.min_pods
        return sum(sorted([child.least() for child in self.children])[: self.group.min_groups])

    def running(self) -> int:
        """Return the number of pods of this part that run."""
        return sum(len(leaf.fixed) for leaf in self.leaves())

    def has_rule(self) -> bool:
        """Return whether this part says anything about where it lies."""
        return (
            self.required != NOT_GIVEN
            or self.preferred != NOT_GIVEN
            or self.distinct != NOT_GIVEN
            or self.segment_size > 0
            or self.even
        )


class Demand:
    """A workload (or one alternative of it) ready to be searched for: root, leaves in order, number of pods.

    ``ask`` is a number kept by ``ask_of``, -1 before it is asked for. ``ruled``: rules between pods matter to it, and
    ``kept`` counts the nodes that they kept from it when it was searched for last.
    """

    def __init__(self, workload: Workload, root: Part, state: ClusterState, alternative: int) -> None:
        """Collect the leaves and derive what the whole wants by default."""
        self.workload: Final = workload
        self.root: Final = root
        self.alternative: Final = alternative
        self.patience: int | None = None
        self.leaves: Final[list[Part]] = root.leaves()
        kinds = [leaf.shape.kind for leaf in self.leaves if leaf.shape is not None]
        self.uses_cards: Final = kinds.count(KIND_NONE) < len(kinds)
        self.unsupported: Final = KIND_OTHER in kinds
        self.pods: Final = sum([leaf.group.pods for leaf in self.leaves])
        self.least: Final = root.least()
        self.preferred: Final = _default_preferred(self, state)
        self.simple: Final = (
            root.shape is not None and root.distinct == NOT_GIVEN and not root.even and root.segment_size == 0
        )
        self.shapes: Final = state.shapes
        self.ruled: Final = any(leaf.group.pod_rules is not None for leaf in self.leaves)
        self.kept = 0
        self.ask = -1


def read_demand(workload: Workload, group: Group, state: ClusterState, alternative: int = -1) -> Demand:
    """Resolve a workload's groups and levels; raises ``UnreadableRuleError``."""
    parts: list[Part] = []
    root = _read_part(group, "", state, None, parts)
    return Demand(workload, root, state, alternative)


def _read_part(group: Group, path: str, state: ClusterState, parent: Part | None, parts: list[Part]) -> Part:
    tree = _tree_index(group.topology, state, parent)
    part = Part(len(parts), path, group, tree, parent)
    parts.append(part)
    _read_rules(part, state)
    if group.groups:
        for child in group.groups:
            name = f"{path}/{child.name}" if path else child.name
            part.children.append(_read_part(child, name, state, part, parts))
        return part
    part.shape = state.shapes.of_group(group)
    if group.running is not None:
        for rank, node in enumerate(group.running.nodes[: group.pods]):
            if node is not None and node in state.index_of:
                part.fixed[rank] = state.index_of[node]
    return part


def _tree_index(rule: TopologyRule, state: ClusterState, parent: Part | None) -> int:
    if not rule.name:
        return parent.tree if parent is not None else 0
    for index, tree_state in enumerate(state.trees):
        if tree_state.tree.name == rule.name:
            return index
    known = ", ".join(tree_state.tree.name for tree_state in state.trees if tree_state.tree.name) or "none"
    raise UnreadableRuleError(Code.UNKNOWN_TOPOLOGY, f"there is no topology '{rule.name}' (known: {known})")


def _read_rules(part: Part, state: ClusterState) -> None:
    rule = part.group.topology
    part.required = _level(rule.required, part, state, must=True)
    part.distinct = _level(rule.distinct, part, state, must=True)
    part.preferred = NO_LOCALITY if rule.preferred == NO_LEVEL else _level(rule.preferred, part, state, must=False)
    part.even = rule.balance == "even"
    segment = part.group.segment
    if segment is not None:
        part.segment_size = segment.size
        part.segment_required = _level(segment.required, part, state, must=True)
        part.segment_preferred = _level(segment.preferred, part, state, must=False)


def _level(name: str, part: Part, state: ClusterState, *, must: bool) -> int:
    if not name:
        return NOT_GIVEN
    tree = state.trees[part.tree].tree
    level = tree.level_index(name)
    if level < 0 and must:
        known = ", ".join((*tree.levels, "node"))
        raise UnreadableRuleError(Code.UNKNOWN_LEVEL, f"topology '{tree.name}' has no level '{name}' (levels: {known})")
    return level if level >= 0 else NOT_GIVEN


def _default_preferred(demand: Demand, state: ClusterState) -> int:
    """Return the level that the whole prefers (criterion 1), NO_LOCALITY where none is wanted."""
    root = demand.root
    depth = state.trees[root.tree].tree.depth
    if root.preferred != NOT_GIVEN:
        return root.preferred
    if depth == 0:
        return NO_LOCALITY
    if not demand.uses_cards and not any(part.has_rule() for part in _all_parts(root)):
        return NO_LOCALITY
    if demand.workload.kind in {"training", "inference"} and _one_node_holds(demand, state):
        return depth
    return depth - 1


def _all_parts(part: Part) -> list[Part]:
    return [part] + [other for child in part.children for other in _all_parts(child)]


def _one_node_holds(demand: Demand, state: ClusterState) -> bool:
    """Return whether the cards of one empty healthy node of the cluster can hold every pod of the workload."""
    least = sum(leaf.shape.gpu_thousandths() * leaf.group.pods for leaf in demand.leaves if leaf.shape)
    if least > ONE_CARD * max(state.classes, default=0):
        return False
    return any(_cards_hold(demand, state, spec) for spec in state.healthy_specs())


def _cards_hold(demand: Demand, state: ClusterState, spec: NodeSpec) -> bool:
    room: Room | None = state.rooms.cards_of(state.empty_room(spec))
    for leaf in sorted(demand.leaves, key=lambda leaf: -(leaf.shape.cards if leaf.shape else 0)):
        if leaf.shape is None or not leaf.shape.wants_cards():
            continue
        bare = state.shapes.cards_only(leaf.shape)
        for _ in range(leaf.group.pods):
            room = None if room is None else state.rooms.fits(bare, room)
            if room is None:
                return False
    return True
