"""Why a workload waits, as a value: the headline, a count of every node, and how close each level comes.

Only computed when a workload is refused, once for all that ask for the same, and not again before something changes.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.ask import Ask, ask_of
from railwise.engine.gangs.demand import Demand, Part
from railwise.engine.reasons.capacity import EmptyCluster
from railwise.engine.reasons.tallies import Tallies
from railwise.engine.reasons.wording import BESIDE, beside_others, headline, next_step
from railwise.model.reason import Act, Code, Reason

ACTS: Final[dict[Code, Act]] = {
    Code.INVALID_REQUEST: Act.USER,
    Code.UNKNOWN_QUEUE: Act.USER,
    Code.UNKNOWN_TOPOLOGY: Act.USER,
    Code.UNKNOWN_LEVEL: Act.USER,
    Code.SUSPENDED: Act.USER,
    Code.QUEUE_STOPPED: Act.ADMIN,
    Code.OVER_LIMIT: Act.ADMIN,
    Code.OVER_QUOTA: Act.USER,
    Code.NEVER_FITS: Act.USER,
    Code.NODES_EXCLUDED: Act.ADMIN,
    Code.UNSUPPORTED: Act.USER,
}
"""Who must act; codes that are not listed only need waiting."""

SHORT: Final = {code: Reason(code, "", ACTS.get(code, Act.WAIT)) for code in Code}
"""Reasons that say no more than their code."""

ROOM: Final = (Code.NOT_ENOUGH_FREE, Code.TOO_FRAGMENTED, Code.UNPROVEN)
"""Codes that are said otherwise where rules between pods are the reason."""

MOST_REASONS: Final = 65_536
"""How many reasons are remembered."""

Moment = tuple[int, int, int]
"""Generation of the state, length of its journal, number of changes to facts about nodes."""


class Verdict:
    """Explains refusals on one state. ``facts`` counts the changes to facts about nodes.

    In ``brief`` only what a decision depends on is found out: whether a demand could ever be met.
    """

    def __init__(self, state: ClusterState) -> None:
        """Compute nothing yet."""
        self.state: Final = state
        self.empty: Final = EmptyCluster(state)
        self.tallies: Final = Tallies(state)
        self.facts = 0
        self.brief = False
        self._known: Final[dict[tuple[Ask, bool], tuple[Moment, Reason]]] = {}

    def plain(self, code: Code, text: str) -> Reason:
        """Return a reason that needs no counts: something about the workload itself."""
        return Reason(code, text, ACTS.get(code, Act.WAIT), next_step(code))

    def refuse(self, demand: Demand, *, proven: bool) -> Reason:
        """Return why a demand that found no place waits (``proven``: there is none)."""
        if self.brief:
            return SHORT[self._hopeless(demand) or Code.NOT_ENOUGH_FREE]
        ask = ask_of(demand)
        if ask is None:
            return self._reason(demand, proven=proven)
        now = (self.state.generation, len(self.state.journal), self.facts)
        known = self._known.get((ask, proven))
        if known is None or known[0] != now:
            if len(self._known) >= MOST_REASONS:
                self._known.clear()
            known = (now, self._reason(demand, proven=proven))
            self._known[ask, proven] = known
        return known[1]

    def never_fits(self, demand: Demand) -> bool:
        """Return whether the minimum is known not to fit even an empty, healthy cluster; remembered."""
        return self.empty.fits(demand, pristine=True) is False

    def forget(self, node: int) -> None:
        """Take note that facts about a node changed."""
        self.facts += 1
        self.empty.forget(node)
        self.tallies.look_at(node)

    def _reason(self, demand: Demand, *, proven: bool) -> Reason:
        leaf = _hardest(demand)
        shape = leaf.shape
        if shape is None:
            return self.plain(Code.UNPROVEN, "nothing to place")
        counts = self.tallies.counts(shape)
        levels = self.tallies.levels(demand.root.tree, shape, max(leaf.group.min_pods, 1))
        code = self._code(demand, proven=proven)
        total = len(self.state.nodes)
        if demand.ruled and (code == Code.UNPROVEN or (demand.kept and code in ROOM)):
            code = Code.NOT_ENOUGH_FREE if demand.kept else code
            text = beside_others(leaf, demand.kept, total)
            return Reason(code, text, ACTS.get(code, Act.WAIT), BESIDE, total, counts, levels)
        text = headline(code, demand, leaf, levels, counts, total)
        return Reason(code, text, ACTS.get(code, Act.WAIT), next_step(code), total, counts, levels)

    def _hopeless(self, demand: Demand) -> Code | None:
        """Return why a demand cannot be met whatever ends, None where it can, as far as anybody knows."""
        never = self.empty.fits(demand, pristine=True)
        if never is False:
            return Code.NEVER_FITS
        excluded = self.empty.fits(demand, pristine=False)
        return Code.NODES_EXCLUDED if excluded is False and never else None

    def _code(self, demand: Demand, *, proven: bool) -> Code:
        hopeless = self._hopeless(demand)
        if hopeless is not None:
            return hopeless
        if not self.tallies.cover(demand):
            return Code.NOT_ENOUGH_FREE
        return Code.TOO_FRAGMENTED if proven else Code.UNPROVEN


def _hardest(demand: Demand) -> Part:
    """Return the leaf whose pods are hardest to place: the one the counts speak of.

    A share asked for by memory is a part of a card that depends on the card: it counts as more than none.
    """

    def asked(leaf: Part) -> int:
        return leaf.shape.gpu_thousandths() or leaf.shape.cards if leaf.shape else 0

    return max(demand.leaves, key=lambda leaf: (asked(leaf), leaf.group.min_pods, -leaf.index))
