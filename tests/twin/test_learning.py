"""Mix and sizes counted from what came."""

from __future__ import annotations

from railwise.model.policy import MixPod
from railwise.model.workload import CARDS_MIG, CARDS_SHARE, CARDS_WHOLE, CardRequest, CardRule, Group, Request, Workload
from railwise.twin.learning import learn


def asks(gpu: int, cpu: int = 0, pods: int = 1, models: tuple[str, ...] = ()) -> Group:
    cards = CardRequest()
    if gpu:
        cards = CardRequest(CARDS_SHARE, 1, gpu) if gpu < 1000 else CardRequest(CARDS_WHOLE, gpu // 1000)
    request = Request(cards, (("cpu", cpu),) if cpu else ())
    return Group(pods=pods, min_pods=pods, request=request, card_rule=CardRule(models))


def history(*roots: Group) -> list[Workload]:
    return [Workload(f"w{number}", root) for number, root in enumerate(roots)]


def test_kinds_are_counted_and_the_commonest_stand_first() -> None:
    roots = [asks(1000, 8000)] * 3 + [asks(500)] * 5 + [asks(1000, 4000)] + [asks(2000, 8000, models=("T4",))]
    learned = learn(history(*roots), 100)
    assert learned.mix == (MixPod(5, 500), MixPod(3, 1000, 8000), MixPod(1, 2000, 8000, ("T4",)), MixPod(1, 1000, 4000))
    assert (learned.workloads, learned.pods, learned.kinds, learned.left_out) == (10, 10, 4, 0)


def test_equal_counts_stand_by_more_cpu_then_more_of_a_card_then_more_cards_then_models() -> None:
    roots = [
        asks(500, 8000),
        asks(1000, 8000),
        asks(2000, 8000),
        asks(0, 9000),
        asks(1000, 8000, models=("A",)),
        asks(1000, 8000, models=("B",)),
    ]
    mix = learn(history(*roots), 100).mix
    assert [(pod.cpu, pod.gpu, pod.models) for pod in mix] == [
        (9000, 0, ()),
        (8000, 2000, ()),
        (8000, 1000, ("B",)),
        (8000, 1000, ("A",)),
        (8000, 1000, ()),
        (8000, 500, ()),
    ]


def test_a_cut_takes_the_first_kinds_that_make_up_so_much() -> None:
    roots = [asks(1000)] * 94 + [asks(2000)] * 3 + [asks(4000)] * 2 + [asks(8000)]
    assert [pod.gpu for pod in learn(history(*roots)).mix] == [1000, 2000]
    assert [pod.gpu for pod in learn(history(*roots), 94).mix] == [1000]
    assert [pod.gpu for pod in learn(history(*roots), 98).mix] == [1000, 2000, 4000]
    assert len(learn(history(*roots), 100).mix) == 4


def test_sizes_are_those_of_whole_gangs_in_whole_cards() -> None:
    two_groups = Group(groups=(asks(8000, pods=2), asks(4000, pods=4)), min_groups=2)
    roots = [asks(8000, pods=4), two_groups, asks(1000), asks(500, pods=3), asks(500, pods=4), asks(0, 8000)]
    learned = learn(history(*roots))
    assert learned.sizes == ((1, 1), (2, 1), (32, 2))
    assert learned.pods == 4 + 6 + 1 + 3 + 4 + 1


def test_what_a_mix_cannot_say_is_counted() -> None:
    slices = Group(pods=2, request=Request(CardRequest(CARDS_MIG, slices=(("1g.5gb", 1),))))
    memory = Group(pods=1, request=Request(CardRequest(CARDS_SHARE, 1, memory=4096)))
    several = Group(pods=1, request=Request(CardRequest(CARDS_SHARE, 2, 500)))
    learned = learn(history(slices, memory, several, asks(500)))
    assert learned.left_out == 4
    assert learned.mix == (MixPod(1, 500),)


def test_nothing_is_learned_from_nothing() -> None:
    assert learn([]) == ((), (), 0, 0, 0, 0)


def test_models_of_pods_without_cards_do_not_tell_kinds_apart() -> None:
    assert len(learn(history(asks(0, 1000), asks(0, 1000, models=("T4",)))).mix) == 1
