"""Parts of uplinks that are promised: others go elsewhere or wait, and the promised part is there when it is needed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine, Finish, NodeChange, Submit
from railwise.engine.queues.bandwidth import read_promises
from railwise.model.plan import State, WorkloadPlan
from railwise.model.queue import LinkPart, Queue
from railwise.model.reason import Code
from railwise.model.topology import Level, Topology
from railwise.model.workload import Traffic, Workload
from tests.engine.small import gang, racks, request, running, scenario, submitted, where
from tests.examples import examples

GIGA = 1000
LINKED = Topology("fabric", (Level("superpod"), Level("rack", uplink=400 * GIGA)), 3_200 * GIGA)
DENSE = Traffic("dense", {"tensorParallel": 8, "gradients": "14Gi"})
HALF = LinkPart(thousandths=500)
GOLD = Queue("gold", quota={"gpu": 64_000}, bandwidth={"rack": HALF})
SILVER = Queue("silver", quota={"gpu": 64_000})


def tenant(name: str, queue: str, *nodes: str, compute: str = "0s") -> Workload:
    speaks = replace(DENSE, sizes=DENSE.sizes | {"compute": compute})
    return replace(running(name, nodes, request(8)), queue=queue, traffic=speaks)


def wanted(name: str, queue: str, pods: int, compute: str = "0s", preferred: str = "superpod") -> Workload:
    speaks = replace(DENSE, sizes=DENSE.sizes | {"compute": compute})
    return replace(gang(name, pods, request(8), preferred=preferred), queue=queue, traffic=speaks)


def engine(sizes: list[int], queues: tuple[Queue, ...], *workloads: Workload, topology: Topology = LINKED) -> Engine:
    nodes = racks(*sizes, per_superpod=len(sizes))
    made = Engine(replace(scenario(nodes, *workloads), topologies=(topology,), queues=queues))
    made.cycle(())
    return made


def code(plan: WorkloadPlan) -> Code | None:
    return None if plan.reason is None else plan.reason.code


def test_without_a_promise_two_tenants_share_the_uplinks() -> None:
    made = engine([2, 2], (replace(GOLD, bandwidth={}), SILVER), tenant("first", "gold", "n0", "n2"))
    assert where(submitted(made, wanted("second", "silver", 2))) == ["n1", "n3"]


def test_with_a_promise_the_second_gang_goes_elsewhere() -> None:
    """Two broken racks would take it first; it goes into the whole one."""
    first = tenant("first", "gold", "n0", "n2", "n3")
    silent = engine([2, 3, 3], (replace(GOLD, bandwidth={}), SILVER), replace(first, traffic=Traffic("none")))
    assert where(submitted(silent, replace(wanted("second", "silver", 2), traffic=Traffic("none")))) == ["n1", "n4"]
    made = engine([2, 3, 3], (GOLD, SILVER), first)
    assert where(submitted(made, wanted("second", "silver", 2))) == ["n5", "n6"]


def test_where_there_is_no_elsewhere_it_waits_for_the_promise() -> None:
    made = engine([2, 2], (GOLD, SILVER), tenant("first", "gold", "n0", "n2"))
    plan = submitted(made, wanted("second", "silver", 2))
    assert (plan.state, code(plan)) == (State.PENDING, Code.RESERVED)
    assert plan.reason is not None
    assert plan.reason.summary == (
        "there is room, but only where it would take 98 % of the uplink of rack r0, of which the promise to queue "
        "'gold' leaves 50 %"
    )
    made.cycle([Finish("first")])
    assert made.records["second"].pods  # a whole rack is free now


def test_the_promise_holds_while_its_queue_is_away() -> None:
    made = engine([1, 1], (GOLD, SILVER))
    assert code(submitted(made, wanted("other", "silver", 2))) == Code.RESERVED
    assert where(submitted(made, wanted("own", "gold", 2))) == ["n0", "n1"]


def test_who_leaves_the_promised_part_may_cross() -> None:
    """One second of compute for about a third of a second on the uplink: a quarter of the link."""
    made = engine([2, 2], (GOLD, SILVER), tenant("first", "gold", "n0", "n2"))
    assert where(submitted(made, wanted("second", "silver", 2, compute="1s"))) == ["n1", "n3"]


def test_what_others_want_adds_up() -> None:
    """Two that want a quarter each leave half; a third one does not."""
    made = engine([4, 4], (GOLD, SILVER))
    states = [submitted(made, wanted(f"s{n}", "silver", 2, "1s", preferred="none")).state for n in range(2)]
    spread = [{node for node, _ in made.records[f"s{n}"].pods.values()} for n in range(2)]
    assert states == [State.PLACED, State.PLACED]
    assert all(len(nodes) == 2 for nodes in spread)
    crossing = engine(
        [3, 3],
        (GOLD, SILVER),
        tenant("a", "silver", "n0", "n3", compute="1s"),
        tenant("b", "silver", "n1", "n4", compute="1s"),
    )
    assert code(submitted(crossing, wanted("c", "silver", 2, "1s"))) == Code.RESERVED


def test_silent_work_and_work_inside_a_rack_is_never_kept_off() -> None:
    made = engine([2, 2], (GOLD, SILVER), tenant("first", "gold", "n0", "n2"))
    assert where(submitted(made, replace(wanted("quiet", "silver", 2), traffic=Traffic("none")))) == ["n1", "n3"]
    inside = engine([2, 2], (replace(GOLD, bandwidth={"rack": LinkPart(thousandths=1000)}), SILVER))
    assert where(submitted(inside, wanted("inside", "silver", 2))) == ["n0", "n1"]


def test_a_promise_is_no_ceiling_for_its_own_queue() -> None:
    made = engine([2, 2], (GOLD, SILVER), tenant("first", "gold", "n0", "n2"))
    assert where(submitted(made, wanted("second", "gold", 2))) == ["n1", "n3"]


def test_two_promises_bind_each_other() -> None:
    both = (GOLD, replace(SILVER, bandwidth={"rack": LinkPart(thousandths=300)}), Queue("rest"))
    made = engine([3, 3], both)
    assert code(submitted(made, wanted("greedy", "silver", 4))) == Code.RESERVED  # wants all, is promised a part
    assert code(submitted(made, wanted("rest", "rest", 4, compute="1s"))) == Code.RESERVED  # a quarter; a fifth is free
    assert submitted(made, wanted("modest", "silver", 4, compute="1s")).state is State.PLACED


def test_a_part_promised_to_a_parent_is_for_all_below_it() -> None:
    queues = (
        GOLD,
        Queue("child", parent="gold", quota={"gpu": 32_000}, bandwidth={"rack": LinkPart(megabits=100 * GIGA)}),
        Queue("other", parent="gold", quota={"gpu": 32_000}),
        SILVER,
    )
    made = engine([4, 4], queues)
    assert made.link_time is not None
    promises = read_promises(made.accounts.tree, made.link_time)
    assert promises is not None
    whole = made.link_time.capacity(0, 1)
    assert promises.parts == {1: {"gold": whole // 2 - 100 * GIGA * 1_000_000, "child": 100 * GIGA * 1_000_000}}
    assert [promises.holder(name, 1) for name in ("child", "other", "silver", "nobody")] == ["child", "gold", "", ""]


def test_promises_beyond_the_link_come_to_nothing_the_later_first() -> None:
    most = LinkPart(thousandths=800)
    made = engine([2, 2], (replace(GOLD, bandwidth={"rack": most}), replace(SILVER, bandwidth={"rack": most})))
    assert made.link_time is not None
    promises = read_promises(made.accounts.tree, made.link_time)
    assert promises is not None
    whole = made.link_time.capacity(0, 1)
    assert promises.parts[1] == {"gold": whole * 8 // 10, "silver": whole - whole * 8 // 10}


@pytest.mark.parametrize(
    "topology",
    [replace(LINKED, node_uplink=0), replace(LINKED, levels=(Level("superpod"), Level("rack")))],
    ids=["no NICs", "no uplinks"],
)
def test_links_that_nobody_knows_promise_nothing(topology: Topology) -> None:
    made = engine([2, 2], (GOLD, SILVER), tenant("first", "gold", "n0", "n2"), topology=topology)
    assert read_promises(made.accounts.tree, made.link_time) is None
    assert where(submitted(made, wanted("second", "silver", 2))) == ["n1", "n3"]


@pytest.mark.parametrize(("part", "nodes"), [(HALF, {"n0"}), (LinkPart(), {"n0", "n3"})], ids=["promised", "not"])
def test_a_repair_keeps_to_promises_as_well(part: LinkPart, nodes: set[str]) -> None:
    """The lost pod could only come back across an uplink of which it would take too much; it waits."""
    queues = (replace(GOLD, bandwidth={"rack": part}), SILVER)
    made = engine([2, 2], queues, tenant("first", "silver", "n0", "n1"), tenant("block", "gold", "n2"))
    made.cycle([NodeChange("n1", {"ready": False})])
    assert {made.state.nodes[node].name for node, _ in made.records["first"].pods.values()} == nodes


GANGS = st.lists(
    st.tuples(st.sampled_from(["gold", "silver", "rest"]), st.integers(1, 4), st.sampled_from(["0s", "1s", "5s"])),
    max_size=8,
)


@examples(40)
@given(GANGS, st.integers(0, 1000), st.integers(0, 1000))
def test_every_promise_can_be_kept_after_every_plan(gangs: list[tuple[str, int, str]], gold: int, silver: int) -> None:
    """On every uplink: what others want, or are promised where that is more, leaves each queue its part."""
    queues = (
        replace(GOLD, bandwidth={"rack": LinkPart(thousandths=gold)}),
        replace(SILVER, bandwidth={"rack": LinkPart(thousandths=min(silver, 1000 - gold))}),
        Queue("rest", quota={"gpu": 64_000}),
    )
    made = engine([2, 3, 2, 1], queues)
    assert made.link_time is not None
    whole = made.link_time.capacity(0, 1)
    parts = {queue.name: part.of(whole) for queue in queues for part in queue.bandwidth.values()}
    for number, (queue, pods, compute) in enumerate(gangs):
        before = {name for name, record in made.records.items() if record.pods}
        made.cycle([Submit(wanted(f"w{number}", queue, pods, compute))])
        loads = made.link_time.loads
        loads.refresh()
        new = {name for name, record in made.records.items() if record.pods} - before
        for uplink in loads.in_use():
            held = dict.fromkeys([*parts, "rest"], 0)
            for record, bits in loads.users(uplink).items():
                held[record.workload.queue] += bits
            for name in new:
                mine = made.records[name].workload.queue
                if made.records[name] not in loads.users(uplink) or held[mine] <= parts.get(mine, 0):
                    continue
                for other, part in parts.items():
                    if other != mine and part:
                        rest = sum(max(bits, parts.get(queue, 0)) for queue, bits in held.items() if queue != other)
                        assert rest <= whole - part
