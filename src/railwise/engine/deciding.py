"""One workload's turn: its minimum now, more pods later, or the reason why it waits.

A search answers where pods fit. What queues, promises and reservations forbid stands around the search as gates, and
what makes room is asked only when nothing was free.
"""

from __future__ import annotations

from typing import Final

from railwise.engine.eviction.evictor import Evictor, Room
from railwise.engine.eviction.loss import loss_of_gang
from railwise.engine.eviction.news import Evicted, News, taken_from
from railwise.engine.gangs.demand import Demand
from railwise.engine.gangs.record import Record
from railwise.engine.queues.accounts import Accounts
from railwise.engine.queues.guard import Guard, Rule, Search
from railwise.engine.reasons.verdict import Verdict
from railwise.engine.search.placement import Found
from railwise.engine.search.remembered import Remembered
from railwise.engine.search.sizing import find_lost, find_minimum, find_most
from railwise.engine.search.step_time import StepTime
from railwise.engine.workloads import Workloads
from railwise.model.reason import Code, Reason


class Decider:
    """Decides on one workload after the other, on the live state; ``rules`` stand around every search.

    ``lasting`` are those among them that hold at any time to come as well. ``step_time`` predicts times for
    alternatives, where links are known.
    """

    def __init__(
        self, workloads: Workloads, search: Search, accounts: Accounts, verdict: Verdict, *, evicts: bool
    ) -> None:
        """Keep the parts; ``evicts``: running workloads may have to make room."""
        self.workloads: Final = workloads
        self.search: Final = search
        self.accounts: Final = accounts
        self.verdict: Final = verdict
        self.rules: Final[list[Rule]] = []
        self.lasting: Final[list[Rule]] = []
        self.evictor: Final = Evictor(workloads, self.gate) if evicts else None
        self.news = News()
        self.step_time: StepTime | None = None

    def no_room_for(self, demand: Demand) -> bool:
        """Return whether equal pods, none of which runs, are known not to fit the state as it is."""
        return isinstance(self.search, Remembered) and self.search.knows(demand)

    def open_round(self) -> News:
        """Start a round, in which nothing has happened yet to anybody who runs."""
        self.news = News()
        return self.news

    def decide(self, record: Record) -> Reason | None:
        """Give a workload its minimum; return why not, None where it has it."""
        refusal = self._static_refusal(record)
        if refusal is not None:
            return refusal
        return self._start(record) if record.short() else None

    def grow(self, record: Record) -> None:
        """Give a workload as much surplus as fits; one that was placed in this round is placed again, whole."""
        guard = self.gate(record)
        workloads = self.workloads
        if record.started:
            grows = workloads.may_grow(record)
            grown = find_most(record.demand, guard.place) if grows else find_lost(record, guard.place)
            if isinstance(grown, Found) and grown.pods:
                self.put(record, grown)
            return
        freed = workloads.state.freed
        pods = workloads.take(record, list(record.pods))
        found = find_most(record.demand, guard.place)
        if found is not None and len(found.pods) > len(pods):
            self.put(record, found)
        else:
            workloads.restore(record, pods)
            workloads.state.freed = freed

    def put(self, record: Record, found: Found) -> None:
        """Carry out what a search found."""
        if found.pods or not record.pods:
            record.met, record.exact = found.met, found.exact
        self.workloads.place(record, found.pods)

    def rearrange(self, record: Record, most: int, lost: int) -> bool:
        """Start a workload by moves of at most ``most`` others, at ``lost`` GPU-seconds (0: any); return whether."""
        if self.evictor is None or not record.workload.preempts:
            return False
        ways = self.alternatives(record)
        return self._take(record, self.evictor.move_others(record, ways, self.search.place, most, lost))

    def rehouse(self) -> None:
        """Let those who had to stop run on where the rest of the round has left room for all of them."""
        if self.evictor is not None and self.news.evicted:
            self.evictor.rehouse([one for one in self.news.evicted if not one.record.pods])

    def gate(self, record: Record) -> Guard:
        """Return a workload's view of the search."""
        return self.accounts.guard(record, self.search, self.rules)

    def alternatives(self, record: Record) -> list[int]:
        """Return the demands that may be tried, best first."""
        ways = record.workload.alternatives
        if ways and not record.started:
            return sorted(range(len(record.demands)), key=lambda index: (ways[index].slowdown, index))
        return [record.current]

    def timed(self, record: Record) -> bool:
        """Return whether alternatives have to be told apart by their predicted times."""
        timing = self.step_time
        if timing is None or record.started or not record.workload.alternatives:
            return False
        return all(timing.known(demand) for demand in record.demands)

    def quickest_way(self, record: Record, ways: list[tuple[int, Found]]) -> tuple[int, Found]:
        """Return the alternative with the least slowdown × predicted time, the first listed among equals.

        Where one of them says nothing over any link, its time is not known, and the slowdown alone decides.
        """
        timing, given = self.step_time, record.workload.alternatives
        if timing is None:
            return ways[0]
        times = [timing.nanoseconds(record.demands[index], found.pods) for index, found in ways]
        if min(times) == 0:
            return ways[0]
        slowed = [(given[index].slowdown * time, index) for (index, _), time in zip(ways, times, strict=True)]
        return ways[slowed.index(min(slowed))]

    def _static_refusal(self, record: Record) -> Reason | None:
        """Return the reason that lies in the workload or its queue, whatever is free."""
        workload = record.workload
        if workload.invalid:
            return self.verdict.plain(Code.INVALID_REQUEST, workload.invalid)
        code, text = self.accounts.tree.refuses(workload.queue)
        if code == Code.UNKNOWN_QUEUE:
            return self.verdict.plain(code, text)
        if record.unreadable is not None:
            return self.verdict.plain(record.unreadable.code, record.unreadable.text)
        if workload.suspend and not record.pods:
            return self.verdict.plain(Code.SUSPENDED, "the workload is suspended")
        if code is not None and not record.pods:
            return self.verdict.plain(code, text)
        if workload.unsupported and (not record.started or record.short()):
            return self.verdict.plain(Code.UNSUPPORTED, workload.unsupported)
        if record.demand.unsupported and (not record.started or record.short()):
            return self.verdict.plain(
                Code.UNSUPPORTED, "MIG slices and time slices are not placed yet; refused rather than guessed"
            )
        return None

    def _start(self, record: Record) -> Reason | None:
        guard = self.gate(record)
        proven = True
        ways: list[tuple[int, Found]] = []
        timed = self.timed(record)
        for index in self.alternatives(record):
            found = find_minimum(record.demands[index], guard.place)
            if isinstance(found, Found):
                ways.append((index, found))
                if not timed:
                    break
            else:
                proven = proven and found.proven
        if ways:
            index, found = self.quickest_way(record, ways) if len(ways) > 1 else ways[0]
            record.choose(index)
            self.put(record, found)
            return None
        if self._make_room(record):
            return None
        refusal = guard.headline()
        if refusal is not None:
            return self.verdict.plain(*refusal)
        if self._move_others(record) or self._restart(record):
            return None
        return self.verdict.refuse(record.demands[0], proven=proven)

    def _make_room(self, record: Record) -> bool:
        """Let others stop or move for a workload that found no room; return whether it has its minimum then."""
        if self.evictor is None or not record.workload.preempts:
            return False
        ways = self.alternatives(record)
        room = self.evictor.make_room(record, ways) or self.evictor.move_for_promise(record, ways, self.search.place)
        return self._take(record, room)

    def _move_others(self, record: Record) -> bool:
        """Let others go elsewhere, where the policy allows so many moves; return whether that made room."""
        policy = self.workloads.state.policy
        if not policy.defrag_max_moves:
            return False
        return self.rearrange(record, policy.defrag_max_moves, policy.defrag_max_lost)

    def _take(self, record: Record, room: Room | None) -> bool:
        if room is None or self.evictor is None:
            return False
        record.choose(room.demand)
        self.put(record, room.found)
        self.news.evicted.extend(room.gone)
        self.evictor.rehouse(room.gone)
        return True

    def _restart(self, record: Record) -> bool:
        """Start a gang that lost pods anew elsewhere, whole; what survived keeps its place where that cannot be.

        When it has waited for its repair for so long (``repairWait``), it gives up its places and waits like a new one.
        """
        if not record.started or not record.pods:
            return False
        workloads = self.workloads
        now = workloads.now
        survivors = list(record.pods)
        cards = taken_from(record, survivors, workloads.state)
        lost = loss_of_gang(record, workloads.state, now)
        freed = workloads.state.freed
        pods = workloads.take(record, survivors)
        found = find_minimum(record.demand, self.gate(record).place)
        if isinstance(found, Found):
            self.put(record, found)
            why = "restarted whole: what it lost fits nowhere beside the rest"
            self.news.restarted.append(Evicted(record, pods, cards, record, lost, why))
            return True
        workloads.restore(record, pods)
        workloads.state.freed = freed
        if record.broken is not None and now - record.broken >= workloads.state.policy.repair_wait:
            workloads.stop(record, survivors)
        return False
