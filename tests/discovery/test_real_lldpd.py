"""Real lldpd on a small leaf-spine of network namespaces: real frames, real ``lldpcli``, and the right map of them.

Nothing of ours speaks here but the reader and the map. It needs root, network namespaces, ``ip`` and ``lldpd``
(Debian and Ubuntu: package ``lldpd``), and says so where they are not to be had.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from railwise.discovery.hearing import Whole
from railwise.discovery.tables import Tables
from railwise.fabric.fabric_map import LEAF_GROUP, Map
from railwise.fabric.findings import Kind
from railwise.fabric.mapper import build
from railwise.fabric.observations import SERVER, SWITCH, Inventory, Report
from railwise.formats.lldp.lldpctl import read_lldpctl
from railwise.formats.lldp.record import LldpRecord

pytestmark = pytest.mark.slow

SERVERS = ("gpu-1", "gpu-2", "gpu-3", "gpu-4")
LEAVES = ("leaf-1", "leaf-2", "leaf-3", "leaf-4", "leaf-5", "leaf-6")
CABLES = (
    *((f"gpu-{server}", f"eth{rail}", f"leaf-{3 * unit + rail + 1}", f"swp{server}")
      for unit in range(2) for server in (2 * unit + 1, 2 * unit + 2) for rail in range(3)),
    *((leaf, "swp9", "spine-1", f"swp{number}") for number, leaf in enumerate(LEAVES, 1)),
)  # fmt: skip
PATIENCE = 60.0


class Machine(NamedTuple):
    """A namespace with its own lldpd."""

    name: str
    space: str
    socket: Path
    daemon: subprocess.Popen[bytes]

    def lldpcli(self, *words: str) -> str:
        done = subprocess.run(["lldpcli", "-u", str(self.socket), *words], capture_output=True, text=True, check=True)
        return done.stdout


def why_not() -> str:
    """Return what is lacking here."""
    missing = [name for name in ("ip", "unshare", "lldpd", "lldpcli") if shutil.which(name) is None]
    if missing:
        return f"no {' and no '.join(missing)} here"
    if os.geteuid() != 0:
        return "network namespaces need root"
    tried = subprocess.run(["ip", "netns", "add", f"rw-{os.getpid()}-try"], capture_output=True, text=True, check=False)
    if tried.returncode:
        return f"no network namespaces here: {tried.stderr.strip()}"
    ip("netns", "delete", f"rw-{os.getpid()}-try")
    return ""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def start(name: str, space: str, folder: Path) -> Machine:
    """Start lldpd in a namespace, on a machine of that name."""
    socket = folder / f"{name}.sock"
    named = ["unshare", "--uts", "sh", "-c", f"hostname {name} && exec lldpd -d -u {socket}"]
    command = ["ip", "netns", "exec", space, *named]
    with (folder / f"{name}.log").open("wb") as log:
        return Machine(name, space, socket, subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))


def introduce(one: Machine) -> None:
    """Let lldpd speak every second, and say what it is."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            one.lldpcli("configure", "lldp", "tx-interval", "1")
        except subprocess.CalledProcessError:
            if one.daemon.poll() is not None or time.monotonic() > deadline:
                log = one.socket.with_suffix(".log").read_text()
                pytest.skip(f"lldpd does not run here: {log[-200:].strip()}")
            time.sleep(0.1)
        else:
            break
    if one.name not in SERVERS:
        with contextlib.suppress(subprocess.CalledProcessError):  # releases before 1.0.15 have no word for it
            one.lldpcli("configure", "system", "capabilities", "enabled", "bridge,router")


@pytest.fixture(scope="module")
def machines() -> Iterator[dict[str, Machine]]:
    if lack := why_not():
        pytest.skip(f"no real lldpd: {lack}")
    folder = Path(tempfile.mkdtemp(prefix="railwise-lldpd-"))
    folder.chmod(0o755)  # lldpd gives up its rights, and must still reach its socket
    spaces = {name: f"rw-{os.getpid()}-{name}" for name in (*SERVERS, *LEAVES, "spine-1")}
    running: dict[str, Machine] = {}
    try:
        for space in spaces.values():
            ip("netns", "add", space)
        for one, port, other, far in CABLES:
            ip("link", "add", port, "netns", spaces[one], "type", "veth", "peer", "name", far, "netns", spaces[other])
            ip("-n", spaces[one], "link", "set", port, "up")
            ip("-n", spaces[other], "link", "set", far, "up")
        for name, space in spaces.items():
            running[name] = start(name, space, folder)
        for one_machine in running.values():
            introduce(one_machine)
        yield running
    finally:
        for one_machine in running.values():
            one_machine.daemon.terminate()
        for one_machine in running.values():
            one_machine.daemon.wait(timeout=20)
        for space in spaces.values():
            subprocess.run(["ip", "netns", "delete", space], capture_output=True, check=False)
        shutil.rmtree(folder)


def heard(machine: Machine) -> dict[str, tuple[LldpRecord, ...]]:
    ports: dict[str, tuple[LldpRecord, ...]] = {}
    for record in read_lldpctl(machine.lldpcli("-f", "json0", "show", "neighbors", "details").encode()):
        ports[record.port] = (*ports.get(record.port, ()), record)
    return ports


def until(
    machines: dict[str, Machine], wanted: dict[tuple[str, str], str]
) -> dict[str, dict[str, tuple[LldpRecord, ...]]]:
    """Return what everybody hears when every port hears whom it should."""
    deadline = time.monotonic() + PATIENCE
    while True:
        tables = {name: heard(one) for name, one in machines.items()}
        found = {
            (name, port): records[0].system_name for name, ports in tables.items() for port, records in ports.items()
        }
        if found == wanted:
            return tables
        assert time.monotonic() < deadline, f"lldpd hears {found}"
        time.sleep(0.3)


def whom(cables: tuple[tuple[str, str, str, str], ...]) -> dict[tuple[str, str], str]:
    """Return who is to be heard at every port."""
    ends = [*cables, *((other, far, one, port) for one, port, other, far in cables)]
    return {(one, port): other for one, port, other, _ in ends}


def drawn(
    tables: dict[str, dict[str, tuple[LldpRecord, ...]]], names: tuple[str, ...], previous: Map | None = None
) -> Map:
    """Return the map of what some of the machines hear."""
    taken = Tables({})
    reports: list[Report] = []
    for name in names:
        kind = SERVER if name in SERVERS else SWITCH
        report = taken.take(Whole("lldpctl" if kind == SERVER else "gnmi", name, tables[name], kind), 1)
        assert report is not None
        reports.append(report)
    return build(reports, previous, inventory=Inventory(SERVERS), now=1)


def groups(found: Map) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(one.servers, one.switches) for one in found.domains if one.level == LEAF_GROUP]


UNITS = [(("gpu-1", "gpu-2"), ("leaf-1", "leaf-2", "leaf-3")), (("gpu-3", "gpu-4"), ("leaf-4", "leaf-5", "leaf-6"))]


def test_real_frames_make_the_right_map(machines: dict[str, Machine]) -> None:
    tables = until(machines, whom(CABLES))
    everybody = drawn(tables, tuple(machines))
    assert groups(everybody) == UNITS
    assert {edge.ports() for edge in everybody.links()} == {
        tuple(sorted((f"{one}/{port}", f"{other}/{far}"))) for one, port, other, far in CABLES
    }
    assert all(edge.sides() == 2 for edge in everybody.links()), "both ends of each cable tell of it"
    assert {name: everybody.devices[name].tier for name in (*LEAVES, "spine-1")} == dict.fromkeys(LEAVES, 0) | {
        "spine-1": 1
    }
    servers_alone = drawn(tables, SERVERS)
    assert groups(servers_alone) == UNITS, "the servers' own lldpd is enough for the groups"
    assert not everybody.of_kind(Kind.ONE_SIDED, Kind.CONFLICT, Kind.UNKNOWN_NEIGHBOUR)


def plug(machines: dict[str, Machine], leaf: str) -> None:
    """Pull the first cable of gpu-1 and plug it into swp1 of a leaf, as slowly as people do.

    An interface that is gone and back within a moment leaves lldpd deaf on all others.
    """
    server, there = machines["gpu-1"].space, machines[leaf].space
    ip("-n", server, "link", "delete", "eth0")
    time.sleep(2.5)
    ip("link", "add", "eth0", "netns", server, "type", "veth", "peer", "name", "swp1", "netns", there)
    ip("-n", server, "link", "set", "eth0", "up")
    ip("-n", there, "link", "set", "swp1", "up")


def test_a_cable_that_is_moved_is_told_as_a_stray_and_changes_no_group(machines: dict[str, Machine]) -> None:
    everybody = tuple(machines)
    before = drawn(until(machines, whom(CABLES)), everybody)
    plug(machines, "leaf-4")
    try:
        moved = tuple(("gpu-1", "eth0", "leaf-4", "swp1") if one[:2] == ("gpu-1", "eth0") else one for one in CABLES)
        after = drawn(until(machines, whom(moved)), everybody, before)
    finally:
        plug(machines, "leaf-1")
    assert [servers for servers, _ in groups(after)] == [servers for servers, _ in UNITS]
    stray = after.of_kind(Kind.MISWIRED)
    assert [(one.ports, one.inferred) for one in stray] == [(("gpu-1/eth0", "leaf-4/swp1"), True)]
