"""Recordings: what is read is what was told, and what is broken is named."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from railwise.engine.cycle import Engine, Event, Finish, NodeChange, Submit, UplinkChange
from railwise.formats.decision_record import DecisionRecord, altered
from railwise.formats.inputs import read_inputs
from railwise.formats.recording import Began, Round, began_line, read_recording, round_line
from railwise.model.errors import InputError
from railwise.model.node import Taint
from railwise.model.scenario import Scenario
from railwise.twin.replay import replayed
from tests.conftest import ROOT

EXAMPLES = ("two-units.yaml", "two-teams.yaml", "small-mix.yaml", "who-makes-room.yaml")


def example(name: str) -> Scenario:
    return read_inputs([(name, (ROOT / "examples" / name).read_bytes())])


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_read_is_what_was_told(name: str) -> None:
    scenario = example(name)
    changes = (
        NodeChange("n", {"ready": False, "unschedulable": True, "labels": {"a": "b"}, "gpu.unhealthy": frozenset({1})}),
        NodeChange("n", {"taints": (Taint("k", "v", "NoSchedule"),), "resources": {"cpu": 1500, "memory": 2048}}),
    )
    events: tuple[Event, ...] = (
        *(Submit(workload) for workload in scenario.workloads),
        Finish("space/with-a-name"),
        *changes,
        UplinkChange("fabric", "rack", "n", 400_000),
    )
    lines = [began_line(5, scenario), round_line(7, events), round_line(7, ()), "\n"]
    began, *rounds = read_recording(line.encode() for line in lines)
    assert isinstance(began, Began)
    assert (began.at, began.scenario.workloads, began.scenario.nodes) == (5, scenario.workloads, scenario.nodes)
    assert (began.scenario.queues, began.scenario.policy) == (scenario.queues, scenario.policy)
    assert rounds == [Round(7, events), Round(7, ())]


def test_names_with_namespaces_and_turns_are_kept() -> None:
    scenario = example("small-mix.yaml")
    one = scenario.workloads[0]
    named = replace(one, name="ml/job/x", order=77)
    lines = [began_line(0, scenario), round_line(1, [Submit(named)])]
    *_, told = read_recording(line.encode() for line in lines)
    assert told == Round(1, (Submit(named),))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[1]\n", "line 2: expected an object with a time 'at' in µs, not a list"),
        ("{\n", "line 2: expected a JSON object"),
        ('{"at":3}\n', "line 2: expected 5 or later, not 3: a recording goes on in time"),
        ('{"at":6,"events":3}\n', "line 2.events: expected a list, not the number 3"),
        (
            '{"at":6,"events":[{"end":"x"}]}\n',
            "line 2.events[0]: expected an object with submit, finish, node or uplink",
        ),
        ('{"at":6,"events":[{"submit":{"name":"x"}}]}\n', "line 2.events[0].submit: expected a workload with 'name'"),
        (
            '{"at":6,"events":[{"submit":{"name":"x","turn":1,"is":{"name":"w","pods":"many"}}}]}\n',
            "line 2.events[0].submit[0].pods",
        ),
        ('{"at":6,"events":[{"node":"n","set":{"reday":true}}]}\n', "line 2.events[0][0].set.reday: unknown field"),
    ],
)
def test_what_cannot_be_read_is_named(line: str, says: str) -> None:
    lines = [began_line(5, Scenario()), line]
    with pytest.raises(InputError) as error:
        list(read_recording((one.encode() for one in lines), "r.jsonl"))
    assert says in str(error.value)


def test_a_last_line_that_was_cut_off_is_the_end() -> None:
    whole = began_line(0, example("small-mix.yaml")) + round_line(1, [Finish("a")])
    cut = whole[: len(whole) - 9].encode().splitlines(keepends=True)
    assert len(list(read_recording(cut))) == 1


def test_a_recording_begins_with_a_scenario() -> None:
    for lines in ([], [round_line(1, ())]):
        with pytest.raises(InputError):
            list(read_recording(line.encode() for line in lines))


def test_an_engine_that_follows_another_is_told_of_by_what_is_new() -> None:
    scenario = example("small-mix.yaml")
    engine, record = Engine(scenario), DecisionRecord()
    record.begun(scenario, 0)
    record.record(engine.cycle((), 0), 0, engine, altered(engine, first=True))
    first = record.taken()
    again: list[Began | Round] = [Began(0, scenario), Round(0, ()), Began(9, scenario), Round(9, ())]
    found = list(replayed(again))
    assert found[: len(first)] == first
    names = {workload.name for workload in scenario.workloads}
    assert {one.workload for one in found[len(first) :]} <= names
    smaller = replace(scenario, workloads=())
    gone = [one for one in replayed([*again[:2], Began(9, smaller)]) if one.at == 9]
    assert {(one.event, one.workload) for one in gone} == {("finished", name) for name in names}


def test_lines_are_json_without_blanks() -> None:
    line = round_line(3, [Finish("a/b")])
    assert line == '{"at":3,"events":[{"finish":"a/b"}]}\n'
    assert json.loads(line)["at"] == 3
