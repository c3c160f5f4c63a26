"""The what-ifs of ``railwise plan``: the document changed in thought, and the difference that makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from railwise.cli.errors import ExitCode, HintedError

if TYPE_CHECKING:
    from railwise.cli.asked import Inputs
    from railwise.cli.options import Questions
    from railwise.model.scenario import Scenario

_QUOTA_HINT = "write QUEUE=64 or QUEUE=gpu:64,cpu:128"


def answer(asked: Inputs, questions: Questions, form: str, policy: str) -> int:
    """Print the difference between the plan with and the plan without the what-ifs; return the exit code.

    1 where what is submitted does not start, or somebody would be worse off.
    """
    from railwise.cli.decide import decide
    from railwise.cli.output import print_data, print_lines, print_table
    from railwise.engine.what_if import RUNS, WORSE, differences, outlook
    from railwise.report import what_if_text

    base = asked.scenario()
    nodes = drained_nodes(base, questions.drain)
    changed = _changed(base, asked, questions, nodes)
    before, after = decide(base, policy), decide(changed, policy)
    known = {workload.name for workload in base.workloads}
    entries = [entry for entry in after.workloads if entry.name not in known]
    waiting = [entry.name for entry in entries if entry.state not in RUNS]
    outlooks = {name: outlook(changed, after, name) for name in waiting} if policy == "railwise" else {}
    found = differences(base, before, after, nodes)
    what = _asked(changed, known, nodes, questions)
    if form in ("json", "yaml"):
        print_data(what_if_text.what_if_data(what, found, outlooks, after.time), form)
    else:
        print_lines(what_if_text.headline(what, found))
        for entry in entries:
            print_lines(["", *what_if_text.answer_lines(changed, after, entry.name, outlooks.get(entry.name))])
        if found:
            print_lines([""])
            print_table(what_if_text.difference_table(changed, found), wide=form == "wide")
        steps = what_if_text.steps_lines(before, after)
        print_lines(["", *steps] if steps else [])
    worse = waiting or any(one.effect in WORSE for one in found)
    return ExitCode.FINDING if worse else ExitCode.OK


def drained_nodes(scenario: Scenario, hostlists: Sequence[str]) -> list[str]:
    """Return the nodes that hostlists name; an unknown one is an error with near misses."""
    from railwise.cli.suggest import unknown
    from railwise.formats.hostlist import expand

    known = [node.name for node in scenario.nodes]
    try:
        names = [name for text in hostlists for name in expand(text)]
    except ValueError as error:
        raise HintedError(str(error), "write node names or a hostlist such as gpu-[001-004,9]") from None
    for name in names:
        if name not in known:
            raise unknown("node", name, known)
    return list(dict.fromkeys(names))


def _changed(base: Scenario, asked: Inputs, questions: Questions, nodes: list[str]) -> Scenario:
    from railwise.engine.what_if import drained, with_quota

    changed = asked.scenario(questions.submit, base.warnings) if questions.submit else base
    for text in questions.quota:
        changed = with_quota(changed, *_quota(changed, text))
    return drained(changed, nodes) if nodes else changed


def _quota(scenario: Scenario, text: str) -> tuple[str, dict[str, int]]:
    """Return the queue and the amounts of ``QUEUE=64`` or ``QUEUE=gpu:64,cpu:128``.

    Raises:
        HintedError: it is neither, or there is no such queue.
    """
    from railwise.cli.suggest import unknown
    from railwise.formats.faults import Faults
    from railwise.formats.scenario.resources import QUEUE_AMOUNTS
    from railwise.model.errors import InputError

    queue, found, amounts = text.partition("=")
    pairs = [pair.rpartition(":") for pair in amounts.split(",")] if found else []
    if not pairs or any(not amount for _, _, amount in pairs):
        raise HintedError(f"'{text}' is no quota", _QUOTA_HINT)
    known = [one.name for one in scenario.queues]
    if queue not in known:
        raise unknown("queue", queue, known)
    faults = Faults()
    quota = QUEUE_AMOUNTS.read({resource or "gpu": amount for resource, _, amount in pairs}, text, faults)
    if faults.found:
        raise InputError(list(faults.found))
    return queue, quota or {}


def _asked(changed: Scenario, known: set[str], nodes: list[str], questions: Questions) -> list[str]:
    """Return the what-ifs in words."""
    from railwise.report.wording import hosts, joined

    new = [workload.name for workload in changed.workloads if workload.name not in known]
    asked = [f"{joined(new)} {'is' if len(new) == 1 else 'are'} submitted"] if new else []
    asked += [f"{', '.join(questions.submit)} is added"] if questions.submit and not new else []
    asked += [f"{hosts(nodes, changed)} {'is' if len(nodes) == 1 else 'are'} drained"] if nodes else []
    return asked + [f"the quota of {text.replace('=', ' is ')}" for text in questions.quota]
