from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.kubernetes.names import ObjectName, short_names
from railwise.model.natural import natural_key
from tests.formats.kubernetes.objects import job, node, pod, reading, template

WORDS = st.sampled_from(["a", "b", "a.b", "job", "job.a", "ml.job.a", "ml.a"])
SPACES = st.sampled_from(["a", "b", "job", "ml"])
NAMES = st.builds(ObjectName, SPACES, st.sampled_from(["job", "pod"]), WORDS)


def test_a_name_is_as_short_as_it_can_be() -> None:
    first, second, third = (
        ObjectName("ml", "job", "llama"),
        ObjectName("nlp", "job", "llama"),
        ObjectName("ml", "job", "gpt"),
    )
    assert short_names([first, second, third]) == {first: "ml.llama", second: "nlp.llama", third: "gpt"}


def test_two_kinds_of_one_name_in_a_namespace_are_told_apart() -> None:
    one, other = ObjectName("ml", "job", "llama"), ObjectName("ml", "pod", "llama")
    assert short_names([one, other]) == {one: "ml.job.llama", other: "ml.pod.llama"}


@given(st.lists(NAMES, unique=True, max_size=8))
def test_names_are_unique_wherever_the_objects_are_and_do_not_depend_on_their_order(objects: list[ObjectName]) -> None:
    names = short_names(objects)
    assert names == short_names(list(reversed(objects)))
    assert len(set(names.values())) == len(objects)


def test_names_that_no_object_can_have_are_refused() -> None:
    found = reading(
        node("N1"), node(""), pod("a_b", namespace="a.b"), job("x/y", 1, template(1)), job("", 1, template(1))
    )
    assert [fault.path for fault in found.faults] == [
        "in.yaml[0].metadata.name",
        "in.yaml[1].metadata.name",
        "in.yaml[2].metadata.name",
        "in.yaml[2].metadata.namespace",
        "in.yaml[3].metadata.name",
        "in.yaml[4].metadata.name",
    ]
    assert (found.scenario.nodes, found.scenario.workloads) == ((), ())


def test_names_sort_as_people_count() -> None:
    names = [
        "rack-10",
        "rack-9",
        "rack-09",
        "rack",
        "node-2-rail-10",
        "node-2-rail-9",
        f"n{'9' * 5000}",
        f"n1{'0' * 5000}",
    ]
    assert sorted(names, key=natural_key) == [
        f"n{'9' * 5000}",
        f"n1{'0' * 5000}",
        "node-2-rail-9",
        "node-2-rail-10",
        "rack",
        "rack-09",
        "rack-9",
        "rack-10",
    ]
