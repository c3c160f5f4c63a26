"""What a machine's drivers and tools say when they are asked, asked again every so often."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from railwise.discovery.file_source import kfd_files
from railwise.discovery.hearing import Failed, Sink, Told
from railwise.discovery.local.nvml import NvmlError, read_cards
from railwise.discovery.local.programs import ProgramError, output_of
from railwise.discovery.local.sysfs import read_affinity
from railwise.fabric.observations import Report
from railwise.formats.discovery.settings import Local
from railwise.formats.hosts.kfd import read_kfd
from railwise.formats.hosts.nvidia_smi import CLIQUE, CLUSTER, STATE, read_nvidia_smi
from railwise.formats.hosts.nvml import nvml_report
from railwise.model.errors import InputError

SYSFS: Final = "/sys"
LONGEST: Final = 30.0
"""Seconds that an answer may take; drivers of broken cards hang."""

KFD: Final = "class/kfd/kfd/topology"
NVIDIA_SMI: Final = "nvidia-smi"


class PolledSource:
    """One driver or tool of one machine."""

    def __init__(self, local: Local) -> None:
        """Prepare, without asking."""
        self.name: Final = local.kind
        self._local: Final = local
        self._asking: asyncio.Future[Report] | None = None

    async def once(self, sink: Sink) -> None:
        """Ask once."""
        server = self._local.server
        try:
            sink(Told(self.name, server, await self._answer()))
        except (ProgramError, NvmlError) as error:
            sink(Failed(self.name, server, str(error)))
        except OSError as error:
            sink(Failed(self.name, server, f"{error.filename}: {error.strerror}"))
        except InputError as error:
            sink(Failed(self.name, server, error.faults[0].text()[:200]))

    async def watch(self, sink: Sink) -> None:
        """Ask again and again."""
        try:
            while True:
                await self.once(sink)
                await asyncio.sleep(self._local.every / 1_000_000)
        finally:
            if self._asking is not None:
                self._asking.cancel()

    async def _answer(self) -> Report:
        """Return what is answered in time. A driver that hangs is waited for, not asked a second time meanwhile.

        Raises ProgramError where there is no answer yet, and what the asking raises.
        """
        if self._asking is None:
            self._asking = asyncio.ensure_future(WAYS[self.name](self._local))
        done, _ = await asyncio.wait([self._asking], timeout=LONGEST)
        if not done:
            raise ProgramError(f"{self.name} does not answer")
        asked, self._asking = self._asking, None
        return asked.result()


async def _nvml(local: Local) -> Report:
    return nvml_report(await asyncio.to_thread(read_cards), local.server)


async def _nvidia_smi(local: Local) -> Report:
    query = f"--query-gpu=index,{STATE},{CLIQUE},{CLUSTER}"
    return read_nvidia_smi(await output_of([local.program or NVIDIA_SMI, query, "--format=csv"]), local.server)


async def _kfd(local: Local) -> Report:
    root = Path(local.path or SYSFS)
    return read_kfd(await asyncio.to_thread(kfd_files, root / KFD), local.server, source=str(root / KFD))


async def _affinity(local: Local) -> Report:
    return await asyncio.to_thread(read_affinity, Path(local.path or SYSFS), local.server)


WAYS: Final[dict[str, Callable[[Local], Awaitable[Report]]]] = {
    "nvml": _nvml,
    "nvidia-smi": _nvidia_smi,
    "kfd": _kfd,
    "affinity": _affinity,
}
