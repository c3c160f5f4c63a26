"""How many cards are in use, kept up to date by what changes: asked at every moment, it may not count the cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.cluster.state import ClusterState
from railwise.engine.gangs.record import Record


class CardCount:
    """``used`` cards serve somebody; a card in shared use counts once."""

    def __init__(self, state: ClusterState) -> None:
        """Start with the cluster as it is."""
        self.state: Final = state
        self.used = 0
        self._on: Final[list[int]] = [0] * len(state.nodes)
        self._nodes: Final[dict[str, tuple[int, ...]]] = {}

    def follow(self, names: Iterable[str], records: dict[str, Record]) -> None:
        """Count again where these workloads ran when they were named last, and where they run now."""
        touched: set[int] = set()
        for name in names:
            touched.update(self._nodes.pop(name, ()))
            record = records.get(name)
            if record is not None and record.pods:
                nodes = tuple({node for node, _ in record.pods.values()})
                self._nodes[name] = nodes
                touched.update(nodes)
        for node in touched:
            ledger = self.state.ledgers[node]
            now = ledger.busy.bit_count() + len(ledger.left.keys() | ledger.closed.keys())
            self.used += now - self._on[node]
            self._on[node] = now
