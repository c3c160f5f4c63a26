"""What the plan says of those who had to go: evicted or moved, once, for whom, with what loss."""

from __future__ import annotations

from railwise.engine.eviction.loss import CARD_SECOND
from railwise.engine.eviction.news import Evicted, News, taken_from
from railwise.engine.gangs.record import PodKey, Record
from railwise.engine.gangs.spot import Spot
from railwise.model.plan import State
from tests.engine.eviction.scenes import asks, engine, nodes, runs, scene


class Story:
    """One victim and two who want its room."""

    def __init__(self, *, least: int = -1) -> None:
        old = runs("old", ["n0", "n1"], 2, least=least)
        self.made = engine(scene(nodes(4), old, asks("new", 1, 4), asks("next", 1, 4)))
        self.news = News()
        self.old: Record = self.made.records["old"]

    def takes(self, keys: list[PodKey], beneficiary: str, lost: int = 100) -> None:
        cards = taken_from(self.old, keys, self.made.state)
        taken = self.made.workloads.stop(self.old, keys)
        self.news.evicted.append(
            Evicted(self.old, taken, cards, self.made.records[beneficiary], lost * CARD_SECOND, "why")
        )

    def runs_on(self, rank: int, node: int) -> None:
        self.made.workloads.place(self.old, [Spot(0, rank, node)])
        self.old.started = True


def test_who_runs_nowhere_was_evicted_with_all_of_its_loss() -> None:
    story = Story()
    story.takes([(0, 0), (0, 1)], "new")
    (told,) = story.news.evictions()
    assert (told.workload, told.pods, told.beneficiary, told.lost) == ("old", ("old-0", "old-1"), "new", 100)
    assert story.news.moves(story.made.state) == ()
    assert story.news.state(story.old) is State.EVICTED
    assert story.news.victims_of(story.made.records["new"]) == ("old",)


def test_who_runs_elsewhere_has_moved() -> None:
    story = Story()
    story.takes([(0, 0), (0, 1)], "new")
    story.runs_on(0, 2)
    story.runs_on(1, 3)
    assert story.news.evictions() == ()
    (told,) = story.news.moves(story.made.state)
    assert [(pod.name, pod.source, pod.target) for pod in told.pods] == [("old-0", "n0", "n2"), ("old-1", "n1", "n3")]
    assert told.lost == 100
    assert story.news.state(story.old) is State.MOVED


def test_the_loss_is_split_by_cards_between_pods_that_moved_and_pods_that_went() -> None:
    story = Story(least=1)
    story.takes([(0, 0), (0, 1)], "new", lost=101)
    story.runs_on(0, 2)
    assert [(one.pods, one.lost) for one in story.news.evictions()] == [(("old-1",), 51)]
    assert [one.lost for one in story.news.moves(story.made.state)] == [51]
    assert story.news.state(story.old) is State.MOVED


def test_a_pod_that_comes_back_to_its_own_place_is_no_news() -> None:
    story = Story(least=1)
    story.takes([(0, 1)], "new")
    story.runs_on(1, 1)
    assert story.news.evictions() == ()
    assert story.news.moves(story.made.state) == ()


def test_a_pod_that_had_to_go_twice_went_from_its_first_place_for_the_first() -> None:
    story = Story()
    story.takes([(0, 0), (0, 1)], "new")
    story.runs_on(0, 2)
    story.runs_on(1, 3)
    story.takes([(0, 0), (0, 1)], "next")
    (told,) = story.news.evictions()
    assert (told.pods, told.beneficiary) == (("old-0", "old-1"), "new")
    story.runs_on(0, 3)
    (moved,) = story.news.moves(story.made.state)
    assert [(pod.name, pod.source, pod.target) for pod in moved.pods] == [("old-0", "n0", "n3")]
    assert story.news.victims_of(story.made.records["next"]) == ("old",)


def test_who_lost_surplus_alone_runs_on_and_is_in_the_plan_though_it_had_no_turn() -> None:
    story = Story(least=1)
    story.takes([(0, 1)], "new")
    assert story.news.state(story.old) is State.RUNNING
    assert story.news.others([]) == [story.old]
    assert story.news.others([story.old]) == []
    assert not story.news.stopped(story.old)
    assert story.news.about(story.old)


def test_a_workload_is_no_victim_of_itself() -> None:
    story = Story(least=1)
    news = story.news
    story.takes([(0, 1)], "new")
    news.evicted[0] = news.evicted[0]._replace(beneficiary=story.old)
    assert news.victims_of(story.old) == ()


def test_a_gang_that_restarts_whole_has_moved() -> None:
    story = Story()
    story.takes([(0, 0), (0, 1)], "new")
    news = News()
    news.restarted.append(story.news.evicted[0]._replace(beneficiary=story.old))
    story.runs_on(0, 2)
    story.runs_on(1, 3)
    assert news.state(story.old) is State.MOVED
    assert [one.beneficiary for one in news.moves(story.made.state)] == ["old"]
    assert news.evictions() == ()
