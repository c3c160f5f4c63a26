"""Samples over time: exact while there are few, joined when there are many, and no time is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.twin.sampling import Counts, Level, Sampler

STEPS = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 64), st.integers(0, 9)), min_size=1, max_size=120)


def sampled(steps: list[tuple[int, int, int]], most: int, end: int) -> Sampler:
    sampler = Sampler(most)
    for now, held, waiting in steps:
        level = Level(held=held, usable=64, running=1, waiting=waiting, wanted=1000 * waiting)
        sampler.step(now, level, lambda held=held: Counts(64 - held, 0, (), ()))  # type: ignore[misc]
    sampler.finish(end)
    return sampler


@given(STEPS, st.sampled_from([2, 4, 16]))
def test_samples_cover_the_run_and_keep_its_means(steps: list[tuple[int, int, int]], most: int) -> None:
    steps = sorted(steps)
    end = steps[-1][0] + 10
    samples = sampled(steps, most, end).samples
    assert len(samples) <= most
    assert [one.at for one in samples[1:]] == [one.at + one.span for one in samples[:-1]]
    assert samples[0].at == steps[0][0]
    assert samples[-1].at + samples[-1].span == end
    ends = [now for now, _, _ in steps[1:]] + [end]
    exact = sum(held * (until - now) for (now, held, _), until in zip(steps, ends, strict=True))
    kept = sum(one.held * one.span for one in samples) / 1000
    assert abs(kept - exact) <= sum(one.span for one in samples) * 8 / 1000


def test_few_moments_are_kept_as_they_are() -> None:
    samples = sampled([(0, 8, 0), (10, 16, 2), (30, 0, 0)], 16, 40).samples
    assert [(one.at, one.span, one.held, one.waiting, one.wanted, one.free) for one in samples] == [
        (0, 10, 8000, 0, 0, 56),
        (10, 20, 16000, 2000, 2000, 48),
        (30, 10, 0, 0, 0, 64),
    ]


def test_counting_gets_rarer_as_a_run_gets_longer() -> None:
    asked: list[int] = []
    sampler = Sampler(16)

    def count(now: int) -> Counts:
        asked.append(now)
        return Counts(0, 0, (), ())

    for now in range(10_000):
        sampler.step(now, Level(held=1), lambda now=now: count(now))  # type: ignore[misc]
    assert len(sampler.finish(10_000)) <= 16
    assert len(asked) < 200
