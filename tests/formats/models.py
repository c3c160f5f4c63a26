"""Hypothesis strategies for scenarios: any scenario that a reader can return, of every kind of part."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from railwise.formats.contradictions import contradiction
from railwise.model.card_models import CARD_MODELS
from railwise.model.node import MIG_DYNAMIC, MIG_NONE, Cards, Node, Taint
from railwise.model.policy import Change, Policy
from railwise.model.queue import LinkPart, Queue
from railwise.model.scenario import Scenario
from railwise.model.topology import Level, Topology
from tests.formats.workload_models import KEYS, LABELS, MEMORY, TAINT_VALUES, TIMES, workloads

DURATIONS = st.integers(0, 10**12)
UPLINKS = st.sampled_from([0, 100, 400_000, 1_600_000])
AMOUNTS = st.dictionaries(st.sampled_from(["cpu", "memory", "ephemeral-storage", "pods", "vendor.com/x"]), MEMORY)
TOPOLOGY_NAMES = ("fabric", "nvl", "zones")

levels = st.builds(
    Level, st.sampled_from(["spine", "superpod", "rack", "zone"]), st.sampled_from(["", "x.com/rack"]), UPLINKS
)
taints = st.lists(
    st.builds(Taint, KEYS, TAINT_VALUES, st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"])), max_size=2
).map(tuple)


@st.composite
def topologies(draw: st.DrawFn) -> tuple[Topology, ...]:
    names = draw(st.lists(st.sampled_from(TOPOLOGY_NAMES), unique=True, max_size=3))
    unique = st.lists(levels, unique_by=lambda level: level.name, max_size=3)
    return tuple(Topology(name, tuple(draw(unique)), draw(UPLINKS)) for name in names)


@st.composite
def cards(draw: st.DrawFn) -> Cards:
    model = draw(st.sampled_from(["", "X900-99GB", "NVIDIA-H100-80GB-HBM3", *[one.name for one in CARD_MODELS]]))
    count = draw(st.integers(1, 8))
    mig = draw(st.sampled_from([MIG_NONE, MIG_DYNAMIC]))
    memory = draw(st.integers(0, 200_000))
    return Cards(
        count=count,
        model=model,
        memory=memory,
        reserve=draw(st.integers(0, memory or 1000)),
        mig=mig,
        time_slices=0 if mig else draw(st.integers(0, 4)),
        islands=draw(st.sampled_from([islands for islands in (1, 2, 4) if count % islands == 0])),
    )


@st.composite
def nodes(draw: st.DrawFn, trees: tuple[Topology, ...]) -> tuple[Node, ...]:
    """Nodes in runs that are alike, so that the writer has something to fold."""
    found: list[Node] = []
    names = draw(
        st.lists(st.from_regex(r"[a-c]{1,2}-?[0-9]{1,3}|[x-z]{1,2}", fullmatch=True), unique=True, max_size=12)
    )
    while names:
        size = draw(st.integers(1, len(names)))
        runs = tuple(draw(st.lists(cards(), max_size=2)))
        count = sum(run.count for run in runs)
        alike = Node(
            name="",
            cards=runs,
            unhealthy=frozenset(draw(st.lists(st.integers(0, count - 1), max_size=2))) if count else frozenset(),
            resources=draw(AMOUNTS),
            labels=draw(LABELS),
            taints=draw(taints),
            ready=draw(st.booleans()),
            unschedulable=draw(st.booleans()),
            dead_rails=frozenset(draw(st.lists(st.integers(0, 7), max_size=2))),
            rails=draw(st.sampled_from([0, 0, 4, 8])),
        )
        known = {tree.name: draw(st.lists(st.sampled_from(tree.levels), unique=True)) for tree in trees if tree.levels}
        for name in names[:size]:
            places = {
                tree: {level.name: draw(st.from_regex(r"[rR][1-3]", fullmatch=True)) for level in given}
                for tree, given in known.items()
                if given
            }
            found.append(replace(alike, name=name, places=places))
        names = names[size:]
    return tuple(found)


@st.composite
def queues(draw: st.DrawFn) -> tuple[Queue, ...]:
    names = draw(st.lists(st.sampled_from(["research", "nlp", "vision", "default"]), unique=True))
    amounts = st.dictionaries(st.sampled_from(["gpu", "cpu", "memory", "pods", "vendor.com/x"]), MEMORY)
    by_level = st.dictionaries(st.sampled_from(["rack", "node"]), st.integers(0, 9))
    one = st.builds(
        Queue,
        name=st.just(""),
        parent=st.sampled_from(["", "research", "nlp", "ghost"]),
        quota=amounts,
        limit=amounts,
        lend=st.none() | amounts,
        weight=st.integers(0, 100_000),
        priority=st.integers(-5, 5),
        stopped=st.booleans(),
        preempt_min_runtime=DURATIONS,
        reclaim_min_runtime=DURATIONS,
        guarantee=by_level,
        bandwidth=st.dictionaries(
            st.sampled_from(["rack", "node"]),
            st.builds(LinkPart, megabits=st.integers(0, 9000), thousandths=st.just(0))
            | st.builds(LinkPart, megabits=st.just(0), thousandths=st.integers(1, 1000)),
        ),
    )
    return tuple(replace(draw(one), name=name) for name in names)


policies = st.builds(
    Policy,
    backfill=st.sampled_from(["easy", "conservative", "none"]),
    reserve_after=DURATIONS,
    reservations=st.integers(0, 9),
    victim_wait=DURATIONS,
    node_grace=DURATIONS,
    repair_wait=DURATIONS,
    usage_half_life=DURATIONS,
    largest_gang=st.integers(0, 99),
    sizes=st.dictionaries(st.integers(1, 64), st.integers(1, 99)).map(lambda sizes: tuple(sorted(sizes.items()))),
) | st.builds(
    Policy,
    defrag_every=st.integers(1, 10**12),
    defrag_max_moves=st.integers(0, 9),
    defrag_max_lost=st.integers(0, 10**9),
)


@st.composite
def changes(draw: st.DrawFn, names: list[str], fabric: str) -> tuple[Change, ...]:
    values = st.fixed_dictionaries(
        {"ready": st.booleans()},
        optional={
            "unschedulable": st.booleans(),
            "labels": LABELS,
            "taints": taints,
            "resources": AMOUNTS,
            "gpu.unhealthy": st.frozensets(st.integers(0, 7)),
        },
    )
    kinds = [
        st.builds(Change, TIMES.map(abs), st.just("node"), st.sampled_from(names).map(lambda name: (name,)), values)
    ]
    if not names:
        kinds.clear()
    if fabric:
        up = st.fixed_dictionaries({"up": st.booleans()})
        kinds.append(st.builds(Change, DURATIONS, st.just("cable"), st.just(("n1/rail2", "leaf-3")), up))
        kinds.append(st.builds(Change, DURATIONS, st.just("switch"), st.just(("leaf-3",)), up))
    return tuple(draw(st.lists(st.one_of(*kinds), max_size=3))) if kinds else ()


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    trees = draw(topologies())
    found = draw(nodes(trees))
    fabric = draw(st.sampled_from(["", "fabric.yaml"]))
    works = []
    for order, work in enumerate(draw(st.lists(workloads, max_size=4))):
        named = replace(work, name=f"w{order}", order=order)
        roots = (named.root, *(one.root for one in named.alternatives))
        works.append(replace(named, invalid=named.invalid or contradiction(roots)))
    return Scenario(
        name=draw(st.sampled_from(["", "two-units"])),
        seed=draw(st.integers(0, 9)),
        topologies=trees,
        nodes=found,
        queues=draw(queues()),
        workloads=tuple(works),
        policy=draw(policies),
        changes=draw(changes([node.name for node in found], fabric)),
        fabric=fabric,
    )
