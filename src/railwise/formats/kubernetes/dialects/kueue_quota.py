"""Kueue's amounts: by resource and flavor there, by resource here, and what a cohort holds with all below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from railwise.formats.kubernetes.dialects.kueue_schema import ResourceGroup
from railwise.formats.kubernetes.dialects.measures import GPU, queue_amounts
from railwise.formats.kubernetes.names import ObjectName
from railwise.model.errors import Fault
from railwise.model.queue import Queue


@dataclass
class Amounts:
    """Amounts per resource, all flavors together; ``borrow`` and ``lend`` hold those that have a limit."""

    nominal: dict[str, int] = field(default_factory=dict)
    borrow: dict[str, int] = field(default_factory=dict)
    lend: dict[str, int] = field(default_factory=dict)

    def lent(self, quota: Mapping[str, int]) -> dict[str, int] | None:
        """Return how much of a quota may be lent; None: all of it."""
        return {resource: self.lend.get(resource, amount) for resource, amount in quota.items()} if self.lend else None


def amounts_of(groups: Sequence[ResourceGroup], where: str, faults: list[Fault]) -> Amounts:
    """Return what groups of resources hold; one flavor without a limit makes the resource one without."""
    found = Amounts()
    free: dict[str, set[str]] = {"borrow": set(), "lend": set()}
    for number, group in enumerate(groups):
        for place, flavor in enumerate(group.flavors):
            for index, one in enumerate(flavor.resources):
                path = f"{where}[{number}].flavors[{place}].resources[{index}]"
                _add(found.nominal, queue_amounts({one.name: one.nominal_quota}, path, faults))
                for name, limit in (("borrow", one.borrowing_limit), ("lend", one.lending_limit)):
                    amounts = queue_amounts({one.name: 0 if limit is None else limit}, path, faults)
                    _add(getattr(found, name), amounts)
                    if limit is None:
                        free[name].update(amounts)
    for name, resources in free.items():
        for resource in resources:
            getattr(found, name).pop(resource, None)
    return found


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for resource, amount in more.items():
        total[resource] = total.get(resource, 0) + amount


def of_cluster_queue(amounts: Amounts, *, alone: bool) -> Queue:
    """Return the amounts of a ClusterQueue; ``alone``: it is in no cohort, so nobody lends it anything."""
    nominal = amounts.nominal
    ceiling = {
        resource: amount + (0 if alone else amounts.borrow[resource])
        for resource, amount in nominal.items()
        if alone or resource in amounts.borrow
    }
    if GPU not in nominal:
        ceiling[GPU] = 0
    return Queue("", quota=dict(nominal), limit=ceiling, lend=amounts.lent(nominal))


def of_cohort(amounts: Amounts, total: Mapping[str, int], *, root: bool) -> Queue:
    """Return the amounts of a cohort that holds ``total`` with all below it; the root borrows from nobody."""
    if root:
        ceiling = {**total, GPU: total.get(GPU, 0)}
    else:
        ceiling = {resource: total.get(resource, 0) + more for resource, more in amounts.borrow.items()}
    quota = dict(total) if amounts.nominal else {}
    return Queue("", quota=quota, limit=ceiling, lend=amounts.lent(quota))


def totals(
    own: Mapping[ObjectName, Amounts], parents: Mapping[ObjectName, ObjectName | None]
) -> dict[ObjectName, dict[str, int]]:
    """Return what each queue and cohort holds with all below it; a circle holds nothing but its own."""
    found: dict[ObjectName, dict[str, int]] = {key: {} for key in own}
    for key, amounts in own.items():
        seen: set[ObjectName] = set()
        above: ObjectName | None = key
        while above is not None and above not in seen:
            seen.add(above)
            if above in found:
                _add(found[above], amounts.nominal)
            above = parents.get(above)
    return found
