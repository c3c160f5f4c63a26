"""The cluster over time in a bounded number of samples, however long a run lasts and however much happens in it.

Every moment gets a sample at first. Once there are too many, samples are joined two by two, and from then on a sample
stands for no less time than the joined ones do: so a short run is kept exactly, and a month of a large cluster costs no
more than a day. Means stay exact, since what is joined is weighted by its time; what is counted only now and then
(slots left, shares of queues) is counted when a sample begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from railwise.report.run_data import Sample
from railwise.twin.link_loads import LinkSample

MOST = 256
"""At most so many samples are kept."""


class Level(NamedTuple):
    """What holds from one moment to the next: cards in use and usable, workloads, and GPUs asked for (thousandths)."""

    held: int = 0
    usable: int = 0
    running: int = 0
    waiting: int = 0
    wanted: int = 0


class Counts(NamedTuple):
    """What is counted when a sample begins; see ``Sample``."""

    free: int
    stranded: int
    slots: tuple[int, ...]
    queues: tuple[tuple[int, int], ...]


class Sampler:
    """Collects samples of one run."""

    def __init__(self, most: int = MOST) -> None:
        """Start with none; ``most`` is an even number of samples."""
        self.most: Final = most
        self.samples: list[Sample] = []
        self._level = Level()
        self._at = 0
        self._sums = [0] * len(Level())
        self._begun: tuple[int, Counts] | None = None
        self._least = 0

    def step(self, now: int, level: Level, count: Callable[[], Counts]) -> None:
        """Take note that from ``now`` µs on things are as ``level`` says; ``count`` is called where a sample begins."""
        self._pass(now)
        if self._begun is None or (now > self._begun[0] and now - self._begun[0] >= self._least):
            self._close(now)
            self._begun = (now, count())
        self._level = level

    def begun(self) -> bool:
        """Return whether any moment was taken note of."""
        return self._begun is not None

    def finish(self, now: int) -> tuple[Sample, ...]:
        """Return all samples up to ``now``."""
        self._pass(now)
        self._close(now)
        self._begun = None
        return tuple(self.samples)

    def _pass(self, now: int) -> None:
        for index, value in enumerate(self._level):
            self._sums[index] += value * (now - self._at)
        self._at = now

    def _close(self, now: int) -> None:
        if self._begun is None:
            self._sums = [0] * len(self._sums)
            return
        at, counts = self._begun
        if now > at:
            scale = (1000, 1000, 1000, 1000, 1)
            held, usable, running, waiting, wanted = (
                times * total // (now - at) for times, total in zip(scale, self._sums, strict=True)
            )
            free, stranded, slots, queues = counts
            self.samples.append(
                Sample(at, now - at, held, usable, running, waiting, wanted, free, stranded, slots, queues)
            )
            if len(self.samples) >= self.most:
                self._join()
        self._sums = [0] * len(self._sums)

    def _join(self) -> None:
        """Join samples two by two; counts are those of the first of two."""
        pairs = zip(self.samples[::2], self.samples[1::2], strict=True)
        self.samples = [_joined(first, second) for first, second in pairs]
        total = self.samples[-1].at + self.samples[-1].span - self.samples[0].at
        self._least = max(2 * self._least, total // len(self.samples))


def _joined(first: Sample, second: Sample) -> Sample:
    span = first.span + second.span
    names = ("held", "usable", "running", "waiting", "wanted")
    means = {name: (getattr(first, name) * first.span + getattr(second, name) * second.span) // span for name in names}
    return first._replace(span=span, **means)


def thinned(samples: Sequence[LinkSample], end: int, most: int = MOST) -> list[LinkSample]:
    """Return at most so many samples for many: means over equal spans of time, and the highest peak in each."""
    if len(samples) <= most:
        return list(samples)
    start = samples[0].at
    span = -(-(end - start) // most)
    sums = [0] * most
    peaks = [0] * most
    for index, one in enumerate(samples):
        at, until = one.at, samples[index + 1].at if index + 1 < len(samples) else end
        while at < until:
            slot = (at - start) // span
            step = min(until, start + (slot + 1) * span)
            sums[slot] += one.mean * (step - at)
            peaks[slot] = max(peaks[slot], one.peak)
            at = step
    used = [slot for slot in range(most) if start + slot * span < end]
    return [
        LinkSample(
            start + slot * span, sums[slot] // (min(start + (slot + 1) * span, end) - start - slot * span), peaks[slot]
        )
        for slot in used
    ]
