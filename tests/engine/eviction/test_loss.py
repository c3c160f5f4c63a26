"""What stopping costs, in minutes of a card, by kind, checkpoint and time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine
from railwise.engine.eviction.loss import CARD_SECOND, cards_of, loss_of_gang, loss_of_surplus, unsaved
from railwise.model.workload import CARDS_SHARE, CardRequest, Checkpoint, Request, Workload
from tests.engine.eviction.scenes import MINUTE, nodes, runs, saves, scene

CARD_MINUTE = 60 * CARD_SECOND


def loss(workload: Workload, keys: list[tuple[int, int]] | None = None, later: int = 0) -> int:
    """Return card-minutes lost by all, or by surplus pods; pod 1 came so many minutes after the others."""
    made = Engine(scene(nodes(2), workload))
    made.cycle(())
    record = made.records[workload.name]
    if later:
        record.later[0, 1] = record.began + later * MINUTE
    lost = loss_of_gang(record, made.state, 0) if keys is None else loss_of_surplus(record, keys, made.state, 0)
    return lost // CARD_MINUTE


@pytest.mark.parametrize(
    ("kind", "checkpoint", "expected"),
    [
        ("batch", None, 2 * 3 * 25),
        ("training", None, 2 * 3 * 25),
        ("inference", None, 2 * 3 * 25),
        ("batch", saves(10), 2 * 3 * 5),
        ("batch", saves(10, 2), 2 * 3 * 7),
        ("training", saves(0, 2), 2 * 3 * 27),
    ],
)
def test_a_gang_loses_what_it_did_since_its_checkpoint_and_the_restore(
    kind: str, checkpoint: Checkpoint | None, expected: int
) -> None:
    assert loss(runs("w", ["n0", "n1"], 3, since=25, kind=kind, checkpoint=checkpoint)) == expected


@pytest.mark.parametrize(
    ("kind", "elastic", "expected"),
    [("batch", False, 3 * 7), ("inference", False, 3 * 2), ("training", True, 2 * 3 * 7)],
)
def test_a_surplus_pod_pays_for_itself_a_replica_its_cold_start_a_rank_the_whole_gang(
    kind: str, expected: int, *, elastic: bool
) -> None:
    workload = runs("w", ["n0", "n1"], 3, since=25, kind=kind, elastic=elastic, least=1, checkpoint=saves(10, 2))
    assert loss(workload, [(0, 1)]) == expected


def test_pods_that_came_later_have_less_to_lose_unless_they_train_together() -> None:
    batch = runs("w", ["n0", "n1"], 3, since=25)
    assert loss(batch, later=20) == 3 * 25 + 3 * 5
    assert loss(batch, [(0, 1)], later=20) == 3 * 5
    assert loss(replace(batch, kind="training"), later=20) == 2 * 3 * 25


def test_what_starts_in_the_future_has_nothing_to_lose() -> None:
    made = Engine(scene(nodes(1), runs("w", ["n0"], 1)))
    made.cycle(())
    assert unsaved(made.records["w"], 5 * MINUTE, 0) == 0


def test_a_share_counts_its_part_of_the_card() -> None:
    half = runs("w", ["n0"], 1)
    root = replace(half.root, request=Request(CardRequest(CARDS_SHARE, 1, fraction=250)))
    made = Engine(scene(nodes(1), replace(half, root=root)))
    made.cycle(())
    assert cards_of(made.records["w"], (0, 0), made.state) == 250
