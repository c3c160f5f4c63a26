"""What a run tells of its links: loads of uplinks and lengths of steps, where a document names links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from railwise.formats.inputs import read_inputs
from railwise.twin.comparison import compare
from railwise.twin.link_loads import LinkSample
from railwise.twin.sampling import thinned
from tests.conftest import ROOT

LINKED = ROOT / "examples" / "slow-uplinks.yaml"


def test_the_links_of_a_document_are_told() -> None:
    scenario = read_inputs([(str(LINKED), LINKED.read_bytes())])
    run = next(compare(lambda _: scenario, ["spread"], [0], 3_600_000_000))
    loads = {one.level: one for one in run.data.links}
    assert set(loads) <= {level.name for level in scenario.topologies[0].levels}
    assert loads
    assert all(0 <= one.mean <= one.peak <= 1000 for one in loads.values())
    assert {key for key in run.data.measures if key[0] == "uplink_peak"} == {("uplink_peak", name) for name in loads}
    slowed = [one for one in run.data.jobs if one.step]
    assert slowed
    assert all(one.step >= one.best > 0 for one in slowed)
    assert run.data.measures["step", ""] >= 1000


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 1000)), min_size=1, max_size=60), st.integers(2, 9))
def test_thinning_keeps_the_mean_and_the_peak(steps: list[tuple[int, int]], most: int) -> None:
    samples: list[LinkSample] = []
    now = 5
    for gap, load in steps:
        samples.append(LinkSample(now, load, min(load + 7, 1000)))
        now += gap
    found = thinned(samples, now, most)
    assert len(found) <= max(most, 1)
    assert found[0].at == 5
    assert max(one.peak for one in found) == max(one.peak for one in samples)
    ends = [one.at for one in found[1:]] + [now]
    kept = sum(one.mean * (end - one.at) for one, end in zip(found, ends, strict=True))
    exact = sum(load * gap for gap, load in steps)
    assert exact - (now - 5) <= kept <= exact
