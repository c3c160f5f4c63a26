"""Which nodes a selection accepts, once for all shapes that share it."""

from __future__ import annotations

from typing import Final

from railwise.engine.cluster.shapes import Shape
from railwise.model.node import Node
from railwise.model.workload import Selection

MOST_MASKS: Final = 256
"""How many selections have their nodes remembered."""


class Masks:
    """The masks of one list of nodes; forget them when labels or taints change."""

    def __init__(self, nodes: list[Node]) -> None:
        """Know no selection yet."""
        self._nodes: Final = nodes
        self._known: Final[dict[Selection, list[bool] | None]] = {}

    def of(self, shape: Shape) -> list[bool] | None:
        """Return which nodes the shape's selection and tolerations accept, None where that is all of them."""
        selection = shape.selection
        if selection in self._known:
            return self._known[selection]
        found = [shape.accepts(node) for node in self._nodes]
        mask = None if all(found) else found
        if len(self._known) >= MOST_MASKS:
            self._known.clear()
        self._known[selection] = mask
        return mask

    def forget(self) -> None:
        """Forget all masks."""
        self._known.clear()
