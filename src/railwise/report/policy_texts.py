"""One sentence for each policy, for who reads a comparison and was not there when it was made."""

from __future__ import annotations

POLICY_TEXTS: dict[str, str] = {
    "railwise": "Railwise: whole gangs by the map of the network, with quotas, reservations and backfill.",
    "spread": "Like the Kubernetes scheduler as installed: pod by pod, each to the nodes least used by cpu and memory.",
    "binpack": "Like the Kubernetes scheduler with MostAllocated: pod by pod, each to the fullest nodes by GPUs.",
    "affinity": "Like node selectors written by hand: a fixed list of nodes for each workload, inside it as spread.",
    "flat": "Like a gang scheduler without a map: the first nodes that fit, the whole gang at once.",
    "best-fit": "Like a gang scheduler that packs: the fullest nodes that fit, the whole gang at once.",
    "fifo": "First come, first served, without a map and without overtaking.",
    "priority": "By priority, then by time, without a map and without overtaking.",
    "quota": "Nominal quotas admit, nodes are not looked at; pods go where spread would put them.",
    "slurm": "Like Slurm: by priority with backfill, whole nodes, by switch.",
    "random": "Any node that fits: chance.",
}


def policy_text(policy: str) -> str:
    """Return the sentence of a policy; a name that is not known speaks for itself."""
    return POLICY_TEXTS.get(policy, policy)
