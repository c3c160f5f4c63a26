"""``railwise fabric convert``: the maps that others publish of their fabrics."""

from __future__ import annotations

from pathlib import Path

import click

from railwise.cli.errors import HintedError

LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of one file that is converted."""


@click.command("convert")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-o", "--output", default="-", metavar="FILE", help="Write the scenario to FILE; - (default) prints it.")
@click.option("--from", "kind", default="", metavar="NAME", help="The data set, where file names do not tell it.")
@click.option("--gpus", type=click.IntRange(0, 1024), default=8, show_default=True, help="GPUs of each node.")
@click.option("--queue", default="", metavar="mixed:N", help="Add N mixed workloads, drawn with the seed.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the queue.")
def convert(paths: tuple[str, ...], *, output: str, kind: str, gpus: int, queue: str, seed: int) -> None:
    """Turn a published map of a cluster into a scenario.

    PATH is the folder of the data set, or its files (plain or gzip): topo.csv of alibaba-lingjun-2023, or
    cluster_topology.csv and gpu_nic_info.csv of zhejianglab-a100-2000.
    """
    from dataclasses import replace

    from railwise.cli.output import write_file
    from railwise.formats.scenario.writer import scenario_text
    from railwise.formats.traces.queue_mix import with_queue
    from railwise.formats.traces.registry import convert as read

    scenario = replace(read(kind, _files(paths), gpus), seed=seed)
    if queue:
        scenario = with_queue(scenario, queue)
    write_file(output, scenario_text(scenario, "yaml"))
    if output != "-":
        counts = f"{len(scenario.nodes)} nodes and {len(scenario.workloads)} workloads"
        click.echo(f"wrote {output}: {counts}\n\nNext:\n  railwise plan {output}\n  railwise get topology -f {output}")


def _files(paths: tuple[str, ...]) -> dict[str, bytes]:
    """Return the bytes of the files, and of those in folders that a data set could have, by name."""
    from railwise.formats.traces.registry import known_name

    files: dict[str, bytes] = {}
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise HintedError(f"{name}: no such file or folder", "name the folder of the data set, or its files")
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in inside:
            if file.is_file() and (file == path or known_name(file.name)):
                if file.stat().st_size > LARGEST_FILE:
                    raise HintedError(f"{file}: more than {LARGEST_FILE} bytes")
                files[str(file)] = file.read_bytes()
    return files
