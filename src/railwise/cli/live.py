"""Reading a live cluster for a command that asks once and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from railwise.cli.asked import Cluster
    from railwise.controllers.look import Look


def look_at_cluster(cluster: Cluster, levels: str) -> Look:
    """Return the cluster as it is now.

    Raises:
        ApiError: it cannot be reached, or nodes or pods may not be listed.
        KubeconfigError: there is no such context, or its credentials cannot be used.
        InputError: ``levels`` cannot be read.
    """
    import asyncio

    from railwise.cli.leading import live_policy
    from railwise.controllers.look import look_at
    from railwise.kubeapi.client import connect
    from railwise.kubeapi.in_cluster import find_access
    from railwise.kubeapi.retry import RetryPolicy
    from railwise.kubeapi.settings import Settings

    policy = live_policy(cluster.settings)
    access = find_access(cluster.kubeconfig or "", cluster.context or "")

    async def read() -> Look:
        async with connect(access, Settings(retry=RetryPolicy(attempts=2, longest_wait=5.0))) as client:
            return await look_at(client, cluster.scheduler, levels, policy)

    return asyncio.run(read())
