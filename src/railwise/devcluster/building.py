"""Building the control plane from source: one Go module, one folder in the cache, once for each version.

A build takes a quarter of an hour on two cores, so it must neither start unasked nor be lost half-way: each program is
put in its place when it is whole, a second build waits for the first and finds its work done, and the user is told
what happens and for how long.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from railwise.devcluster.errors import ControlPlaneError, NoControlPlaneError
from railwise.devcluster.programs import (
    ENVTEST_VARIABLE,
    FOLDER_VARIABLE,
    MODULE,
    PROGRAMS,
    Programs,
    cache_folder,
    find_programs,
    go_toolchain,
    lacking,
    why_not_buildable,
)

EXPECTED = "about 20 minutes on two cores, once"
"""How long people have to wait for all programs."""

LAST_LINES = 12
"""So many lines of the compiler's output are repeated in an error."""

Tell = Callable[[str], None]


def ensure_programs(
    names: Sequence[str], tell: Tell, environment: Mapping[str, str] = os.environ, module: Path = MODULE
) -> Programs:
    """Return a folder with the programs, building what is missing; ``tell`` is given a line at each step.

    Raises:
        NoControlPlaneError: they are switched off, or a build lacks something here.
        ControlPlaneError: the build failed.
    """
    found = find_programs(names, environment, module)
    if found is not None:
        return found
    lack = why_not_buildable(environment, module)
    target, go = cache_folder(environment, module), go_toolchain(environment)
    if lack or target is None or go is None:
        hint = f"or name a folder with {' and '.join(names)} in {FOLDER_VARIABLE} or {ENVTEST_VARIABLE}"
        raise NoControlPlaneError("the control plane", lack, hint)
    target.mkdir(parents=True, exist_ok=True)
    with _alone(target, tell):
        missing = lacking(target, names)
        if missing:
            tell(f"building {', '.join(missing)} into {target}: {EXPECTED}")
        for number, name in enumerate(missing, 1):
            started = time.monotonic()
            _build(go, name, target, environment, module)
            tell(f"built {name} ({number} of {len(missing)}) in {time.monotonic() - started:.0f} s")
    return Programs(target, "the cache")


@contextmanager
def _alone(target: Path, tell: Tell) -> Iterator[None]:
    """Hold the folder's lock; the operating system gives it back however this process ends."""
    with (target / ".lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"waiting for another build into {target}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(go: str, name: str, target: Path, environment: Mapping[str, str], module: Path) -> None:
    """Build one program beside its place and move it there."""
    fresh = target / f".{name}.new"
    flags = ["-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", f"-s -w {version_flags(module)}"]
    command = [go, "build", *flags, "-o", str(fresh), PROGRAMS[name]]
    variables = {**environment, "CGO_ENABLED": "0", "GOWORK": "off"}
    done = subprocess.run(
        command, cwd=module, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-LAST_LINES:])
        hint = "the build needs Go 1.26 or newer and a module proxy (GOPROXY) in reach"
        raise ControlPlaneError(name, f"cannot be built: `go build` ended with {done.returncode}\n{last}", hint)
    fresh.replace(target / name)


def version_flags(module: Path = MODULE) -> str:
    """Return the linker's flags by which Kubernetes programs know their version, which release builds set likewise."""
    found = re.search(r"^\s*k8s\.io/kubernetes v((\d+)\.(\d+)\S*)", (module / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        return ""
    values = {"gitVersion": f"v{found[1]}", "gitMajor": found[2], "gitMinor": found[3], "gitTreeState": "clean"}
    return " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in values.items())
