"""The sentence and the next step of every code, and who has to act."""

from __future__ import annotations

import pytest

from railwise.engine.gangs.record import Record
from railwise.engine.reasons.verdict import ACTS, Verdict
from railwise.engine.reasons.wording import NEXT, demand_text, headline, next_step
from railwise.model.reason import Act, Code, LevelCount
from railwise.model.workload import Request, Workload
from tests.engine.small import (
    FABRIC,
    asks_share,
    gang,
    group,
    grouped,
    racks,
    request,
    segmented,
    shape_of,
    state_of,
)

LEVELS = (LevelCount("rack", "p0/r0", 3, 4), LevelCount("superpod", "p0", 4, 4))
COUNTS = {"notReady": 1, "taint": 2, "gpu": 3, "fits": 4}
IN_RACK = gang("a", 4, request(8), required="rack")
IN_RUNS = segmented(gang("a", 8, request(1)), 4, "rack")
GROUPS = grouped("a", group("small", 9, request(1)), group("large", 2, request(8)), required="superpod")


@pytest.mark.parametrize(
    ("asks", "pods", "text"),
    [
        (request(8), 16, "16 pods of 8 GPUs"),
        (request(1), 1, "1 pod of 1 GPU"),
        (asks_share(part=500), 2, "2 pods with 1 shared GPU"),
        (asks_share(2, part=500), 1, "1 pod with 2 shared GPUs"),
        (request(0, cpu=1000), 3, "3 pods"),
    ],
)
def test_what_is_asked_for_in_words(asks: Request, pods: int, text: str) -> None:
    state = state_of(racks(1), FABRIC)
    assert demand_text(shape_of(state, asks), pods) == text


@pytest.mark.parametrize(
    ("code", "workload", "text"),
    [
        (
            Code.NEVER_FITS,
            IN_RACK,
            "4 pods of 8 GPUs can never fit inside one rack, not even in an empty cluster",
        ),
        (Code.NEVER_FITS, gang("a", 1, request(9)), "1 pod of 9 GPUs can never fit, not even in an empty cluster"),
        (
            Code.NODES_EXCLUDED,
            IN_RACK,
            "4 pods of 8 GPUs would fit but for excluded nodes (1 notReady, 2 taint)",
        ),
        (Code.NOT_ENOUGH_FREE, IN_RACK, "not enough is free for 4 pods of 8 GPUs: 4 of 10 nodes can take a pod now"),
        (
            Code.TOO_FRAGMENTED,
            IN_RACK,
            "enough is free for 4 pods of 8 GPUs, but not inside one rack (best rack p0/r0 has room for 3 of 4)",
        ),
        (
            Code.TOO_FRAGMENTED,
            gang("a", 1, request(8)),
            "enough is free for 1 pod of 8 GPUs, but not on single nodes",
        ),
        (
            Code.TOO_FRAGMENTED,
            IN_RUNS,
            "enough is free for 8 pods of 1 GPU, but not in runs of 4 inside one rack",
        ),
        (
            Code.TOO_FRAGMENTED,
            GROUPS,
            (
                "enough is free for 2 pods of 8 GPUs (group large), but not inside one superpod "
                "(best superpod p0 has room for 4 of 4)"
            ),
        ),
        (
            Code.UNPROVEN,
            IN_RACK,
            "the bounded search found no place for 4 pods of 8 GPUs inside one rack, and no proof that there is none",
        ),
        (Code.RESERVED, IN_RACK, "4 pods of 8 GPUs: Reserved"),
    ],
)
def test_a_headline_says_why_with_the_figures_that_matter(code: Code, workload: Workload, text: str) -> None:
    demand = Record(workload, state_of(racks(2, 2), FABRIC)).demand
    leaf = demand.leaves[-1]
    assert headline(code, demand, leaf, LEVELS, COUNTS, 10) == text


def test_sick_cards_are_blamed_where_no_node_is_shut() -> None:
    demand = Record(IN_RACK, state_of(racks(2, 2), FABRIC)).demand
    text = headline(Code.NODES_EXCLUDED, demand, demand.root, LEVELS, {"gpu": 4}, 4)
    assert text == "4 pods of 8 GPUs would fit but for excluded nodes (sick cards)"


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_a_next_step_and_somebody_who_acts(code: Code) -> None:
    reason = Verdict(state_of(racks(1), FABRIC)).plain(code, "because")
    assert (reason.code, reason.summary, reason.next) == (code, "because", next_step(code))
    assert reason.next == NEXT.get(code, "wait")
    assert reason.act is ACTS.get(code, Act.WAIT)
    assert reason.total == 0
    assert reason.nodes == {}


def test_the_counts_speak_of_the_pods_that_are_hardest_to_place() -> None:
    state = state_of(racks(2, 2), FABRIC)
    for node in range(4):
        assert state.put(shape_of(state, request(1)), node) is not None
    reason = Verdict(state).refuse(Record(GROUPS, state).demand, proven=True)
    assert "group large" in reason.summary
    assert reason.nodes == {"gpu": 4}
    assert [(level.level, level.has, level.needs) for level in reason.levels] == [("rack", 0, 2), ("superpod", 0, 2)]
