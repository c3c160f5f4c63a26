"""What a command works on: files, and a live cluster as it was at the first look, which is taken once for each command.

Every command that reads a scenario takes one from a cluster as well, by the same options. Nothing is ever written
there: nodes, pods and what makes pods are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from railwise.cli.errors import warning_line
from railwise.cli.options import files_option, levels_option

if TYPE_CHECKING:
    from railwise.controllers.look import Look
    from railwise.model.scenario import Scenario


class Cluster(NamedTuple):
    """Which cluster is meant: None and None: none; an empty context is the current one of the kubeconfig."""

    context: str | None = None
    kubeconfig: str | None = None
    scheduler: str = "railwise"
    settings: str = ""

    def meant(self) -> bool:
        """Return whether there is one."""
        return self.context is not None or self.kubeconfig is not None

    def words(self) -> list[str]:
        """Return the options that name it."""
        from shlex import quote

        given = [("--kubeconfig", self.kubeconfig), ("--context", self.context), ("--settings", self.settings or None)]
        if self.scheduler != Cluster().scheduler:
            given.append(("--scheduler-name", self.scheduler))
        return [f"{option} {quote(value)}" for option, value in given if value is not None] if self.meant() else []


class Inputs:
    """The files of one call, and its cluster."""

    def __init__(self, names: Sequence[str] = (), levels: str = "", cluster: Cluster | None = None) -> None:
        """Keep what was given."""
        self.names = list(names)
        self.levels = levels
        self.cluster = cluster or Cluster()

    @cached_property
    def look(self) -> Look | None:
        """The live cluster, as it was when it was asked for first; None: none is meant."""
        if not self.cluster.meant():
            return None
        from railwise.cli.live import look_at_cluster

        found = look_at_cluster(self.cluster, self.levels)
        for remark in found.remarks:
            warning_line(remark)
        return found

    def scenario(self, more: Sequence[str] = (), told: Sequence[str] = ()) -> Scenario:
        """Return everything as one scenario, with ``more`` files; its warnings are printed, but those ``told`` before.

        Raises:
            HintedError: a file cannot be read, or nothing is named.
            InputError: a document is not valid.
            ApiError, KubeconfigError: the cluster cannot be read.
        """
        from railwise.cli.sources import load_scenario

        names = [*self.names, *more]
        look = self.look
        if look is None:
            return load_scenario(names, self.levels, told)
        if names:
            return load_scenario(names, self.levels, told, look)
        from railwise.formats.faults import Faults
        from railwise.formats.scenario.reader import finish

        scenario = finish(look.scenario, Faults())
        for warning in scenario.warnings:
            if warning not in told:
                warning_line(warning)
        return scenario

    def words(self) -> str:
        """Return the options by which another command works on the same; empty where standard input is part of it."""
        if "-" in self.names:
            return ""
        from shlex import quote

        return " ".join([*(f"-f {quote(name)}" for name in self.names), *self.cluster.words()])


def context_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a live cluster, and how to look at it, which come together as ``cluster``."""

    @wraps(command)
    def named(
        *,
        context: str | None,
        kubeconfig: str | None,
        scheduler_name: str,
        settings: str,
        **rest: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 -- click's own
        return command(cluster=Cluster(context, kubeconfig, scheduler_name, settings), **rest)

    for name, metavar, default, text in reversed(_CLUSTER):
        named = click.option(name, metavar=metavar, default=default, help=text)(named)
    return named


_CLUSTER = (
    ("--context", "NAME", None, "Read the live cluster of this context of the kubeconfig; '' is the current one."),
    ("--kubeconfig", "FILE", None, "Where contexts are found; without --context its current one is read."),
    ("--scheduler-name", "NAME", "railwise", "On a live cluster: the pods that name this scheduler are to be placed."),
    ("--settings", "FILE", "", "On a live cluster: the file with its policy, as its scheduler is given it."),
)


def scenario_inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``FILE...``, ``-f FILE``, ``--levels`` and the options of a live cluster, together as ``asked``."""

    @wraps(command)
    def named(*, paths: tuple[str, ...], files: tuple[str, ...], levels: str, cluster: Cluster, **rest: Any) -> Any:  # noqa: ANN401 -- click's own
        return command(asked=Inputs([*paths, *files], levels, cluster), **rest)

    optioned = files_option(levels_option(context_options(named)))
    return click.argument("paths", nargs=-1, metavar="[FILE...]")(optioned)
