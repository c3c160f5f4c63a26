"""Clusters to replay a stream on where nobody describes one: of a size, or as large as the stream needs.

And what a stream must know of any cluster: how many cards a node of it is worth, and what all of it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from railwise.formats.terms import MOST_CARDS, MOST_NODES
from railwise.formats.traces.job_trace import JobTrace
from railwise.model.errors import Fault, InputError
from railwise.model.node import Cards, Node
from railwise.model.scenario import Scenario

CARD = 1000
"""Thousandths of a card."""

NODE_CARDS = 8
"""Cards of a node where no cluster is given."""

OFFERED_PERCENT = 80
"""Where no cluster is given, one is taken that the stream would keep busy to this part."""


def node_worth(cluster: Scenario) -> int:
    """Return the number of cards of those nodes that hold most of the cards; of equal ones the larger; 0 for none."""
    held: Counter[int] = Counter()
    for node in cluster.nodes:
        count = node.card_count()
        held[count] += count
    return max(held, key=lambda count: (held[count], count), default=0)


def whole(cluster: Scenario) -> dict[str, int]:
    """Return all that the cluster has, in the amounts of a quota."""
    total: Counter[str] = Counter(gpu=CARD * sum(node.card_count() for node in cluster.nodes))
    for node in cluster.nodes:
        total.update(node.resources)
    return {name: amount for name, amount in total.items() if amount}


def cluster_of_size(text: str, option: str) -> Scenario | None:
    """Return the flat cluster that ``500x8`` names, None for what is no size.

    Raises InputError, which names ``option``, for a size out of bounds.
    """
    nodes, cross, cards = text.partition("x")
    if not cross or not all(part.isascii() and part.isdecimal() for part in (nodes, cards)):
        return None
    if max(len(nodes), len(cards)) > len(str(MOST_NODES)) or not (
        1 <= int(nodes) <= MOST_NODES and 1 <= int(cards) <= MOST_CARDS
    ):
        message = f"'{text[:40]}': from 1x1 to {MOST_NODES}x{MOST_CARDS}"
        raise InputError([Fault(option, message, "nodes, and GPUs of each, such as 500x8")])
    return flat_cluster(int(nodes), int(cards))


def flat_cluster(nodes: int, cards: int) -> Scenario:
    """Return a cluster of equal nodes without topology: ``node-001`` and so on."""
    digits = max(3, len(str(nodes)))
    run = (Cards(cards),) if cards else ()
    return Scenario(
        name=f"{nodes}x{cards}", nodes=tuple(Node(f"node-{n:0{digits}d}", cards=run) for n in range(1, nodes + 1))
    )


def sized_cluster(trace: JobTrace) -> Scenario:
    """Return a flat cluster that the stream offers ``OFFERED_PERCENT`` of its card time and that holds its largest job.

    The offer is the work of all jobs over the time in which they are submitted, or over the longest job if it is more.
    """
    span = max([trace.jobs[-1].submit, 1, *(job.duration or 0 for job in trace.jobs)])
    per_node = NODE_CARDS * CARD * span * OFFERED_PERCENT
    largest = max(job.gpus for job in trace.jobs)
    nodes = max(-(-trace.work() * 100 // per_node), -(-largest // (NODE_CARDS * CARD)), 1)
    cluster = flat_cluster(nodes, NODE_CARDS)
    note = (
        f"{trace.kind}: no cluster given: {nodes:,} nodes of {NODE_CARDS} GPUs are taken, "
        f"which the jobs would keep busy to {OFFERED_PERCENT} % or less"
    )
    return replace(cluster, warnings=(note,))
