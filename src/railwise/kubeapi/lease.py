"""The Lease object as an election sees it, and the clock by which it is believed."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import msgspec

from railwise.kubeapi.client import Client, decoded
from railwise.kubeapi.errors import ConflictError
from railwise.kubeapi.objects import ObjectMeta
from railwise.kubeapi.resources import LEASES
from railwise.kubeapi.retry import ONCE


class LeaseSpec(msgspec.Struct, rename="camel", omit_defaults=True):
    """Who holds it, for how long it is valid (seconds) after it was renewed, and how often it changed hands."""

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0


class Lease(msgspec.Struct, rename="camel"):
    """A Lease as it is read."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = msgspec.field(default_factory=LeaseSpec)


def elapsed() -> float:
    """Return seconds on a clock that never jumps and, where the system has one, goes on while the machine sleeps.

    A laptop or a virtual machine that was suspended must not believe that its lease is still fresh.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def timestamp() -> str:
    """Return the time of day as Leases and events carry it; others show it to people and compare nothing with it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class LeaseStore:
    """Reads and writes one Lease. A write succeeds only if nobody else has written since it was read."""

    def __init__(self, client: Client, namespace: str, name: str) -> None:
        """Keep which one."""
        self._client = client
        self.namespace = namespace
        self.name = name

    async def read(self) -> Lease | None:
        """Return the Lease, None if there is none yet.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        return await self._client.find(LEASES, Lease, self.namespace, self.name)

    async def write(self, version: str, spec: LeaseSpec) -> Lease | None:
        """Write the Lease over that version (empty: create it) and return it, None if somebody else was quicker.

        Raises:
            ApiError: the server cannot be reached or refuses.
        """
        metadata = {"name": self.name, "namespace": self.namespace}
        if version:
            metadata["resourceVersion"] = version
        body = {"apiVersion": LEASES.api_version(), "kind": LEASES.kind, "metadata": metadata, "spec": spec}
        path = LEASES.path(self.namespace, self.name if version else "")
        try:
            data = await self._client.write("PUT" if version else "POST", path, LEASES, body, retry=ONCE)
        except ConflictError:
            return None
        return decoded(Lease, data, path)
