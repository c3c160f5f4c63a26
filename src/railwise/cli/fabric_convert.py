"""``railwise fabric convert``: one form of a topology to another, and the maps that others publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from railwise.cli.errors import HintedError

if TYPE_CHECKING:
    from railwise.fabric.elements import Fabric
    from railwise.formats.fabric.tree import Tree
    from railwise.model.scenario import Scenario

FORMS = (
    "fabric",
    "air",
    "air-dot",
    "ptm",
    "containerlab",
    "scenario",
    "slurm-tree",
    "slurm-block",
    "slurm-yaml",
    "topograph",
    "hypernodes",
    "kueue",
    "kai",
    "nodes",
    "kwok",
)
PROFILES = ("railwise", "topograph", "topograph-0.5")


@click.command("convert")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--to", "target", type=click.Choice(FORMS), default="scenario", show_default=True, help="What to write.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Write to FILE; - (default) prints it.")
@click.option(
    "--from", "kind", default="", metavar="NAME", help="The form or data set of PATH, where it cannot be told."
)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="railwise",
    show_default=True,
    help="Whose label keys Nodes and Topology objects get.",
)
@click.option("--gpus", type=click.IntRange(0, 1024), help="GPUs of each node, where the input does not say.")
@click.option("--queue", default="", metavar="mixed:N", help="To scenario: add N mixed workloads, drawn with the seed.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the queue.")
def convert(*, paths: tuple[str, ...], target: str, output: str, kind: str, profile: str, **more: Any) -> None:  # noqa: ANN401 -- click's own
    """Turn one form of a topology into another.

    PATH is a file in any of the forms of --to: a fabric, NVIDIA Air JSON or DOT, Cumulus PTM topology.dot, a
    containerlab file, a scenario, Slurm topology.conf or topology.yaml, a Topograph model, HyperNodes, or Nodes with or
    without a Topology of Kueue or KAI. Or it is the folder or the files (plain or gzip) of a published data set:
    topo.csv of alibaba-lingjun-2023, cluster_topology.csv and gpu_nic_info.csv of zhejianglab-a100-2000, or the lists
    of machines of alibaba-gpu-v2020, alibaba-spot-gpu-v2026 and alibaba-gpu-v2026.
    """
    from railwise.cli.data_sets import read_data_set
    from railwise.cli.output import write_file
    from railwise.formats.traces.registry import known_name

    if more["queue"] and target != "scenario":
        raise HintedError("--queue makes workloads, which only a scenario has", "--to scenario")
    files = read_data_set(paths, known_name)
    found = _read(files, kind, more["gpus"], single=len(paths) == 1)
    text = _written(found, target, profile, more["gpus"], more["queue"], more["seed"])
    write_file(output, text)
    if output != "-":
        click.echo(f"wrote {output}: {_counts(found, more['queue'])}{_next(target, output)}")


def _read(files: dict[str, bytes], kind: str, gpus: int | None, *, single: bool) -> Fabric | Tree | Scenario:
    """Return what the files hold: those of a data set as a scenario, any other as its form is."""
    from railwise.formats.fabric.forms import read
    from railwise.formats.traces.registry import DEFAULT_GPUS, known_name
    from railwise.formats.traces.registry import convert as read_data_set

    if kind not in FORMS and (kind or not single or all(known_name(name) for name in files)):
        return read_data_set(kind, files, DEFAULT_GPUS if gpus is None else gpus)
    if len(files) != 1:
        raise HintedError(f"{len(files)} files, but one topology", "name the one file; only data sets have several")
    ((name, data),) = files.items()
    return read(data, name, kind)


def _written(
    found: Fabric | Tree | Scenario, target: str, profile: str, gpus: int | None, queue: str, seed: int
) -> str:
    from dataclasses import replace

    from railwise.fabric.elements import Fabric
    from railwise.formats.fabric.forms import write
    from railwise.formats.fabric.tree import Tree, scenario_of_tree, tree_of_fabric, tree_of_scenario
    from railwise.formats.scenario.writer import scenario_text
    from railwise.formats.traces.queue_mix import with_queue

    if target != "scenario":
        topology = found if isinstance(found, Fabric | Tree) else tree_of_scenario(found)
        return write(topology, target, profile)
    tree = tree_of_fabric(found) if isinstance(found, Fabric) else found
    scenario = scenario_of_tree(_with_gpus(tree, gpus)) if isinstance(tree, Tree) else tree
    scenario = replace(scenario, seed=seed)
    return scenario_text(with_queue(scenario, queue) if queue else scenario, "yaml")


def _with_gpus(tree: Tree, gpus: int | None) -> Tree:
    """Return the tree with so many cards at every node that tells none."""
    from dataclasses import replace

    from railwise.model.node import Cards

    if not gpus:
        return tree
    nodes = {name: leaf if leaf.cards else replace(leaf, cards=(Cards(gpus),)) for name, leaf in tree.nodes.items()}
    return replace(tree, nodes=nodes)


def _counts(found: Fabric | Tree | Scenario, queue: str) -> str:
    from railwise.fabric.elements import Fabric
    from railwise.formats.fabric.tree import Tree

    if isinstance(found, Fabric):
        return f"{len(found.servers)} servers, {len(found.switches)} switches, {len(found.cables)} cables"
    count = f"{len(found.nodes)} nodes"
    if isinstance(found, Tree):
        return f"{count} below {len(found.levels)} level{'s' * (len(found.levels) != 1)}"
    drawn = int(queue.partition(":")[2]) if queue else 0
    return f"{count} and {len(found.workloads) + drawn} workloads"


def _next(target: str, output: str) -> str:
    if target == "scenario":
        return f"\n\nNext:\n  railwise plan {output}\n  railwise get topology -f {output}"
    return f"\n\nNext:\n  railwise fabric show {output}" if target == "fabric" else ""
