from __future__ import annotations

import pytest

from railwise.cli.options import POLICIES as OFFERED
from railwise.engine.cluster.state import ClusterState
from railwise.engine.policies import POLICIES, by_name
from railwise.engine.policies.podwise import PodByPod
from railwise.engine.policies.whole_nodes import WholeNodes
from railwise.model.errors import InputError
from railwise.model.policy import Policy
from tests.engine.policies.clusters import FABRIC, racks

BASELINES = [name for name in POLICIES if name != "railwise"]


def test_the_command_line_offers_what_there_is() -> None:
    assert list(OFFERED) == list(POLICIES)


def test_railwise_needs_no_search_of_its_own() -> None:
    assert by_name("railwise") is None
    assert POLICIES["railwise"].keeps_rules


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_says_that_it_keeps_no_rules(name: str) -> None:
    policy = by_name(name, seed=7)
    assert policy is not None
    search = policy.search(ClusterState(racks(2), (FABRIC,), Policy()))
    assert isinstance(search, PodByPod | WholeNodes)
    assert search.keeps_rules is POLICIES[name].keeps_rules is False
    assert "ignores topology rules" in POLICIES[name].summary


@pytest.mark.parametrize("name", list(POLICIES))
def test_a_summary_is_one_line(name: str) -> None:
    info = POLICIES[name]
    assert info.name == name
    assert 0 < len(info.summary) <= 100
    assert "\n" not in info.summary


@pytest.mark.parametrize("name", ["", "Spread", "best"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(InputError) as caught:
        by_name(name)
    (fault,) = caught.value.faults
    assert f"'{name}'" in fault.message
    assert all(known in fault.hint for known in POLICIES)
