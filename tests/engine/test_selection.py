"""Selectors, affinity, taints and tolerations mean what they mean in Kubernetes."""

from __future__ import annotations

import pytest

from railwise.engine.cluster.selection import accepts_node, repelled, selected, tolerates
from railwise.model.node import Node, Taint
from railwise.model.requirement import Requirement
from railwise.model.workload import Selection, Toleration

NODE = Node("gpu-1", labels={"pool": "gold", "generation": "3", "empty": "", "minus": "-5", "word": "x7"})


@pytest.mark.parametrize(
    ("requirement", "meets"),
    [
        (Requirement("pool", "In", ("gold", "silver")), True),
        (Requirement("pool", "In", ("silver",)), False),
        (Requirement("zone", "In", ("gold",)), False),
        (Requirement("pool", "NotIn", ("silver",)), True),
        (Requirement("pool", "NotIn", ("gold",)), False),
        (Requirement("zone", "NotIn", ("gold",)), True),  # a label that is missing is not in the list
        (Requirement("pool", "Exists"), True),
        (Requirement("empty", "Exists"), True),
        (Requirement("zone", "Exists"), False),
        (Requirement("zone", "DoesNotExist"), True),
        (Requirement("empty", "DoesNotExist"), False),
        (Requirement("generation", "Gt", ("2",)), True),
        (Requirement("generation", "Gt", ("3",)), False),
        (Requirement("generation", "Lt", ("10",)), True),  # as numbers, not as text
        (Requirement("minus", "Lt", ("-4",)), True),
        (Requirement("word", "Gt", ("1",)), False),
        (Requirement("empty", "Lt", ("1",)), False),
        (Requirement("zone", "Gt", ("1",)), False),
        (Requirement("generation", "Gt", ("1", "2")), False),
        (Requirement("generation", "Gt", ("one",)), False),
        (Requirement("generation", "Gt", ()), False),
        (Requirement("generation", "Lt", ("9" * 40,)), False),  # no 64-bit number
        (Requirement("metadata.name", "In", ("gpu-1",), of_field=True), True),
        (Requirement("metadata.name", "NotIn", ("gpu-1",), of_field=True), False),
        (Requirement("metadata.name", "In", ("gpu-1",)), False),  # a label of that name, which there is none
        (Requirement("generation", "Near", ("3",)), False),
    ],
)
def test_an_expression_of_a_term(requirement: Requirement, meets: bool) -> None:
    assert selected(Selection(terms=((requirement,),)), NODE) is meets


IS_GOLD = Requirement("pool", "In", ("gold",))
IS_SILVER = Requirement("pool", "In", ("silver",))
HAS_ZONE = Requirement("zone", "Exists")


@pytest.mark.parametrize(
    ("selection", "accepted"),
    [
        (Selection(), True),
        (Selection((("pool", "gold"),)), True),
        (Selection((("pool", "gold"), ("generation", "2"))), False),
        (Selection((("zone", ""),)), False),  # a label that is missing is not an empty one
        (Selection((("empty", ""),)), True),
        (Selection(terms=((IS_GOLD, HAS_ZONE),)), False),  # all of a term
        (Selection(terms=((HAS_ZONE,), (IS_GOLD,))), True),  # any of the terms
        (Selection(terms=((),)), False),  # a term without expressions meets nothing
        (Selection(terms=((), (IS_GOLD,))), True),
        (Selection((("pool", "gold"),), ((IS_SILVER,),)), False),  # selector and affinity together
    ],
)
def test_labels_and_terms(selection: Selection, accepted: bool) -> None:
    assert accepts_node(selection, NODE) is accepted


@pytest.mark.parametrize(
    ("toleration", "taint", "tolerated"),
    [
        (Toleration("gpu", "Equal", "yes"), Taint("gpu", "yes"), True),
        (Toleration("gpu", "Equal", "no"), Taint("gpu", "yes"), False),
        (Toleration("gpu", "Equal"), Taint("gpu"), True),
        (Toleration("gpu", "Exists"), Taint("gpu", "anything"), True),
        (Toleration("cpu", "Exists"), Taint("gpu"), False),
        (Toleration("", "Exists"), Taint("gpu", "x", "NoExecute"), True),
        (Toleration("", "Equal"), Taint("gpu"), False),
        (Toleration("gpu", "Exists", "", "NoSchedule"), Taint("gpu", "", "NoExecute"), False),
        (Toleration("gpu", "Exists", "", "NoExecute"), Taint("gpu", "", "NoExecute"), True),
        (Toleration("", "Exists", "", "NoExecute"), Taint("gpu", "", "NoSchedule"), False),
    ],
)
def test_a_toleration_matches_key_value_and_effect(toleration: Toleration, taint: Taint, tolerated: bool) -> None:
    assert tolerates((toleration,), taint) is tolerated
    assert tolerates((Toleration("other", "Exists"), toleration), taint) is tolerated


def test_every_blocking_taint_must_be_tolerated_and_a_preference_never_blocks() -> None:
    soft = Node("n", taints=(Taint("slow", "", "PreferNoSchedule"),))
    hard = Node("n", taints=(Taint("a"), Taint("b", "", "NoExecute"), Taint("slow", "", "PreferNoSchedule")))
    one, both = Toleration("a", "Exists"), Toleration("b", "Exists")
    assert not repelled(Selection(), soft)
    assert repelled(Selection(), hard)
    assert repelled(Selection(tolerations=(one,)), hard)
    assert not repelled(Selection(tolerations=(one, both)), hard)
