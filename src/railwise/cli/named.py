"""What a name on the command line means: a workload, a queue, or a pod, which stands for its workload."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from railwise.cli.errors import HintedError, note_line

if TYPE_CHECKING:
    from railwise.controllers.look import Look
    from railwise.model.scenario import Scenario

_OF_POD = re.compile(r"-([a-z0-9-]+-)?([0-9]+(-[a-z0-9]{5})?|[a-z0-9]{5})")
"""What follows the name of a workload in those of its pods: a rank, and what makers append."""

_KINDS = ("queue", "workload", "pod")


class Named(NamedTuple):
    """What is meant: ``workload``, ``queue``, or ``gang`` (one of a live cluster that lacks pods), and its name."""

    kind: str
    name: str


def chosen(scenario: Scenario, look: Look | None, name: str) -> Named:
    """Return what a name means; a pod's is told to be taken for its workload.

    Raises:
        HintedError: there is no such thing, or it is none of ours.
    """
    from railwise.cli.suggest import unknown

    workloads = [workload.name for workload in scenario.workloads]
    gangs = list(look.waiting) if look is not None else []
    queues = list(dict.fromkeys([*(queue.name for queue in scenario.queues), "default"]))
    kind, found, plain = name.partition("/")
    if not (found and kind in _KINDS):
        kind, plain = "", name
    names = (("workload", "workload", workloads), ("workload", "gang", gangs), ("queue", "queue", queues))
    for of_kind, means, known in names:
        if kind in ("", of_kind) and plain in known:
            return Named(means, plain)
    if kind in ("", "pod"):
        owner = _of_pod(look, plain) if look is not None else _by_form(plain, workloads)
        if owner:
            note_line(f"pod {plain} is one of the workload {owner}")
            return Named("gang" if owner in gangs else "workload", owner)
    every = [*workloads, *gangs, *(queue.name for queue in scenario.queues)]
    known = {"queue": queues, "workload": [*workloads, *gangs], "pod": _pods(look)}.get(kind, every)
    raise unknown(kind or ("workload or queue" if look is None else "workload, pod or queue"), plain, known)


def _pods(look: Look | None) -> list[str]:
    return sorted({name for _, name in look.pods}) if look is not None else []


def _of_pod(look: Look, name: str) -> str:
    """Return the workload of a pod, given as NAME or NAMESPACE/NAME; empty: there is no such pod.

    Raises:
        HintedError: several namespaces have one, or it is not placed by us.
    """
    space, slash, plain = name.partition("/")
    if not slash:
        space, plain = "", name
    keys = [key for key in (*look.pods, *look.others) if key[1] == plain and space in ("", key[0])]
    owners = sorted({look.pods[key] for key in keys if key in look.pods})
    if len(owners) > 1:
        named = ", ".join(f"pod/{one[0]}/{one[1]}" for one in sorted(keys))
        raise HintedError(f"several pods are named {plain}", f"name its namespace too: {named}")
    if not owners and keys:
        space, plain = keys[0]
        raise HintedError(
            f"pod {space}/{plain} {look.others[keys[0]]}",
            "--scheduler-name says which pods are to be placed; `kubectl describe pod` tells what others say",
        )
    return owners[0] if owners else ""


def _by_form(name: str, workloads: list[str]) -> str:
    """Return the workload whose pods have names like this one; the longest name counts."""
    likely = [one for one in workloads if name.startswith(f"{one}-") and _OF_POD.fullmatch(name[len(one) :])]
    return max(likely, key=len, default="")
