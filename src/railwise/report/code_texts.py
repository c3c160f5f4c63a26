"""What each reason code means to the person who meets it. One value per code; a test checks that none is missing."""

from __future__ import annotations

from typing import NamedTuple

from railwise.model.reason import Act, Code


class Page(NamedTuple):
    """The page of one code: a phrase, a paragraph, who acts, an example that causes it, remedies, related codes."""

    brief: str
    meaning: str
    act: Act
    example: tuple[str, ...]
    remedies: tuple[str, ...]
    related: tuple[Code, ...]


_ABOUT_REQUESTS: dict[Code, Page] = {
    Code.INVALID_REQUEST: Page(
        "the workload contradicts itself",
        "The request cannot be met by any cluster, because its own figures exclude each other: more pods are needed"
        " than there are, a fraction of a card is above one, a MIG profile exists on no card. The document is well"
        " formed, so the workload is kept and waits instead of being dropped.",
        Act.USER,
        ("workloads:", "- {name: train, pods: 4, minPods: 6, request: {gpu: 8}}   # 6 of 4 pods"),
        ("Correct the field that the summary names and submit the workload again.",),
        (Code.NEVER_FITS, Code.UNSUPPORTED),
    ),
    Code.UNKNOWN_QUEUE: Page(
        "the queue does not exist",
        "The workload names a queue that is not declared, or one that hangs in a circle of parents or below an"
        " unknown parent and so belongs to no tree. A workload without a queue uses the one named default.",
        Act.USER,
        ("queues:", "- {name: research}", "workloads:", "- {name: train, queue: reserch, request: {gpu: 8}}"),
        (
            "Name a queue that exists: railwise get queues -f FILE lists them.",
            "Or have the queue created or its parent repaired.",
        ),
        (Code.QUEUE_STOPPED, Code.UNKNOWN_TOPOLOGY),
    ),
    Code.UNKNOWN_TOPOLOGY: Page(
        "the rule names a topology that the cluster does not have",
        "A rule about places cannot be read, because no topology has the name it gives. Such a rule is never"
        " ignored: ignoring it could place a gang across the whole cluster that was meant for one rack.",
        Act.USER,
        (
            "topologies: [{name: fabric, levels: [rack]}]",
            "workloads:",
            "- {name: train, topology: {name: nvlink, required: clique}}",
        ),
        (
            "Name a topology that exists; without a name the first one is used.",
            "Where the map should know it: check that discovery publishes it, or add it to the document.",
        ),
        (Code.UNKNOWN_LEVEL,),
    ),
    Code.UNKNOWN_LEVEL: Page(
        "the rule names a level that the topology does not have",
        "A required level, or the level of a segment or of distinct, is not one of the topology's levels. An unknown"
        " preferred level does not stop a workload; it loads with a warning and the default locality.",
        Act.USER,
        (
            "topologies: [{name: fabric, levels: [superpod, rack]}]",
            "workloads:",
            "- {name: train, topology: {required: block}}",
        ),
        ("Use one of the topology's levels, or node: railwise get topology -f FILE shows them.",),
        (Code.UNKNOWN_TOPOLOGY,),
    ),
    Code.SUSPENDED: Page(
        "somebody put the workload on hold",
        "The workload carries suspend: true. Until it is resumed nothing of it starts; what already runs goes on.",
        Act.USER,
        ("workloads:", "- {name: train, suspend: true, request: {gpu: 8}}"),
        ("Resume it: remove suspend, or set it to false.",),
        (Code.QUEUE_STOPPED,),
    ),
    Code.UNSUPPORTED: Page(
        "the rule is known but cannot be honoured by this version",
        "The document is valid and the rule is part of the format, but this version has no way to keep it. It"
        " refuses instead of placing the pods as if the rule were not there.",
        Act.USER,
        ("workloads:", "- {name: serve, request: {mig-1g.10gb: 1}}"),
        ("Ask in another way, for example for whole cards or for a fraction of one.", "Or update Railwise."),
        (Code.INVALID_REQUEST,),
    ),
}

_ABOUT_QUEUES: dict[Code, Page] = {
    Code.QUEUE_STOPPED: Page(
        "the queue, or one above it, is stopped",
        "A stopped queue admits nothing new. What runs in it goes on.",
        Act.ADMIN,
        ("queues:", "- {name: night, stopped: true}", "workloads:", "- {name: train, queue: night, request: {gpu: 8}}"),
        ("The administrator opens the queue again.", "Or submit to another queue."),
        (Code.SUSPENDED, Code.UNKNOWN_QUEUE),
    ),
    Code.OVER_LIMIT: Page(
        "the queue may never hold that much",
        "With this workload the queue, or one above it, would exceed its limit. A limit is a ceiling: it holds even"
        " when the rest of the cluster is idle.",
        Act.ADMIN,
        (
            "queues:",
            "- {name: nlp, limit: {gpu: 64}}",
            "workloads:",
            "- {name: train, queue: nlp, pods: 16, request: {gpu: 8}}",
        ),
        (
            "Where the workload alone exceeds the limit: ask for less, or have the limit raised.",
            "Otherwise wait until workloads of the queue end.",
        ),
        (Code.OVER_QUOTA, Code.WAITING_FOR_QUOTA),
    ),
    Code.OVER_QUOTA: Page(
        "work that may not be evicted does not fit inside the quota",
        "Borrowed room can be claimed back at any time. A workload with preemptible: false could not give it back,"
        " so it may only use what its queue is guaranteed.",
        Act.USER,
        (
            "queues:",
            "- {name: nlp, quota: {gpu: 8}}",
            "workloads:",
            "- {name: train, queue: nlp, pods: 2, request: {gpu: 8}, preemptible: false}",
        ),
        (
            "Let the workload be evicted (preemptible: true, with checkpoints).",
            "Or wait until the queue's own quota is free, or have it raised.",
        ),
        (Code.OVER_LIMIT, Code.WAITING_FOR_QUOTA),
    ),
    Code.WAITING_FOR_QUOTA: Page(
        "others use what the queue would have to borrow",
        "The queue has no quota left, and its siblings use or keep back what it could borrow. Cards may be free.",
        Act.WAIT,
        (
            "nodes: [{name: 'n[1-2]', gpus: 8}]",
            "queues:",
            "- {name: a, quota: {gpu: 8}}",
            "- {name: b, quota: {gpu: 8}, lend: {gpu: 0}}   # lends nothing",
            "workloads:",
            "- {name: train, queue: a, pods: 2, request: {gpu: 8}}",
        ),
        ("Wait until siblings give room back.", "Or have quota, or what siblings lend, raised."),
        (Code.OVER_LIMIT, Code.OVER_QUOTA),
    ),
}

_ABOUT_ROOM: dict[Code, Page] = {
    Code.NEVER_FITS: Page(
        "not even an empty cluster has room for it",
        "If nothing ran, every node were healthy and no selector or taint existed, the workload would still not fit:"
        " a pod is larger than any node, or the gang is larger than any domain of its required level. Waiting does"
        " not help.",
        Act.USER,
        (
            "nodes: [{name: 'n[1-8]', gpus: 8, in: {rack: 'r[1-2]'}}]   # racks of 4",
            "workloads:",
            "- {name: train, pods: 6, request: {gpu: 8}, topology: {required: rack}}",
        ),
        (
            "Require a wider level, or only prefer this one.",
            "Or split the gang: fewer pods, smaller pods, or segments that each stay in one domain.",
        ),
        (Code.NODES_EXCLUDED, Code.INVALID_REQUEST),
    ),
    Code.NODES_EXCLUDED: Page(
        "selectors, taints or health leave too few nodes",
        "The cluster could hold the workload if it were empty and all nodes were open to it; but nodes are not"
        " ready, cordoned, tainted or left out by its selector, and what remains is too little even when empty.",
        Act.ADMIN,
        (
            "nodes: [{name: 'n[1-2]', gpus: 8, ready: false}]",
            "workloads:",
            "- {name: train, pods: 2, request: {gpu: 8}}",
        ),
        (
            "Look at the counts of railwise why: they say how many nodes each cause takes away.",
            "Repair or uncordon nodes, add a toleration, or loosen the selector.",
        ),
        (Code.NEVER_FITS, Code.NOT_ENOUGH_FREE),
    ),
    Code.NOT_ENOUGH_FREE: Page(
        "too little is free in all",
        "The nodes that may be used have, added up, less free than the workload needs at least. No other arrangement"
        " of what runs would change that.",
        Act.WAIT,
        (
            "nodes: [{name: 'n[1-2]', gpus: 8}]",
            "workloads:",
            "- {name: busy, request: {gpu: 8}, running: {nodes: [n1]}}",
            "- {name: train, pods: 2, request: {gpu: 8}}",
        ),
        ("Wait for running workloads to end.", "Or start with fewer pods (minPods), where the workload allows it."),
        (Code.TOO_FRAGMENTED, Code.NODES_EXCLUDED),
    ),
    Code.TOO_FRAGMENTED: Page(
        "enough is free, but not together",
        "Added up there is room, but no single domain of the required level (or no single node) has enough of it."
        " This is what the slots left measure: free cards in pieces that nobody can use.",
        Act.WAIT,
        (
            "nodes: [{name: 'n[1-4]', gpus: 8, in: {rack: 'r[1-2]'}}]",
            "workloads:",
            "- {name: busy, pods: 2, request: {gpu: 8}, running: {nodes: [n1, n3]}}   # one in each rack",
            "- {name: train, pods: 2, request: {gpu: 8}, topology: {required: rack}}",
        ),
        (
            "Wait until a domain has room; railwise get slots -f FILE shows what fits where.",
            "Or require a wider level, or only prefer this one.",
            "Who runs the cluster can let small moves make room (spec.policy.defrag).",
        ),
        (Code.NOT_ENOUGH_FREE, Code.RESERVED),
    ),
    Code.RESERVED: Page(
        "the room is kept for an earlier workload",
        "There would be room, but it is held: for a workload that waits longer and whose turn comes first, for one"
        " whose victims are just ending, or to keep a promise to a queue: of whole domains, or of a part of uplinks.",
        Act.WAIT,
        (
            "nodes: [{name: 'n[1-2]', gpus: 8}]",
            "policy: {reserveAfter: 0s}",
            "workloads:",
            "- {name: busy, request: {gpu: 8}, running: {nodes: [n1]}}",
            "- {name: big, pods: 2, request: {gpu: 8}}   # n2 is kept for it",
            "- {name: small, request: {gpu: 8}}",
        ),
        (
            "Wait; what is kept is listed by railwise plan.",
            "A known duration helps: who ends before the reserved start may use the room meanwhile.",
        ),
        (Code.BEHIND_OTHERS, Code.WAITING_FOR_VICTIMS),
    ),
    Code.WAITING_FOR_VICTIMS: Page(
        "its place is being cleared",
        "Workloads that had to give way are ending, and the room they leave is held for this one.",
        Act.WAIT,
        (
            "nodes: [{name: n1, gpus: 8}]",
            "workloads:",
            "- {name: old, request: {gpu: 8}, running: {nodes: [n1]}}",
            "- {name: urgent, priority: 100, request: {gpu: 8}}",
        ),
        ("Wait for the victims to end.", "Where it lasts, look at the pods that are terminating."),
        (Code.RESERVED,),
    ),
    Code.BEHIND_OTHERS: Page(
        "others of its queue come first",
        "The queue serves its workloads in order, and without backfill nobody overtakes. The summary says at which"
        " position it stands.",
        Act.WAIT,
        (
            "nodes: [{name: 'n[1-2]', gpus: 8}]",
            "policy: {backfill: none}",
            "workloads:",
            "- {name: busy, request: {gpu: 8}, running: {nodes: [n1]}}",
            "- {name: first, pods: 2, request: {gpu: 8}}",
            "- {name: second, request: {gpu: 1}}   # n2 has room for it, and still it waits its turn",
        ),
        (
            "Wait for the ones before it.",
            "Or allow backfill (spec.policy.backfill: easy): who does not delay the first one may start.",
        ),
        (Code.RESERVED, Code.WAITING_FOR_QUOTA),
    ),
    Code.UNPROVEN: Page(
        "no place was found, and no proof that there is none",
        "The search is exact for small instances and bounded for large ones. Here it reached its bound without a"
        " placement, so the true cause is not known, and no other code is claimed.",
        Act.WAIT,
        (
            "workloads:",
            "- name: mesh   # with a dozen groups, each with rules of its own, over hundreds of domains",
        ),
        (
            "Wait: the search is repeated whenever the cluster changes.",
            "Fewer groups or simpler rules make the search exact.",
        ),
        (Code.TOO_FRAGMENTED,),
    ),
}

PAGES: dict[Code, Page] = _ABOUT_REQUESTS | _ABOUT_QUEUES | _ABOUT_ROOM
"""The page of every code."""
