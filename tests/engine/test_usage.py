"""Past usage lowers weights: the power of two, time that passes, and whose turn it is then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railwise.engine.cycle import Engine
from railwise.engine.events import Event, Finish, Submit
from railwise.engine.gangs.charges import GPU
from railwise.engine.queues.queue_tree import QueueTree
from railwise.engine.queues.usage import FINER, ONE, Usage, half_to
from railwise.model.policy import Policy
from railwise.model.queue import Queue
from railwise.model.workload import Group, Running, Workload
from tests.engine.small import flat, gang, request, scenario

HOUR = 3_600_000_000
A, B = Queue("a"), Queue("b")

times = st.integers(0, 10**15)
lives = st.integers(1, 10**14)


def _engine(queues: Sequence[Queue], *workloads: Workload, half_life: int = 24 * HOUR) -> Engine:
    return Engine(
        replace(
            scenario(flat(8), *workloads), topologies=(), queues=tuple(queues), policy=Policy(usage_half_life=half_life)
        )
    )


def _in(queue: str, name: str, order: int = 0) -> Workload:
    return replace(gang(name, 1, request(8)), queue=queue, order=order)


def _usage(half_life: int = HOUR, **held: int) -> Usage:
    tree = QueueTree([Queue(name) for name in held])
    for name, cards in held.items():
        tree.charge(name, {GPU: 1000 * cards}, 1, firm=False)
    return Usage(tree, half_life)


# --- Powers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [0, 1, 2, 10, 63, 64, 1000])
def test_whole_powers_are_exact(whole: int) -> None:
    assert half_to(whole, 1) == half_to(7 * whole, 7) == (ONE >> whole if whole < 64 else 0)


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        (1, 2, "0.70710678118654752"),
        (1, 3, "0.79370052598409973"),
        (5, 7, "0.60950682710223770"),
        (9, 4, "0.2102241038"),
    ],
)
def test_powers_between_are_right_to_nine_places(numerator: int, denominator: int, expected: str) -> None:
    assert abs(Fraction(half_to(numerator, denominator), ONE) - Fraction(expected)) < Fraction(1, 10**9)


@given(times, times, lives)
def test_more_is_never_more(one: int, more: int, life: int) -> None:
    assert 0 <= half_to(one + more, life) <= half_to(one, life) <= ONE


@given(times, times, lives)
def test_powers_multiply(one: int, other: int, life: int) -> None:
    product = half_to(one, life) * half_to(other, life) // ONE
    assert abs(half_to(one + other, life) - product) <= ONE >> 30


# --- Time ------------------------------------------------------------------------------------------------------------


def test_who_holds_for_one_half_life_is_half_way() -> None:
    usage = _usage(a=8, b=0)
    usage.elapse(0)
    usage.elapse(HOUR)
    assert usage.average == {"a": 4000 * ONE, "b": 0, "default": 0}
    usage.tree.charge("a", {GPU: 8000}, -1, firm=False)
    usage.elapse(2 * HOUR)
    assert usage.average["a"] == 2000 * ONE


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=20))
def test_it_does_not_matter_how_time_is_cut(steps: list[int]) -> None:
    once, often = _usage(a=8), _usage(a=8)
    once.elapse(0)
    often.elapse(0)
    now = 0
    for step in steps:
        now += step
        often.elapse(now)
    once.elapse(now)
    assert abs(once.average["a"] - often.average["a"]) <= 8000 * (ONE >> 28)


def test_time_does_not_run_backwards() -> None:
    usage = _usage(a=8)
    usage.elapse(HOUR)
    usage.elapse(0)
    assert usage.average["a"] == 0


# --- Weights ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("used", "weights", "expected"),
    [
        ((0, 0), (1000, 1000), (1000, 1000)),
        ((5, 5), (1000, 1000), (500, 500)),  # just his part: half
        ((5, 0), (1000, 1000), (250, 1000)),  # all of it, being due half
        ((2, 1), (2000, 1000), (1000, 500)),
        ((3, 0), (3000, 1000), (3000 * Fraction("0.3968502630"), 1000)),  # all of it, being due three quarters
        ((5, 5), (0, 1000), (0, 1000 * Fraction("0.70710678118"))),
    ],
)
def test_weights_fall_with_the_part_of_what_was_used(
    used: tuple[int, int], weights: tuple[int, int], expected: tuple[Fraction, Fraction]
) -> None:
    tree = QueueTree([Queue("a", weight=weights[0]), Queue("b", weight=weights[1])])
    usage = Usage(tree, HOUR)
    usage.average.update(a=used[0] * ONE, b=used[1] * ONE)
    usage.weigh()
    found = [Fraction(tree.weights[name], tree.finer) for name in ("a", "b")]
    assert all(abs(one - other) < Fraction(1, 1000) for one, other in zip(found, expected, strict=True))


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=6), st.integers(0, 5), st.integers(1, 10**9))
def test_who_uses_more_never_weighs_more(used: list[int], who: int, more: int) -> None:
    names = [f"q{number}" for number in range(len(used))]
    who %= len(names)

    def weights(amounts: list[int]) -> dict[str, int]:
        tree = QueueTree([Queue(name) for name in names])
        usage = Usage(tree, HOUR)
        usage.average.update(zip(names, amounts, strict=True))
        usage.weigh()
        return tree.weights

    before = weights(used)
    after = weights([amount + (more if number == who else 0) for number, amount in enumerate(used)])
    assert before == weights(used)
    assert 1 <= after[names[who]] <= before[names[who]] <= 1000 * FINER
    assert all(after[name] >= before[name] for name in names if name != names[who])


def test_queues_are_compared_with_their_siblings() -> None:
    tree = QueueTree([Queue("left"), Queue("right"), Queue("a", "left"), Queue("b", "left"), Queue("c", "right")])
    usage = Usage(tree, HOUR)
    usage.adopt("a", 8000, 0, HOUR)
    usage.weigh()
    assert {name: tree.weights[name] // FINER for name in ("left", "right", "a", "b", "c")} == {
        "left": 250,
        "right": 1000,
        "a": 250,
        "b": 1000,
        "c": 1000,
    }


def test_default_counts_as_a_sibling_once_it_is_declared_or_used() -> None:
    weights: list[int] = []
    for queues, used in [([A], 0), ([A, Queue("default")], 0), ([A], 8000)]:
        tree = QueueTree(queues)
        usage = Usage(tree, HOUR)
        usage.adopt("a", 8000, 0, HOUR)
        usage.adopt("default", used, 0, HOUR)
        usage.weigh()
        weights.append(tree.weights["a"] // FINER)
    assert weights == [500, 250, 500]


# --- Turns -----------------------------------------------------------------------------------------------------------


def _started(engine: Engine, events: Sequence[Event], now: int) -> list[str]:
    plan = engine.cycle(events, now)
    return [one.name for one in plan.workloads if one.reason is None]


@pytest.mark.parametrize(("half_life", "first"), [(24 * HOUR, "b1"), (0, "a2")])
def test_who_used_the_node_before_waits_now(half_life: int, first: str) -> None:
    engine = _engine([A, B], _in("a", "a1"), half_life=half_life)
    assert _started(engine, (), 0) == ["a1"]
    waiting = [Submit(_in("a", "a2", 1)), Submit(_in("b", "b1", 2))]
    assert _started(engine, waiting, HOUR // 3) == []
    assert _started(engine, [Finish("a1")], HOUR) == [first]


def test_after_many_half_lives_all_is_forgotten() -> None:
    engine = _engine([A, B], _in("a", "a1"), half_life=HOUR)
    engine.cycle((), 0)
    engine.cycle([Finish("a1")], HOUR)
    assert _started(engine, [Submit(_in("a", "a2", 1)), Submit(_in("b", "b1", 2))], 40 * 24 * HOUR) == ["a2"]


def test_what_is_found_running_has_a_past() -> None:
    group = Group(pods=1, min_pods=1, request=request(8), running=Running(("n0",), -HOUR))
    engine = _engine([A, B], replace(_in("a", "a1"), root=group))
    engine.cycle((), 0)
    usage = engine.accounts.usage
    assert usage is not None
    assert usage.average["a"] == 8000 * (ONE - half_to(1, 24))
    assert usage.average["b"] == 0


def test_without_a_half_life_weights_are_as_declared() -> None:
    engine = _engine([A, B], half_life=0)
    engine.cycle((), HOUR)
    assert engine.accounts.usage is None
    assert (engine.accounts.tree.weights["a"], engine.accounts.tree.finer) == (1000, 1)
