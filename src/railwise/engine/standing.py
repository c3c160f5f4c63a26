"""How every queue stands: what it is promised, due, holds, borrows, lends and waits for, and how its share came about.

The same books as a round opens, before anything is decided; so what is shown is what the next decision goes by.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from railwise.engine.cycle import Engine
from railwise.engine.gangs.charges import GPU, Amounts, add
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.lending import all_lent, borrowed
from railwise.engine.queues.order import Turns
from railwise.engine.queues.queue_shares import Steps, queue_shares
from railwise.engine.queues.queue_tree import DEFAULT_QUEUE, TOP
from railwise.model.queue import Queue
from railwise.model.scenario import Scenario


@dataclass(frozen=True)
class Standing:
    """One queue, amounts per resource in base units (gpu: thousandths, cpu: millicores, memory: MiB).

    ``depth`` counts from the top of the tree; ``sound`` is False for a queue that stands in no tree and serves nobody.
    ``quota`` is its own or the sum of its children's; ``pending`` what waiting workloads, and surplus of running ones,
    ask for, without what can never run. ``share`` is allocated ÷ fair share of the ``dominant`` resource (None:
    something is held, nothing is due). ``running`` and ``waiting`` count its workloads and those of the queues below.
    ``used`` is its part of the GPU time that it and its siblings used (None: past usage does not count), ``weight`` in
    thousandths what its own counts for that.
    """

    queue: Queue
    depth: int
    sound: bool
    quota: Amounts
    fair: Amounts = field(default_factory=dict)
    allocated: Amounts = field(default_factory=dict)
    borrowed: Amounts = field(default_factory=dict)
    lent: Amounts = field(default_factory=dict)
    pending: Amounts = field(default_factory=dict)
    share: Fraction | None = Fraction(0)
    dominant: str = GPU
    running: int = 0
    waiting: int = 0
    used: Fraction | None = None
    weight: Fraction = Fraction(1000)


@dataclass(frozen=True)
class Books:
    """All queues depth first; what there is; which resources count; the steps by (parent queue, resource)."""

    queues: tuple[Standing, ...]
    capacity: Amounts
    counted: tuple[str, ...]
    steps: Steps

    def of(self, name: str) -> Standing | None:
        """Return a queue by its name."""
        return next((one for one in self.queues if one.queue.name == name), None)


def books(scenario: Scenario, asked: str = "") -> Books:
    """Return how the queues of a scenario stand before the next decision.

    The queue ``default`` is among them where it is declared, used or ``asked`` for.
    """
    known = scenario if scenario.queues else replace(scenario, queues=(Queue(DEFAULT_QUEUE),))
    engine = Engine(known)
    engine.workloads.book(known.workloads)
    accounts = engine.accounts
    accounts.open_round(engine.records)
    steps: Steps = {}
    queue_shares(accounts.tree, accounts.demand, accounts.capacity, steps)
    used = {workload.queue for workload in scenario.workloads} | {queue.name for queue in known.queues} | {asked}
    rows = _Rows(accounts, engine)
    names = [name for name in _depth_first(accounts, TOP) if name in used]
    lost = [name for name in accounts.tree.by_name if name not in accounts.tree.sound]
    queues = [*(rows.standing(name) for name in names), *(rows.unsound(name) for name in lost)]
    return Books(tuple(queues), dict(accounts.capacity), accounts.tree.counted, steps)


def _depth_first(accounts: Accounts, parent: str) -> list[str]:
    found: list[str] = []
    for name in accounts.tree.children.get(parent, []):
        found += [name, *_depth_first(accounts, name)]
    return found


class _Rows:
    """Makes a row a queue from the books of an open round."""

    def __init__(self, accounts: Accounts, engine: Engine) -> None:
        self.accounts: Final = accounts
        self.tree: Final = accounts.tree
        self.lent: Final = all_lent(accounts.tree, accounts.capacity)
        self.turns: Final = Turns((), accounts.tree, accounts.shares)
        self.running: Final[dict[str, int]] = {}
        self.waiting: Final[dict[str, int]] = {}
        for record in engine.records.values():
            counts = self.running if record.pods else self.waiting
            name = record.workload.queue
            for one in [queue.name for queue in self.tree.chain(name)] or [name]:
                counts[one] = counts.get(one, 0) + 1

    def standing(self, name: str) -> Standing:
        """Return the row of a queue of the tree."""
        tree, accounts = self.tree, self.accounts
        over = {resource: borrowed(tree, name, resource) for resource in tree.counted}
        share, dominant = self._share(name)
        return Standing(
            queue=tree.by_name[name],
            depth=len(tree.chain(name)) - 1,
            sound=True,
            quota=dict(tree.quota[name]),
            fair={resource: int(due) for resource, due in accounts.shares[name].items()},
            allocated=self._counted(tree.held[name]),
            borrowed={resource: amount for resource, amount in over.items() if amount},
            lent=self.lent[name],
            pending=self._counted(self._pending(name)),
            share=share,
            dominant=dominant,
            running=self.running.get(name, 0),
            waiting=self.waiting.get(name, 0),
            used=self._used(name),
            weight=Fraction(tree.weights[name], tree.finer),
        )

    def _used(self, name: str) -> Fraction | None:
        usage = self.accounts.usage
        if usage is None:
            return None
        together = sum([usage.average[one] for one in self.tree.children[self.tree.by_name[name].parent]])
        return Fraction(usage.average[name], together) if together else Fraction(0)

    def unsound(self, name: str) -> Standing:
        """Return the row of a queue in no tree."""
        queue = self.tree.by_name[name]
        running, waiting = self.running.get(name, 0), self.waiting.get(name, 0)
        return Standing(queue, 0, sound=False, quota=queue.quota, running=running, waiting=waiting)

    def _counted(self, amounts: Amounts) -> Amounts:
        return {resource: amounts[resource] for resource in self.tree.counted if resource in amounts}

    def _pending(self, name: str) -> Amounts:
        total: Amounts = {}
        for child in self.tree.children.get(name, []):
            add(total, self._pending(child))
        add(total, self.accounts.demand.get(name, {}))
        if name in self.accounts.demand:
            add(total, self.tree.held[name], -1)
        return total

    def _share(self, name: str) -> tuple[Fraction | None, str]:
        """Return the share and the resource in which it is largest."""
        endless, share = self.turns.share_after(name, {})
        held, due = self.tree.held[name], self.accounts.shares[name]
        for resource in (GPU, *self.tree.counted):
            amount = held.get(resource, 0)
            if amount and ((endless and not due.get(resource)) or (not endless and amount == share * due[resource])):
                return None if endless else share, resource
        return Fraction(0), GPU
