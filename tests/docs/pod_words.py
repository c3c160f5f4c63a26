"""What each reason code looks like on a pod: the message that a live scheduler would write, from the policy tests."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from railwise.controllers.announcer import Word
from railwise.formats.cases.model import RUN_PLAN
from railwise.formats.cases.reader import read_cases
from railwise.formats.cases.result import Result
from railwise.model.reason import Code, Reason

CASES = Path(__file__).resolve().parent.parent.parent / "cases"
WIDTH = 112


def word_of(reason: Reason) -> Word:
    """Return what is said on the pods of a workload that waits."""
    return Word(reason.code.value, reason.summary + (f"; {reason.next}" if reason.next else ""))


@cache
def words() -> dict[Code, Word]:
    """Return the message of the first policy test of each code."""
    found: dict[Code, Word] = {}
    for path in sorted(CASES.glob("*.yaml"), key=lambda one: (one.stem != "rules", one.name)):
        for case in read_cases(path.read_bytes(), path.name):
            if case.run != RUN_PLAN or case.file or len(found) == len(Code):
                continue
            result = Result(case)
            for entry in () if result.faults else result.plan.workloads:
                if entry.reason is not None:
                    found.setdefault(entry.reason.code, word_of(entry.reason))
    return found


def shown(code: Code) -> Iterator[str]:
    """Return the condition of a pod as ``kubectl describe pod`` shows it."""
    word = words()[code]
    yield "```text"
    yield "PodScheduled  False  Unschedulable"
    yield from textwrap.wrap(word.message(), WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield "```"


UNTESTED = (Code.WAITING_FOR_VICTIMS, Code.UNPROVEN)
"""Codes that no single plan of a policy test ends with."""

PARTS: dict[str, Callable[[], Iterator[str]]] = {
    f"pod-{code.value}": partial(shown, code) for code in Code if code not in UNTESTED
}
"""A part for each other code."""
