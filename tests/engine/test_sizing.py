"""How many pods of which groups: minima first, as many groups as fit, surplus to the lowest ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest

from railwise.engine.gangs.demand import Demand, Part, read_demand
from railwise.engine.search.choosing import Growth, choices
from railwise.engine.search.placement import Found, Refused
from railwise.engine.search.sizing import find_minimum, find_most, least_counts, ranks_for
from railwise.model.plan import State
from railwise.model.workload import Group, Running, Workload
from tests.engine.small import engine, flat, gang, group, grouped, racks, request, state_of, submitted, where

ONE = request(1)


def _demand(root: Group) -> Demand:
    return read_demand(Workload("a", root), root, state_of(flat(8, 8)))


def _names(demand: Demand, chosen: set[int]) -> list[str]:
    """Return the leaves that take part, by path."""
    return [leaf.path for leaf in demand.leaves if leaf.index in chosen]


def _all(demand: Demand, *, full: bool) -> list[list[str]]:
    return [_names(demand, chosen) for chosen in choices(demand.root, full=full)]


def _of(*names: str, least: int) -> Group:
    """Return groups of which no two are alike."""
    return Group(groups=tuple(group(name, 1 + index, ONE) for index, name in enumerate(names)), min_groups=least)


def _alike(*names: str, least: int) -> Group:
    return Group(groups=tuple(group(name, 1, ONE) for name in names), min_groups=least)


def test_the_fewest_groups_that_are_needed_those_listed_first_before_others() -> None:
    demand = _demand(_of("x", "y", "z", least=2))
    assert _all(demand, full=False) == [["x", "y"], ["x", "z"], ["y", "z"]]
    assert _all(demand, full=True) == [["x", "y", "z"], ["x", "y"], ["x", "z"], ["y", "z"]]


def test_of_alike_groups_those_listed_first_are_chosen() -> None:
    demand = _demand(_alike("x", "y", "z", least=1))
    assert _all(demand, full=False) == [["x"]]
    assert _all(demand, full=True) == [["x", "y", "z"], ["x", "y"], ["x"]]
    mixed = replace(
        _alike("a", "b", "c", "d", least=2), groups=(*_alike("a", "b", least=2).groups, group("other", 3, ONE))
    )
    assert _all(_demand(mixed), full=False) == [["a", "b"], ["a", "other"]]


def test_nested_groups_are_chosen_inside_each_choice_around_them() -> None:
    inner = replace(_of("y", "z", least=1), name="in")
    demand = _demand(Group(groups=(group("x", 1, ONE), inner), min_groups=2))
    assert _all(demand, full=False) == [["x", "in/y"], ["x", "in/z"]]
    assert _all(demand, full=True) == [["x", "in/y", "in/z"], ["x", "in/y"], ["x", "in/z"]]


def test_groups_that_run_always_take_part() -> None:
    root = _of("x", "y", "z", least=1)
    running = replace(root.groups[1], running=Running(("n0",)))
    demand = _demand(replace(root, groups=(root.groups[0], running, root.groups[2])))
    assert _all(demand, full=False) == [["y"]]
    assert _all(demand, full=True) == [["x", "y", "z"], ["x", "y"], ["y", "z"], ["y"]]


def test_thousands_of_groups_that_are_all_needed_are_one_choice() -> None:
    demand = _demand(_of(*(f"g{number}" for number in range(1500)), least=1500))
    assert [len(_names(demand, chosen)) for chosen in choices(demand.root, full=True)] == [1500]


@pytest.mark.slow
def test_the_first_of_many_choices_come_at_once() -> None:
    demand = _demand(_of(*(f"g{number}" for number in range(64)), least=32))
    first, second = islice(choices(demand.root, full=False), 2)
    assert _names(demand, first) == [f"g{number}" for number in range(32)]
    assert _names(demand, second)[-1] == "g32"
    demand = _demand(_alike(*(f"g{number}" for number in range(2000)), least=1000))
    assert [len(_names(demand, chosen)) for chosen in choices(demand.root, full=False)] == [1000]


@pytest.mark.parametrize(("full", "names"), [(True, ["b", "c", "d", "e", "in/y"]), (False, ["b", "c", "d", "e"])])
def test_a_choice_grows_by_the_smallest_groups_as_long_as_all_fit(full: bool, names: list[str]) -> None:
    """Eight pods fit, and none of the groups ``a`` and ``z``."""
    inner = Group("in", groups=(group("x", 6, ONE), group("y", 2, ONE)), min_groups=1)
    groups = (group("a", 7, ONE), *(group(name, 1, ONE) for name in "bcde"), inner, group("z", 2, request(8)))
    demand = _demand(Group(groups=groups, min_groups=4))
    tried: list[set[int]] = []

    def attempt(chosen: set[int]) -> Found | None:
        tried.append(chosen)
        leaves = [leaf for leaf in demand.leaves if leaf.index in chosen]
        fits = sum(leaf.group.pods for leaf in leaves) <= 8 and not {"a", "z"} & {leaf.path for leaf in leaves}
        return Found([], met=True, exact=True) if fits else None

    growth = Growth(attempt, full=full)
    chosen = growth.grow(demand.root, set())
    assert chosen is not None
    assert _names(demand, chosen) == names
    assert growth.found is not None
    assert len(tried) < 16


def test_a_choice_does_not_grow_where_too_few_groups_fit() -> None:
    demand = _demand(_of("x", "y", "z", least=2))
    growth = Growth(lambda chosen: Found([], met=True, exact=True) if len(chosen) < 3 else None, full=True)
    assert growth.grow(demand.root, set()) is None


def test_a_decision_ends_however_many_choices_there_are() -> None:
    """Two of 40 groups can start, and no two of those listed first."""
    nodes = racks(2, 2, 2)
    groups = [
        group(f"g{number}", 2, request(8 if number < 38 else 1 + number % 2), required="node") for number in range(40)
    ]
    plan = submitted(engine(nodes), grouped("a", *(replace(one, min_pods=2) for one in groups), least=1))
    assert {pod.group for pod in plan.pods} == {"g38", "g39"}


def test_missing_ranks_are_the_lowest_that_do_not_run() -> None:
    root = replace(group("", 6, ONE, least=4), running=Running(("n0", None, "n1")))
    demand = _demand(root)
    assert least_counts(demand, {demand.root.index}) == {0: 4}
    assert ranks_for(demand, {0: 4}) == {0: [1, 3]}
    assert ranks_for(demand, {0: 2}) == {}
    assert ranks_for(demand, {0: 6}) == {0: [1, 3, 4, 5]}


Search = Callable[[Demand, dict[int, list[int]], set[int]], Found | Refused]


def _room(limit: int, asked: list[dict[str, int]], *, proven: bool = True) -> Search:
    """Return a search that finds room for so many pods in all, whatever they are."""

    def search(demand: Demand, ranks: dict[int, list[int]], chosen: set[int]) -> Found | Refused:
        names: dict[int, Part] = {leaf.index: leaf for leaf in demand.leaves}
        assert all(leaf in chosen for leaf in ranks)
        asked.append({names[leaf].path: len(mine) for leaf, mine in ranks.items()})
        pods = sum(map(len, ranks.values()))
        return Found([], met=True, exact=True, key=(pods, 0, 0, 0)) if pods <= limit else Refused(proven=proven)

    return search


def test_a_minimum_is_refused_only_when_every_choice_is() -> None:
    demand = _demand(Group(groups=(group("x", 3, ONE), group("y", 2, ONE), group("z", 1, ONE)), min_groups=1))
    asked: list[dict[str, int]] = []
    assert isinstance(find_minimum(demand, _room(1, asked)), Found)
    assert asked == [{"x": 3}, {"y": 2}, {"z": 1}]
    assert find_minimum(demand, _room(0, [])) == Refused(proven=True)
    assert find_minimum(demand, _room(0, [], proven=False)) == Refused(proven=False)


@pytest.mark.parametrize(("room", "pods"), [(1, None), (2, 2), (3, 3), (6, 6), (7, 7), (9, 7)])
def test_surplus_is_as_much_as_fits(room: int, pods: int | None) -> None:
    demand = _demand(group("", 7, ONE, least=2))
    asked: list[dict[str, int]] = []
    found = find_most(demand, _room(room, asked))
    assert (None if found is None else found.key[0]) == pods
    assert len(asked) <= 2 + 3  # all, the minimum, and halving between


@pytest.mark.parametrize(
    ("room", "taken"),
    [(2, {"x": 1, "y": 1}), (3, {"x": 2, "y": 1}), (5, {"x": 3, "y": 2}), (9, {"x": 3, "y": 3})],
)
def test_surplus_over_groups_in_their_order(room: int, taken: dict[str, int]) -> None:
    demand = _demand(Group(groups=(group("x", 3, ONE, least=1), group("y", 3, ONE, least=1)), min_groups=2))
    asked: list[dict[str, int]] = []
    found = find_most(demand, _room(room, asked))
    assert found is not None
    best = [pods for pods in asked if sum(pods.values()) == found.key[0]]
    assert best[0] == taken


def test_groups_come_before_pods() -> None:
    nodes = flat(4)
    plan = submitted(
        engine(nodes), grouped("a", group("x", 4, ONE, least=2), group("y", 2, ONE), group("z", 3, ONE), least=1)
    )
    assert [(pod.group, pod.rank) for pod in plan.pods] == [("x", 0), ("x", 1), ("y", 0), ("y", 1)]


def test_surplus_obeys_the_rules_of_the_whole() -> None:
    plan = submitted(
        engine(racks(2, 3)), replace(gang("a", 8, request(8)), root=group("", 8, request(8), least=1, required="rack"))
    )
    assert where(plan) == ["n2", "n3", "n4"]
    assert plan.state is State.PLACED


def test_surplus_that_comes_later_stays_in_the_domain() -> None:
    lived = engine(racks(2, 2, 2))
    first = replace(gang("a", 2, request(8)), root=group("", 2, request(8), least=1, required="rack"))
    submitted(lived, gang("busy", 1, request(8)))
    submitted(lived, replace(first, name="a", root=replace(first.root, request=request(8))))
    grown = lived.records["a"]
    tree = lived.state.trees[0].tree
    assert len({tree.domain_of[-1][node] for node, _ in grown.pods.values()}) == 1
