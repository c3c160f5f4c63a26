"""Options that several commands share, so that they have one name, one meaning and one help text."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "wide", "json", "yaml")


def output_option(command: F) -> F:
    """Add ``-o table|wide|json|yaml``."""
    return click.option(
        "-o",
        "--output",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to print the result; json and yaml are for machines.",
    )(command)


def files_option(command: F) -> F:
    """Add ``-f FILE``, repeatable."""
    return click.option(
        "-f",
        "--file",
        "files",
        multiple=True,
        metavar="FILE",
        help="A scenario or Kubernetes manifests; may be given several times, - is standard input.",
    )(command)


def levels_option(command: F) -> F:
    """Add ``--levels``, for manifests of a cluster without a topology object."""
    return click.option(
        "--levels",
        default="",
        metavar="LABELS",
        help="For Kubernetes nodes: the labels that name their domains, widest first (zone=LABEL,rack=LABEL).",
    )(command)


def access_options(command: F) -> F:
    """Add ``--kubeconfig`` and ``--context``, for controllers of a live cluster."""
    context = "The context of the kubeconfig; default: the current one."
    command = click.option("--context", default="", metavar="NAME", help=context)(command)
    kubeconfig = "Default: KUBECONFIG, ~/.kube/config, or the pod's own."
    return click.option("--kubeconfig", default="", metavar="FILE", help=kubeconfig)(command)


def settings_option(command: F) -> F:
    """Add ``--settings``, for controllers of a live cluster."""
    return click.option(
        "--settings",
        default="",
        metavar="FILE",
        help="A scenario that has nothing but `spec.policy`: how to decide (backfill, reserveAfter, victimWait, …).",
    )(command)


POLICIES = (
    "railwise",
    "spread",
    "binpack",
    "affinity",
    "flat",
    "best-fit",
    "fifo",
    "priority",
    "quota",
    "slurm",
    "fgd",
    "dot-product",
    "gpu-clustering",
    "gpu-packing",
    "weighted-fit",
    "random",
)
"""Railwise and the baselines it can be compared with, by the names of the engine."""


def policy_option(command: F) -> F:
    """Add ``--policy NAME``."""
    return click.option(
        "--policy",
        type=click.Choice(POLICIES),
        default="railwise",
        show_default=True,
        help="Who places: Railwise, or a baseline to compare with.",
    )(command)


class Questions(NamedTuple):
    """The what-ifs of one call: files to submit, hostlists to drain, ``QUEUE=gpu:64`` or ``QUEUE=64``."""

    submit: tuple[str, ...] = ()
    drain: tuple[str, ...] = ()
    quota: tuple[str, ...] = ()

    def any(self) -> bool:
        """Return whether anything was asked."""
        return bool(self.submit or self.drain or self.quota)


def what_if_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--what-if-submit``, ``--what-if-drain`` and ``--what-if-quota``, which come together as ``questions``."""

    @wraps(command)
    def asked(
        *,
        submit: tuple[str, ...],
        drain: tuple[str, ...],
        quota: tuple[str, ...],
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 -- click's own
        return command(questions=Questions(submit, drain, quota), **rest)

    for name, short, metavar, text in reversed(_WHAT_IFS):
        asked = click.option(name, short, multiple=True, metavar=metavar, help=text)(asked)
    return asked


_WHAT_IFS = (
    (
        "--what-if-submit",
        "submit",
        "FILE",
        "Ask what would be different with these workloads too: do they start, whom do they displace, if not when.",
    ),
    (
        "--what-if-drain",
        "drain",
        "NODES",
        "Ask what would be different without these nodes (a hostlist): what moves, what no longer fits.",
    ),
    (
        "--what-if-quota",
        "quota",
        "QUEUE=AMOUNTS",
        "Ask what would be different with another quota, such as nlp=64 or nlp=gpu:64,cpu:512.",
    ),
)
