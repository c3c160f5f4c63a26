"""``railwise dev``: what developers and the curious need on their own machine, such as a cluster to try things on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from railwise.cli.errors import ExitCode, HintedError
from railwise.cli.options import levels_option, output_option

if TYPE_CHECKING:
    from railwise.devcluster.cluster import Cluster
    from railwise.model.scenario import Scenario

PARTS = ("scheduler", "controllers", "kwok", "railwise")
DEFAULT_NAME = "dev"
MOST_NODES = 20_000

READ_AS_SCENARIO = ("scenario", "nodes", "kueue")
"""Forms of a topology that the reader of scenarios and Kubernetes objects takes."""

CARDS = 8
"""GPUs of a node where a topology does not tell."""


@click.group("dev")
def group() -> None:
    """Run a cluster on this machine to try things on."""


@group.group("cluster")
def cluster() -> None:
    """A real etcd and API server on loopback, with fake GPU nodes.

    The programs are looked for in RAILWISE_CONTROL_PLANE (a folder; `none` switches this off), KUBEBUILDER_ASSETS and a
    cache; else they are built by Go, once.
    """


@cluster.command("up")
@click.option("--nodes", type=click.IntRange(1, MOST_NODES), help="So many nodes of 8 GPUs, in racks of 8.")
@click.option(
    "-f", "--file", "files", multiple=True, metavar="FILE", help="Take the nodes of a scenario or fabric instead."
)
@levels_option
@click.option(
    "--with",
    "parts",
    default="kwok",
    show_default=True,
    metavar="PARTS",
    help=f"Start these too: {', '.join(PARTS)}, separated by commas, or none.",
)
@click.option("--feature-gates", "gates", default="", metavar="NAME=BOOL,…", help="Kubernetes feature gates to set.")
@click.option("--runtime-config", "apis", default="", metavar="API=BOOL,…", help="API versions to serve or not.")
@click.option("--name", default=DEFAULT_NAME, show_default=True, help="Several clusters may run side by side.")
def up(*, nodes: int | None, files: tuple[str, ...], levels: str, parts: str, gates: str, apis: str, name: str) -> int:
    """Start a control plane with fake GPU nodes, and say how to reach it.

    The nodes carry the labels of a scenario's topology, so that placement rules have something to hold on to.
    """
    from railwise.devcluster.building import ensure_programs
    from railwise.devcluster.cluster import Wish, binaries_of
    from railwise.devcluster.nodes import node_objects
    from railwise.devcluster.population import create_nodes, define_kinds, describe
    from railwise.formats.kubernetes.dialects.crds import crds

    chosen = _parts(parts)
    place = _place(name)
    if place.running():
        click.echo(f"cluster {name} is up already\n")
        _next(place)
        return ExitCode.OK
    objects = node_objects(_scenario(nodes, files, levels))
    programs = ensure_programs(binaries_of(chosen), _tell)
    place.up(programs, Wish(chosen, gates, apis), _tell)
    define_kinds(place.kubeconfig, crds())
    _tell(f"creating {len(objects)} nodes")
    create_nodes(place.kubeconfig, objects)
    version, count = describe(place.kubeconfig)
    click.echo(f"cluster {name} is up: Kubernetes {version}, {count} nodes, programs from {programs.source}\n")
    _next(place)
    return ExitCode.OK


def _next(place: Cluster) -> None:
    click.echo(f"Next:\n  export KUBECONFIG={place.kubeconfig}\n  kubectl get nodes --show-labels")
    click.echo(f"  railwise dev cluster status{_named(place)}\n  railwise dev cluster down{_named(place)}")


def _named(place: Cluster) -> str:
    return "" if place.name == DEFAULT_NAME else f" --name {place.name}"


@cluster.command("down")
@click.option("--name", default=DEFAULT_NAME, show_default=True, help="The cluster's name.")
def down(*, name: str) -> int:
    """End every process of a cluster and throw its data away."""
    stopped = _place(name).down()
    click.echo(f"cluster {name} is down: ended {', '.join(stopped)}" if stopped else f"cluster {name} was not up")
    return ExitCode.OK


@cluster.command("status")
@click.option("--name", default=DEFAULT_NAME, show_default=True, help="The cluster's name.")
@output_option
def status(*, name: str, form: str) -> int:
    """Show the programs of a cluster; exits 1 if one of them does not run, or none was started."""
    from railwise.cli.output import listing, print_data, print_table
    from railwise.report.table import BAD, GOOD, Cell, Column, row, table

    place = _place(name)
    rows = place.rows()
    if form in ("json", "yaml"):
        items: list[dict[str, object]] = [
            {"program": one.program, "running": one.alive, "pid": one.pid, "port": one.port, "log": str(one.log)}
            for one in rows
        ]
        print_data(listing("ProgramList", items), form)
    elif rows:
        shown = [
            row(one.program, Cell("runs", GOOD) if one.alive else Cell("ended", BAD), *map(str, one[2:]))
            for one in rows
        ]
        print_table(table(["PROGRAM", "STATE", Column("PID", right=True), Column("PORT", right=True), "LOG"], shown))
    else:
        click.echo(f"cluster {name} is down; railwise dev cluster up{_named(place)} starts it")
    return ExitCode.OK if rows and all(one.alive for one in rows) else ExitCode.FINDING


@cluster.command("build")
@click.option("--if-possible", is_flag=True, help="Say why, and exit 0, where it cannot be built.")
def build(*, if_possible: bool) -> int:
    """Build the programs of a control plane into the cache, or say where they are found."""
    from railwise.devcluster.building import ensure_programs
    from railwise.devcluster.errors import ControlPlaneError
    from railwise.devcluster.programs import PROGRAMS

    try:
        programs = ensure_programs(list(PROGRAMS), _tell)
    except ControlPlaneError as error:
        if not if_possible:
            raise
        click.echo(f"{error}; tests that need a control plane are skipped\nhint: {error.hint}")
        return ExitCode.OK
    click.echo(f"control plane: {programs.folder} (found by {programs.source})")
    return ExitCode.OK


def _parts(text: str) -> tuple[str, ...]:
    from railwise.cli.suggest import unknown

    named = [part.strip() for part in text.split(",") if part.strip() and part.strip() != "none"]
    for part in named:
        if part not in PARTS:
            raise unknown("part of a control plane", part, list(PARTS))
    return tuple(part for part in PARTS if part in named)


def _place(name: str) -> Cluster:
    import re

    from railwise.devcluster.cluster import Cluster, state_root

    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", name):
        raise HintedError(f"--name {name}: is no name", "up to 40 lower case letters, digits and hyphens")
    return Cluster(state_root() / name)


def _scenario(nodes: int | None, files: tuple[str, ...], levels: str) -> Scenario:
    from railwise.cli.sources import load_scenario
    from railwise.devcluster.nodes import default_scenario

    if not files:
        return default_scenario(16 if nodes is None else nodes)
    if nodes is not None:
        raise HintedError("--nodes and -f both say which nodes there are", "give one of them")
    scenario = _of_wiring(files) or load_scenario(files, levels)
    if not scenario.nodes:
        raise HintedError(
            f"{', '.join(str(Path(file)) for file in files)}: has no nodes", "see spec.nodes of a scenario"
        )
    return scenario


def _of_wiring(files: tuple[str, ...]) -> Scenario | None:
    """Return the nodes of a fabric, or of any other form of a topology; None where the files are for scenarios."""
    from dataclasses import replace

    from railwise.cli.sources import read_sources
    from railwise.fabric.elements import Fabric
    from railwise.formats.fabric.forms import detect, read
    from railwise.formats.fabric.tree import scenario_of_tree, tree_of_fabric
    from railwise.model.node import Cards

    if len(files) != 1 or files[0] == "-":
        return None
    ((name, data),) = read_sources(files)
    form = detect(data, name)
    if form in READ_AS_SCENARIO:
        return None
    found = read(data, name, form)
    scenario = scenario_of_tree(tree_of_fabric(found) if isinstance(found, Fabric) else found)
    cards = (Cards(CARDS),)
    return replace(scenario, nodes=tuple(one if one.cards else replace(one, cards=cards) for one in scenario.nodes))


def _tell(line: str) -> None:
    click.echo(line, err=True)
    sys.stderr.flush()
