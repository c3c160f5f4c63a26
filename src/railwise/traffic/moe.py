"""Expert parallelism: in every layer each token travels to its experts and back.

Per rank and layer the dispatch carries tokens · topK · hidden elements, and the combine carries as many back. A node
gets a token at most once however many of its experts want it (DeepSeek's DeepEP and the device-limited routing of
DeepSeek-V2 both rest on this), so what leaves a node is bounded by the number of other nodes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

COMBINE_BYTES: Final = 2
"""Bytes of an element on the way back: BF16, whatever the dispatch is cut down to."""


class ExpertTraffic(NamedTuple):
    """Bytes that one rank sends per layer and direction: ``inside`` to its own node, ``between`` to other nodes.

    Each pair is (dispatch, combine).
    """

    inside: tuple[int, int]
    between: tuple[int, int]


def expert_traffic(
    *, nodes: int, cards: int, tokens: int, hidden: int, top_k: int, element: int = COMBINE_BYTES
) -> ExpertTraffic:
    """Return what one rank of an expert group of ``nodes`` · ``cards`` ranks sends in one layer.

    Args:
        nodes: nodes of the expert group, at least 1.
        cards: its cards in each node.
        tokens: tokens a rank holds.
        hidden: elements of a token.
        top_k: experts a token goes to, evenly spread over the ranks.
        element: bytes of an element in the dispatch (FP8: 1); the combine uses at least BF16.
    """
    both = (tokens * hidden * element, tokens * hidden * max(element, COMBINE_BYTES))
    ranks = nodes * cards
    copies_out = min(top_k * (nodes - 1) * cards, (nodes - 1) * ranks)  # of ``ranks`` parts
    inside = tuple(-(-size * top_k * (cards - 1) // max(1, cards)) for size in both)
    between = tuple(-(-size * copies_out // max(1, ranks)) for size in both)
    return ExpertTraffic((inside[0], inside[1]), (between[0], between[1]))
