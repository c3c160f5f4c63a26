"""``railwise run agent``: what only a node can see of its links and cards, told to discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from railwise.cli.operating import log_options
from railwise.cli.options import access_options

if TYPE_CHECKING:
    from railwise.formats.discovery.settings import Local
    from railwise.kubeapi.client import Client

SOURCES = ("lldpd", "nvml", "nvidia-smi", "kfd", "affinity")


@click.command("agent")
@click.option(
    "--source",
    "wanted",
    multiple=True,
    type=click.Choice(SOURCES),
    help="Ask this; may be given several times. Default: whatever this node has.",
)
@click.option("--sysfs", default="/sys", show_default=True, metavar="FOLDER", help="Where the node's sysfs is mounted.")
@click.option("--lldpd-socket", "socket", default="", metavar="FILE", help="Default: lldpcli's own.")
@click.option("--lldpcli", default="lldpcli", show_default=True, metavar="PROGRAM")
@click.option("--nvidia-smi", default="nvidia-smi", show_default=True, metavar="PROGRAM")
@click.option("--every", type=click.IntRange(5, 3600), default=30, show_default=True, help="Seconds between two looks.")
@click.option(
    "--heartbeat", type=click.IntRange(10, 3600), default=60, show_default=True, help="Seconds between signs of life."
)
@click.option("--node", default="", metavar="NAME", help="Default: the node that the token is bound to.")
@access_options
@log_options
def agent(
    *,
    wanted: tuple[str, ...],
    node: str,
    heartbeat: int,
    kubeconfig: str,
    context: str,
    **asked: object,
) -> int:
    """Tell discovery what only this node can see: its LLDP neighbours, NICs, NVLink or XGMI domain.

    Runs on every node as a DaemonSet and keeps one object, the NodeReport of that node. The API server lets its token
    write no other. `railwise run discovery` reads the reports where its document says `cluster: [{kind: agents}]`.
    """
    import asyncio
    import logging

    from railwise.cli.errors import HintedError
    from railwise.cli.leading import serve
    from railwise.kubeapi.in_cluster import find_access

    access = find_access(kubeconfig, context)

    async def work(client: Client) -> None:
        from random import Random

        from railwise.discovery.agent import NodeAgent
        from railwise.discovery.local.sources import local_source
        from railwise.discovery.node_identity import node_of_headers

        identity = node_of_headers(await access.credentials.headers(), node)
        locals_ = _locals(wanted, identity.name, asked)
        if not locals_:
            raise HintedError("this node has nothing to tell", f"name what to ask with --source: {', '.join(SOURCES)}")
        chance = Random()
        sources = [local_source(one, chance) for one in locals_]
        logging.getLogger("railwise.agent").info(
            "node %s, asks %s", identity.name, ", ".join(one.kind for one in locals_)
        )
        await NodeAgent(client, identity, sources, heartbeat, chance).run()

    return asyncio.run(serve(access, None, work))


def _locals(wanted: tuple[str, ...], node: str, asked: dict[str, object]) -> list[Local]:
    """Return what is to be asked: what was named, else whatever there is."""
    from railwise.formats.discovery.settings import SECOND, Local

    every = int(str(asked["every"])) * SECOND
    sysfs, lldpcli, nvidia_smi = str(asked["sysfs"]), str(asked["lldpcli"]), str(asked["nvidia_smi"])
    ways = {
        "lldpd": Local("lldpd", node, str(asked["socket"]), lldpcli, every),
        "nvml": Local("nvml", node, every=every),
        "nvidia-smi": Local("nvidia-smi", node, program=nvidia_smi, every=every),
        "kfd": Local("kfd", node, sysfs, every=every),
        "affinity": Local("affinity", node, sysfs, every=every),
    }
    return [ways[kind] for kind in wanted or sources_there(sysfs, lldpcli, nvidia_smi)]


def sources_there(sysfs: str, lldpcli: str, nvidia_smi: str) -> list[str]:
    """Return the sources that this node has."""
    import shutil
    from pathlib import Path

    from railwise.discovery.local.nvml import NvmlError, read_cards
    from railwise.discovery.local.polled_source import KFD

    found = ["lldpd"] if shutil.which(lldpcli) else []
    try:
        read_cards()
        found.append("nvml")
    except NvmlError:
        found += ["nvidia-smi"] if shutil.which(nvidia_smi) else []
    found += ["kfd"] if (Path(sysfs) / KFD / "nodes").is_dir() else []
    return found + (["affinity"] if (Path(sysfs) / "bus" / "pci" / "devices").is_dir() else [])
