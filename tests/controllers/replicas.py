"""Schedulers as processes of their own, each behind its own bad network: killed, paused, started again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import yaml

from railwise.kubeapi.access import Access
from railwise.kubeapi.changes import Snapshot, Spoiled
from railwise.kubeapi.client import Client
from railwise.kubeapi.lease import Lease
from railwise.kubeapi.resources import LEASES
from railwise.kubeapi.watching import Scope
from tests.controllers.fault_proxy import FaultProxy

VALID = 5
"""Seconds for which a Lease is valid here."""


class Replica:
    """One scheduler. ``lives`` are the process numbers that it had, with the faults' proxy that saw its binds."""

    def __init__(self, name: str, proxy: FaultProxy, config: Path, space: str, scheduler: str) -> None:
        self.name = name
        self.proxy = proxy
        self.log = config.with_suffix(".log")
        self._command = [sys.executable, "-m", "railwise", "run", "scheduler", "--kubeconfig", str(config)]
        self._command += ["--scheduler-name", scheduler, "--lease", f"{space}/scheduler"]
        self._command += ["--lease-duration", str(VALID)]
        self._process: subprocess.Popen[bytes] | None = None
        self.lives: list[int] = []

    def start(self) -> None:
        """Start it, if it does not run."""
        if self._process is None or self._process.poll() is not None:
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
            self.lives.append(self._process.pid)

    def signal(self, sign: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, sign)

    def kill(self) -> None:
        """End it as a lost machine would."""
        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def leads(self, holder: str) -> bool:
        """Return whether the holder of the Lease is this replica, in one of its lives."""
        return any(f"_{pid}_" in holder for pid in self.lives)


@asynccontextmanager
async def replica(
    name: str, access: Access, folder: Path, seed: int, share: float, space: str, scheduler: str
) -> AsyncIterator[Replica]:
    """Run a scheduler behind a bad network until the end."""
    proxy = FaultProxy(access, seed, share, streams=seed % 2 == 0)
    async with proxy.served() as bad:
        config = folder / f"{name}.yaml"
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": bad.server}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
            "current-context": "c",
        }
        config.write_text(yaml.safe_dump(document), encoding="utf-8")
        one = Replica(name, proxy, config, space, scheduler)
        one.start()
        try:
            yield one
        finally:
            one.signal(signal.SIGCONT)
            one.kill()


class Reign(NamedTuple):
    """Who took the Lease, and when (``time.time``), as he says himself."""

    since: float
    holder: str


class Reigns:
    """Everybody who has led, by watching the Lease; both replicas and this test have the clock of one machine."""

    def __init__(self, client: Client, space: str) -> None:
        self._client = client
        self._space = space
        self.all: list[Reign] = []

    async def watch(self) -> None:
        async for event in self._client.follow(LEASES, Lease, Scope(self._space)):
            if isinstance(event, Spoiled):
                continue
            for lease in event.objects if isinstance(event, Snapshot) else [event.object]:
                spec = lease.spec
                if spec.holder_identity and (not self.all or self.all[-1].holder != spec.holder_identity):
                    self.all.append(Reign(datetime.fromisoformat(spec.acquire_time).timestamp(), spec.holder_identity))

    async def holder(self, patience: float = 60.0) -> str:
        """Return who leads, as soon as somebody does."""
        async with asyncio.timeout(patience):
            while not self.all:  # noqa: ASYNC110 -- what is waited for happens in another process
                await asyncio.sleep(0.1)
        return self.all[-1].holder

    def at(self, moment: float) -> str:
        """Return who led at a time."""
        return next((one.holder for one in reversed(self.all) if one.since <= moment), "")
