"""Options that several commands share, so that they have one name, one meaning and one help text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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
