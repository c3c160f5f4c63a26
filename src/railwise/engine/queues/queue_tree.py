"""The tree of queues: which of them serve at all, and what each may and does hold.

Workloads go to leaf queues; what a leaf holds its ancestors hold too. Queues in a circle or below an unknown parent
stand in no tree and serve nobody; the rest of the tree is not touched by that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from railwise.engine.gangs.charges import GPU, Amounts, add
from railwise.engine.queues.siblings import Siblings
from railwise.model.queue import Queue
from railwise.model.reason import Code

DEFAULT_QUEUE: Final = "default"

TOP: Final = ""
"""The name of what stands above all queues: the cluster."""


class QueueTree:
    """The queues of a scenario with what they hold; ``firm`` is the part that is not preemptible.

    ``weights`` are those that count now, in thousandths divided by ``finer``. ``added_default`` tells that nobody
    declared the queue `default`.
    ``downward`` are those with children, parents first; ``upward`` are all sound queues, children first; ``siblings``
    is kept for whoever shares among them. ``journal`` names the queues whose books changed since turns were opened.
    """

    def __init__(self, queues: Iterable[Queue]) -> None:
        """Sort sound queues from the others and add up quotas of parents that have none of their own."""
        self.by_name: Final = {queue.name: queue for queue in queues}
        self.declared: Final = bool(self.by_name)
        self.added_default: Final = DEFAULT_QUEUE not in self.by_name
        self.by_name.setdefault(DEFAULT_QUEUE, Queue(DEFAULT_QUEUE))
        self.sound: Final = {name for name in self.by_name if self._reaches_top(name)}
        self.children: Final[dict[str, list[str]]] = {TOP: []}
        for name in self.by_name:
            if name in self.sound:
                self.children.setdefault(self.by_name[name].parent, []).append(name)
        self.held: Final[dict[str, Amounts]] = {name: {} for name in self.sound}
        self.firm: Final[dict[str, Amounts]] = {name: {} for name in self.sound}
        self.weights: Final = {name: self.by_name[name].weight for name in self.sound}
        self.finer = 1
        self.journal: Final[list[str]] = []
        self._chains: Final = {name: self._chain(name) for name in self.sound}
        self.quota: Final[dict[str, Amounts]] = {}
        for name in self.children[TOP]:
            self._add_up(name)
        self.any_quota: Final = any(self.by_name[name].quota for name in self.sound)
        named = {resource for name in self.sound for resource in (*self.by_name[name].quota, *self.by_name[name].limit)}
        self.counted: Final[tuple[str, ...]] = tuple(sorted({GPU, *named}))
        self.downward: Final = self._downward()
        self.upward: Final = {
            name: self.by_name[name] for parent in reversed(self.downward) for name in self.children[parent]
        }
        self.siblings: Final[dict[tuple[str, str], Siblings]] = {}

    def _downward(self) -> list[str]:
        """Return those that have queues below them, each after what stands above it."""
        found = [TOP]
        for parent in found:
            found += [name for name in self.children[parent] if name in self.children]
        return found

    def _reaches_top(self, name: str) -> bool:
        seen: set[str] = set()
        while name:
            if name in seen or name not in self.by_name:
                return False
            seen.add(name)
            name = self.by_name[name].parent
        return True

    def _add_up(self, name: str) -> Amounts:
        below: Amounts = {}
        for child in self.children.get(name, []):
            for resource, amount in self._add_up(child).items():
                below[resource] = below.get(resource, 0) + amount
        own = self.by_name[name].quota
        self.quota[name] = {**below, **own} if own else below
        limit = self.by_name[name].limit
        for resource, most in limit.items():
            if self.quota[name].get(resource, 0) > most:
                self.quota[name][resource] = most
        return self.quota[name]

    def counts(self, name: str, resource: str) -> bool:
        """Return whether a resource counts in a queue: GPUs always, others where its quota or limit names them."""
        return resource == GPU or resource in self.quota[name] or resource in self.by_name[name].limit

    def chain(self, name: str) -> list[Queue]:
        """Return a sound queue and the queues above it, from below; not to be changed."""
        return self._chains.get(name, [])

    def _chain(self, name: str) -> list[Queue]:
        found: list[Queue] = []
        while name:
            found.append(self.by_name[name])
            name = self.by_name[name].parent
        return found

    def refuses(self, name: str) -> tuple[Code | None, str]:
        """Return why a queue serves nobody (code, text), or (None, "") where it does."""
        if name not in self.by_name:
            known = ", ".join(sorted(self.by_name)) or DEFAULT_QUEUE
            return Code.UNKNOWN_QUEUE, f"there is no queue '{name}' (known: {known})"
        if name not in self.sound:
            return Code.UNKNOWN_QUEUE, f"queue '{name}' stands in no tree: its parents are unknown or form a circle"
        if name in self.children:
            below = ", ".join(sorted(self.children[name]))
            return Code.UNKNOWN_QUEUE, f"queue '{name}' has queues below it and takes no workloads itself (use {below})"
        for queue in self.chain(name):
            if queue.stopped:
                return Code.QUEUE_STOPPED, f"queue '{queue.name}' is stopped"
        return None, ""

    def charge(self, name: str, amounts: Amounts, times: int, *, firm: bool) -> None:
        """Count amounts in a queue and all queues above it; ``times`` -1 takes them back."""
        if not self.declared:
            return
        self.journal.append(name)
        for queue in self.chain(name):
            add(self.held[queue.name], amounts, times)
            if firm:
                add(self.firm[queue.name], amounts, times)

    def over_limit(self, name: str, amounts: Amounts) -> str:
        """Return which limit the amounts would break, empty where none."""
        for queue in self.chain(name):
            held = self.held[queue.name]
            for resource, limit in sorted(queue.limit.items()):
                asked = amounts.get(resource, 0)
                if asked and held.get(resource, 0) + asked > limit:
                    return (
                        f"queue '{queue.name}' may hold {shown(resource, limit)} and holds "
                        f"{shown(resource, held.get(resource, 0))}; {shown(resource, asked)} more are asked for"
                    )
        return ""

    def over_quota(self, name: str, amounts: Amounts) -> str:
        """Return which quota the amounts would exceed together with what is not preemptible there, empty where none."""
        if not self.any_quota:
            return ""
        for queue in self.chain(name):
            quota, firm = self.quota[queue.name], self.firm[queue.name]
            for resource in self.counted:
                asked = amounts.get(resource, 0)
                if not asked or (resource != GPU and resource not in quota):
                    continue
                if firm.get(resource, 0) + asked > quota.get(resource, 0):
                    return (
                        f"not preemptible work counts inside quota only: queue '{queue.name}' has a quota of "
                        f"{shown(resource, quota.get(resource, 0))}, {shown(resource, firm.get(resource, 0))} of it "
                        f"taken by such work; {shown(resource, asked)} more are asked for"
                    )
        return ""

    def not_lent(self, name: str, amounts: Amounts, capacity: Amounts) -> str:
        """Return why the amounts cannot be borrowed now, empty where they can (or need not be)."""
        if not self.any_quota:
            return ""
        for resource in self.counted:
            asked = amounts.get(resource, 0)
            if asked and name in self.sound:
                text = self._not_lent(name, resource, self.held[name].get(resource, 0) + asked, capacity)
                if text:
                    return text
        return ""

    def _not_lent(self, name: str, resource: str, wanted: int, capacity: Amounts) -> str:
        """Climb until the queue is within its quota, counting at each level what siblings use or keep back."""
        while name:
            quota = self.quota[name]
            if wanted <= quota.get(resource, 0) or (resource != GPU and resource not in quota):
                return ""
            parent = self.by_name[name].parent
            others = sum(self.claimed(sibling, resource) for sibling in self.children[parent] if sibling != name)
            if parent == TOP:
                room = capacity.get(resource, 0) - others
                if wanted > room:
                    return (
                        f"queue '{name}' would hold {shown(resource, wanted)}, and its siblings leave "
                        f"{shown(resource, max(room, 0))} (what they use, or keep back of their quota)"
                    )
                return ""
            wanted += others
            name = parent
        return ""

    def claimed(self, name: str, resource: str) -> int:
        """Return what a queue uses or keeps back of its quota, whichever is more."""
        return max(self.held[name].get(resource, 0), self.kept(name, resource))

    def kept(self, name: str, resource: str) -> int:
        """Return the part of a queue's quota that is not lent."""
        lend = self.by_name[name].lend
        if lend is None or resource not in lend:
            return 0
        return max(self.quota[name].get(resource, 0) - lend[resource], 0)

    def within_quota(self, name: str, amounts: Amounts) -> bool:
        """Return whether a queue ends within its nominal quota with these amounts more, in every resource asked for."""
        quota, held = self.quota[name], self.held[name]
        for resource in self.counted:
            asked = amounts.get(resource, 0)
            counts = resource == GPU or resource in quota
            if asked and counts and held.get(resource, 0) + asked > quota.get(resource, 0):
                return False
        return True


def shown(resource: str, amount: int) -> str:
    """Return an amount for people: ``12 GPUs``, ``64 cpu``, ``512Gi memory``."""
    if resource == GPU:
        whole, part = divmod(amount, 1000)
        text = f"{whole}.{part:03d}".rstrip("0").rstrip(".") if part else str(whole)
        return f"{text} GPU{'' if text == '1' else 's'}"
    if resource == "cpu":
        return f"{amount}m cpu" if amount % 1000 else f"{amount // 1000} cpu"
    if resource == "memory":
        return f"{amount}Mi memory" if amount % 1024 else f"{amount // 1024}Gi memory"
    return f"{amount} {resource}"
