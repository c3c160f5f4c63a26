"""Logs of decisions as bytes: what is written is read again, and what is no log is told line by line."""

from __future__ import annotations

import pytest

from railwise.formats.decision_log import log_text, read_log
from railwise.model.decision import Decision
from railwise.model.errors import InputError

LOG = [
    Decision(0, "running", "old", ("n1",), ("old-0",)),
    Decision(0, "submitted", "a"),
    Decision(5, "changed", nodes=("n1",), facts={"ready": False, "taints": [{"key": "k", "effect": "NoSchedule"}]}),
    Decision(5, "lost", "old", ("n1",), ("old-0",)),
    Decision(6, "evicted", "b", (), ("b-0", "b-1"), "a"),
    Decision(6, "placed", "a", ("n2", "n3")),
]


def test_a_log_is_read_as_it_was_written() -> None:
    text = log_text(LOG)
    assert text.splitlines()[4] == '{"at": 6, "workload": "b", "event": "evicted", "pods": ["b-0", "b-1"], "for": "a"}'
    assert read_log(text.encode(), "x") == LOG


def test_blank_lines_are_passed_over() -> None:
    assert read_log(b'\n{"at": 0, "workload": "a", "event": "submitted"}\r\n\n', "x") == [LOG[1]]


@pytest.mark.parametrize(
    ("line", "path", "says"),
    [
        (b"nonsense", "line 2", "expected a JSON object"),
        (b"\xff\xfe", "line 2", "expected a JSON object"),
        (b"[" * 100_000, "line 2", "expected a JSON object"),
        (b"[1]", "line 2", "not a list"),
        (b'{"at": 0, "event": "placed", "workload": "a", "nods": []}', "line 2.nods", "did you mean 'nodes'?"),
        (b'{"at": 1.5, "event": "placed", "workload": "a"}', "line 2.at", "expected a time"),
        (b'{"at": true, "event": "placed", "workload": "a"}', "line 2.at", "expected a time"),
        (b'{"at": -1, "event": "placed", "workload": "a"}', "line 2.at", "expected a time"),
        (b'{"at": 7, "event": "started", "workload": "a"}', "line 2.event", "expected one of"),
        (b'{"at": 7, "event": ["placed"], "workload": "a"}', "line 2.event", "expected one of"),
        (b'{"at": 7, "event": "placed"}', "line 2.workload", "expected a name"),
        (b'{"at": 7, "event": "placed", "workload": 1}', "line 2.workload", "expected a name"),
        (b'{"at": 7, "event": "placed", "workload": "a", "nodes": "n1"}', "line 2.nodes", "expected a list"),
        (b'{"at": 7, "event": "placed", "workload": "a", "pods": [1]}', "line 2.pods", "expected a list"),
        (b'{"at": 7, "event": "evicted", "workload": "a", "for": 3}', "line 2.for", "expected a name"),
        (b'{"at": 7, "event": "changed", "set": 3}', "line 2.set", "expected a mapping"),
        (b'{"at": 2, "event": "placed", "workload": "a"}', "line 2.at", "goes on in time"),
    ],
)
def test_what_is_no_decision_is_told_by_its_line(line: bytes, path: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_log(b'{"at": 3, "workload": "a", "event": "submitted"}\n' + line + b"\n", "x")
    (fault,) = caught.value.faults
    assert (fault.path, says in fault.message, bool(fault.hint)) == (path, True, True)


def test_an_empty_log_is_an_error() -> None:
    with pytest.raises(InputError, match="the log is empty"):
        read_log(b"\n", "x")
