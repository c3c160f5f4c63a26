"""How long it takes until the cabling of 1,000 leaves is known over real gNMI, and until a moved cable is.

Two processes on loopback, as in the field: one is the laboratory (a gNMI server per switch, every one telling of 64
ports), the other asks. Memory is that of both together.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.calibration import speed
from benchmarks.result import Bars, Quantity, Result
from railwise.fabric.designs import DESIGNS
from railwise.fabric.elements import Port
from railwise.fabric.fabric_map import Map
from railwise.fabric.mapper import Mapper
from railwise.formats.fabric.writer import fabric_text

UNITS, SERVERS, RAILS, SPINES = 125, 32, 8, 32
LINKS = UNITS * RAILS * (SERVERS + SPINES)
SWAP = ("leaf-0003/Ethernet0", "leaf-0011/Ethernet0")


@dataclass(frozen=True)
class Measured:
    """Seconds to the whole map and from the last answer to it, to a change and of processor for it; MB of both."""

    whole: float
    after_last: float
    change: float
    change_cpu: float
    megabytes: float
    speed: float


@contextmanager
def served(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Serve the fabric in a process of its own."""
    design = DESIGNS["rail-optimised"]
    size = replace(design.usual, units=UNITS, servers=SERVERS, rails=RAILS, spines=SPINES)
    (folder / "fabric.yaml").write_text(fabric_text(design.draw(size)))
    command = [sys.executable, "-m", "railwise", "fabric", "serve", "fabric.yaml", "--lab", "lab"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Ctrl-C"):
                break
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


@cache
def measured() -> Measured:
    """Serve, ask in a further process, and return what it measured."""
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as laboratory:
        before = speed()
        command = [sys.executable, "-m", "benchmarks.bench_discovery", name]
        environment = os.environ | {"GRPC_VERBOSITY": "ERROR"}
        asked = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        document = json.loads(asked.stdout)
        status = Path(f"/proc/{laboratory.pid}/status")
        peak = int(status.read_text().split("VmHWM:")[1].split()[0]) / 1000 if status.exists() else 0.0
    document["megabytes"] += peak
    return Measured(**document, speed=(before + speed()) / 2)


async def ask(folder: Path) -> dict[str, float]:
    """Watch the laboratory until its map is whole, move a cable, and wait for the map that knows."""
    from railwise.discovery.assembly import sources_of, with_laboratory  # noqa: PLC0415 # in this process alone
    from railwise.discovery.collector import Collector  # noqa: PLC0415
    from railwise.discovery.hearing import Hearing  # noqa: PLC0415
    from railwise.discovery.tables import Tables  # noqa: PLC0415
    from railwise.formats.discovery.settings import Settings  # noqa: PLC0415
    from railwise.lab.control import send  # noqa: PLC0415

    settings = replace(with_laboratory(Settings(lab="lab"), folder), lab="", files=())
    begin = time.perf_counter()
    last_answer = begin

    class Noting(Tables):
        def take(self, hearing: Hearing, now: int):  # type: ignore[no-untyped-def] # noqa: ANN202 # as in Tables
            nonlocal last_answer
            last_answer = time.perf_counter()
            return super().take(hearing, now)

    drawing = 0.0

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:  # noqa: ANN401 # whatever it takes
            nonlocal drawing
            start = time.process_time()
            try:
                return work(*arguments)
            finally:
                drawing += time.process_time() - start

        return run

    Mapper.hear, Mapper.map = timed(Mapper.hear), timed(Mapper.map)  # type: ignore[method-assign]
    sources = sources_of(settings, folder, Random(0))
    collector = Collector(sources, Noting(settings.speakers), lambda: time.time_ns() // 1000)
    maps = aiter(collector.watch())
    drawn = await anext(maps)
    assert len(drawn.links()) == LINKS, len(drawn.links())
    whole, after_last = time.perf_counter() - begin, time.perf_counter() - last_answer
    port = Port(*SWAP[0].split("/"))
    order = {"do": "replug", "ends": list(SWAP)}
    moved, drawing = time.perf_counter(), 0.0
    await asyncio.to_thread(send, folder / "lab" / "control.sock", order)
    await _until(maps, lambda one: one.edges[port] != drawn.edges[port])
    change, change_cpu = time.perf_counter() - moved, drawing
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return {
        "whole": whole, "after_last": after_last, "change": change, "change_cpu": change_cpu, "megabytes": peak,
    }  # fmt: skip


async def _until(maps: AsyncIterator[Map], wanted: Callable[[Map], bool]) -> None:
    async with asyncio.timeout(120):
        async for one in maps:
            if wanted(one):
                return


def _seconds(name: str, bar: float) -> Result:
    found = measured()
    value = float(getattr(found, name))
    bars = Bars(pure=bar, compiled=bar)
    return Result(value, "s", Quantity.DURATION, higher_is_better=False, bars=bars, speed=found.speed)


def megabytes() -> Result:
    """Return the most memory of both processes together."""
    bars = Bars(pure=600.0, compiled=600.0)
    return Result(measured().megabytes, "MB", Quantity.PLAIN, higher_is_better=False, bars=bars)


BENCHMARKS: dict[str, Callable[[], Result]] = {
    "discover-1000": lambda: _seconds("whole", 60.0),
    "discover-1000-last": lambda: _seconds("after_last", 10.0),
    "discover-1000-rss": megabytes,
    "discover-change": lambda: _seconds("change", 5.0),
    "discover-change-cpu": lambda: _seconds("change_cpu", 0.050),
}
"""What is measured here."""

if __name__ == "__main__":
    print(json.dumps(asyncio.run(ask(Path(sys.argv[1])))))
    sys.stdout.flush()
    os._exit(0)  # a thousand open streams would take a while to close, and nobody is interested
