"""What is packed for a page is what was there: read back by a reader of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.report import pack
from railwise.report.html.moments import cells, series
from railwise.report.run_data import ENDINGS, FINISHED, Stint
from tests.report.pages.made import HOUR, made


class Bytes:
    """Reads numbers as the page does."""

    def __init__(self, data: bytes) -> None:
        self.left = list(data)

    def byte(self) -> int:
        return self.left.pop(0)

    def number(self) -> int:
        value = self.byte()
        return value if value < 128 else value - 128 + 128 * self.number()

    def signed(self) -> int:
        value = self.number()
        return -(value + 1) // 2 if value % 2 else value // 2


@given(st.integers(0, 2**60))
def test_numbers(value: int) -> None:
    assert Bytes(pack.number(value)).number() == value


@given(st.integers(-(2**40), 2**40))
def test_signed_numbers(value: int) -> None:
    assert Bytes(pack.number(pack.signed(value))).signed() == value


@given(st.integers(1, 30).flatmap(lambda nodes: st.lists(st.binary(min_size=nodes, max_size=nodes), max_size=6)))
def test_frames(moments: list[bytes]) -> None:
    nodes = len(moments[0]) if moments else 3
    reader = Bytes(pack.frames(moments, nodes, 256))
    before = bytearray(nodes)
    for moment in moments:
        at = 0
        for _ in range(reader.number()):
            skipped, cell = divmod(reader.number(), 256)
            length = reader.number() + 2 if skipped % 2 else 1
            at += skipped // 2
            before[at : at + length] = bytes([cell]) * length
            at += length
        assert bytes(before) == moment
    assert not reader.left


PLACES = st.lists(st.tuples(st.integers(0, 19), st.sampled_from([500, 1000, 8000])), min_size=1, max_size=9)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 90), st.integers(0, 90), PLACES, st.booleans()), max_size=8)
)
def test_stints(drawn: list[tuple[int, int, int, list[tuple[int, int]], bool]]) -> None:
    place = [(7 * node) % 20 for node in range(20)]
    stints = [
        Stint(job, start, start + lasts, tuple(places), FINISHED, 2, works)
        for job, start, lasts, places, works in drawn
    ]
    reader = Bytes(pack.stints(stints, place, {job: 5 - job for job in range(6)}, 1))
    found = []
    start = 0
    for _ in range(reader.number()):
        job, start = reader.number(), start + reader.number()
        lasts, ending, spread = reader.number(), reader.byte(), reader.byte()
        on: dict[int, int] = {}
        at = 0
        for _ in range(reader.number()):
            at += reader.signed()
            length, coded = reader.number(), reader.number()
            for node in range(at, at + length):
                on[node] = coded // 2 * (1 if coded % 2 else 1000)
            at += length
        found.append((start, 5 - job, lasts, ENDINGS[ending % 4], ending < 4, spread, on))
    expected = []
    for one in sorted(stints, key=lambda stint: (stint.start, stint.job)):
        held: dict[int, int] = {}
        for node, gpus in one.places:
            held[place[node]] = held.get(place[node], 0) + gpus
        expected.append((one.start, one.job, one.end - one.start, one.ending, one.works, one.spread, held))
    assert found == expected
    assert not reader.left


def test_cells_are_what_the_stints_say_at_each_moment() -> None:
    comparison = made(40, 60)
    run, scenario = comparison.runs[1], comparison.scenario
    order = list(reversed(range(40)))
    times = [HOUR * hour for hour in range(48)]
    for now, moment in zip(times, cells(run, scenario, order, times), strict=True):
        for position, node in enumerate(order):
            here = [one for one in run.stints if one.start <= now < one.end and node in {at for at, _ in one.places}]
            held = sum(gpus for one in here for at, gpus in one.places if at == node)
            out = any(one.node == node and one.start <= now < one.end for one in run.outages)
            expected = pack.OUT if out else pack.FREE
            if here:
                expected = pack.in_use(max(one.spread for one in here), partly=held < 8000)
            assert moment[position] == expected


def test_series_count_who_runs_and_who_waits() -> None:
    comparison = made(40, 60)
    run, scenario = comparison.runs[1], comparison.scenario
    times = [HOUR * hour for hour in range(48)]
    held, running, waiting = series(run, scenario, times)
    for index, now in enumerate(times):
        here = [one for one in run.stints if one.start <= now < one.end]
        there = [
            1
            for job, workload in zip(run.jobs, scenario.workloads, strict=True)
            if workload.submit <= now and not 0 <= job.end <= now
        ]
        assert held[index] == sum(gpus for one in here for _, gpus in one.places) // 1000
        assert running[index] == len(here)
        assert waiting[index] == len(there) - len(here)
