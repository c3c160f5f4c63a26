"""What the document says runs already when a run begins: since when, how many pods, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from railwise.model.workload import Group


class Found(NamedTuple):
    """A pod that runs by the document: number of its leaf group in document order, rank, group path, node."""

    leaf: int
    rank: int
    path: str
    node: str

    def name(self, workload: str) -> str:
        """Return the pod's name."""
        return f"{workload}-{self.path.replace('/', '-')}-{self.rank}" if self.path else f"{workload}-{self.rank}"


def runs(group: Group) -> bool:
    """Return whether the document says that anything of a group runs."""
    return group.running is not None or any(runs(child) for child in group.groups)


def running_since(group: Group) -> int | None:
    """Return since when any pod of a group runs, µs; None where none does."""
    times = [since for child in group.groups if (since := running_since(child)) is not None]
    if group.running is not None and any(group.running.nodes):
        times.append(group.running.since)
    return min(times, default=None)


def found(root: Group) -> list[Found]:
    """Return the pods of a workload that run by the document, group by group, by rank."""
    return [
        Found(number, rank, path, node)
        for number, (path, leaf) in enumerate(_leaves(root, ""))
        if leaf.running is not None
        for rank, node in enumerate(leaf.running.nodes[: leaf.pods])
        if node is not None
    ]


def _leaves(group: Group, path: str) -> Iterator[tuple[str, Group]]:
    if not group.groups:
        yield path, group
    for child in group.groups:
        yield from _leaves(child, f"{path}/{child.name}" if path else child.name)
