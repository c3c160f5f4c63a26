"""A cable between two network namespaces, with a real lldpd at each end."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


def ip(*arguments: str) -> None:
    """Call iproute2."""
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def update(socket: Path) -> None:
    """Let an lldpd speak at once instead of within 30 s."""
    subprocess.run(["lldpcli", "-u", str(socket), "update"], check=False, capture_output=True)


@pytest.fixture
def cable() -> Iterator[tuple[Path, Path, str]]:
    """Yield the sockets of the lldpd at both ends, and what the namespaces' names begin with."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "lldpd", "lldpcli"))):
        pytest.skip("needs root, iproute2 and lldpd: a cable between two network namespaces")
    name = f"rw{os.getpid()}"
    try:
        for side in "ab":
            ip("netns", "add", f"{name}{side}")
    except subprocess.CalledProcessError:
        pytest.skip("network namespaces are not allowed here")
    daemons = []
    folder = Path(tempfile.mkdtemp(prefix=name))
    folder.chmod(0o755)  # lldpcli gives up being root before it opens the socket
    sockets = [folder / f"{side}.socket" for side in "ab"]
    try:
        ip("link", "add", "nic0", "netns", f"{name}a", "type", "veth", "peer", "name", "swp7", "netns", f"{name}b")
        for side, port, socket in (("a", "nic0", sockets[0]), ("b", "swp7", sockets[1])):
            ip("-n", f"{name}{side}", "link", "set", port, "up")
            command = ["ip", "netns", "exec", f"{name}{side}", "lldpd", "-d", "-u", str(socket), "-I", port]
            daemons.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        deadline = time.monotonic() + 20
        while not all(socket.exists() for socket in sockets):
            assert time.monotonic() < deadline, "lldpd does not start"
            time.sleep(0.1)
        yield sockets[0], sockets[1], name
    finally:
        for daemon in daemons:
            daemon.terminate()
            daemon.wait(10)
        for side in "ab":
            subprocess.run(["ip", "netns", "del", f"{name}{side}"], check=False, capture_output=True)
        shutil.rmtree(folder)
