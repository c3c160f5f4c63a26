"""What an engine should know of its cluster, counted again from scratch, and the same cluster in a new engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from railwise.engine.cluster.ledger import card_names
from railwise.engine.cluster.state import ClusterState
from railwise.engine.cycle import Engine
from railwise.engine.gangs.record import Record
from railwise.model.scenario import Scenario
from railwise.model.workload import Group, Running, Workload

Places = dict[str, dict[tuple[int, int], tuple[str, tuple[str, ...]]]]
"""Node and cards of every pod that runs, by workload and (leaf number, rank)."""


def places(engine: Engine) -> Places:
    """Return where everything runs."""
    return {
        name: {
            key: (engine.state.nodes[node].name, card_names(grant))
            for key, (node, grant) in sorted(record.pods.items())
        }
        for name, record in engine.records.items()
        if record.pods
    }


def as_running(record: Record, state: ClusterState) -> Workload:
    """Return a workload as a document would show it: its pods run where they run, on named cards."""
    leaves = record.demand.leaves

    def group(one: Group, path: str) -> Group:
        if one.groups:
            children = [group(child, f"{path}/{child.name}" if path else child.name) for child in one.groups]
            return replace(one, groups=tuple(children))
        number = next(index for index, leaf in enumerate(leaves) if leaf.path == path)
        mine = {rank: spot for (leaf, rank), spot in record.pods.items() if leaf == number}
        if not mine:
            return replace(one, running=None)
        ranks = range(max(mine) + 1)
        names = tuple(state.nodes[mine[rank][0]].name if rank in mine else None for rank in ranks)
        cards = tuple(card_names(mine[rank][1]) if rank in mine else () for rank in ranks)
        return replace(one, running=Running(names, 0, cards if any(cards) else ()))

    return replace(record.workload, root=group(record.workload.root, ""))


def fresh_scenario(engine: Engine) -> Scenario:
    """Return the document of an engine's cluster as it is now; what waits is left out."""
    workloads = [as_running(record, engine.state) for record in engine.records.values() if record.pods]
    return replace(engine.scenario, nodes=tuple(engine.state.nodes), workloads=tuple(workloads))


def seen(state: ClusterState) -> list[tuple[object, ...]]:
    """Return what is free on every node, in a form that does not depend on how the state came about."""
    result: list[tuple[object, ...]] = []
    for room, ledger in zip(state.room_of, state.ledgers, strict=True):
        left = sorted((card, rest) for card, rest in ledger.left.items() if ledger.spec.healthy >> card & 1)
        others = tuple((name, amount) for name, amount in room.others if amount)
        numbers = (room.closed, room.whole, room.partial, room.cpu, room.memory, room.pods, others)
        result.append((*numbers, room.slots, room.wholly, ledger.free, ledger.debt, left))
    return result


def differences(state: ClusterState) -> list[str]:
    """Return every counter of the state that is not what its nodes add up to."""
    wrong: list[str] = []
    if dict(state.room_count) != dict(Counter(room.index for room in state.room_of)):
        wrong.append("room_count")
    for trees in state.trees:
        tree = trees.tree
        if [trees.room_ids[tree.position[node]] for node in range(len(state.nodes))] != [
            room.index for room in state.room_of
        ]:
            wrong.append(f"{tree.name}: room_ids")
        for level, counts in enumerate(trees.free):
            slots = [0] * len(counts)
            for node, room in enumerate(state.room_of):
                slots[tree.domain_of[level][node]] += room.slots
            if slots != counts:
                wrong.append(f"{tree.name}: free at level {level}")
        for kind, counts in enumerate(trees.whole):
            whole = [0] * len(counts)
            for node, room in enumerate(state.room_of):
                if tree.depth and room.wholly and state.class_of[room.spec.cards] == kind:
                    whole[tree.domain_of[-1][node]] += 1
            if whole != counts:
                wrong.append(f"{tree.name}: whole nodes of class {kind}")
    return wrong
