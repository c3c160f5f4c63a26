"""All sources that a discovery document names, ready to run; a laboratory stands for everything it offers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

from railwise.discovery.backoff import Backoff
from railwise.discovery.file_source import FileSource
from railwise.discovery.gnmi_source import GnmiSource
from railwise.discovery.hearing import Source
from railwise.discovery.local.sources import local_source
from railwise.discovery.manager_source import ManagerSource
from railwise.discovery.place_source import PlaceSource
from railwise.discovery.report_source import ReportSource
from railwise.formats.discovery.settings import HostFiles, Login, Manager, Settings, Target, Trust
from railwise.kubeapi.access import Access
from railwise.kubeapi.in_cluster import find_access
from railwise.model.errors import Fault, InputError

Reached = TypeVar("Reached", Target, Manager)

AT_ONCE: Final = 128
"""So many switches are asked for their first table at the same time."""

DIRECTORY: Final = "lab.json"
LARGEST_DIRECTORY: Final = 64 * 1024 * 1024
LAB_FILES: Final = (
    HostFiles("lldpctl", "hosts/*/lldpctl.json"),
    HostFiles("nvidia-smi", "hosts/*/nvidia-smi.csv"),
    HostFiles("kfd", "hosts/*/kfd"),
    HostFiles("ibnetdiscover", "ibnetdiscover.txt"),
)


def sources_of(
    settings: Settings, base: Path, chance: Random, usual: Callable[[], Access] = find_access
) -> list[Source]:
    """Return the sources; relative paths start from ``base``, and ``chance`` spreads their attempts.

    ``usual`` is the API server that is asked where the settings name none.

    Raises InputError where the laboratory that is named does not run.
    """
    settings = with_laboratory(settings, base)
    gate = asyncio.Semaphore(AT_ONCE)
    found: list[Source] = [GnmiSource(_beside(target, base), Backoff(chance), gate) for target in settings.targets]
    found += [FileSource(files, base) for files in settings.files]
    found += [ManagerSource(_beside(manager, base), Backoff(chance)) for manager in settings.managers]
    found += [local_source(one, chance) for one in settings.local]
    for one in settings.cluster:
        access = partial(find_access, str(base / one.kubeconfig), one.context) if one.kubeconfig else usual
        found.append(ReportSource(access) if one.kind == "agents" else PlaceSource(one, access))
    return found


def with_laboratory(settings: Settings, base: Path) -> Settings:
    """Return the settings with the laboratory's switches and files in place of its folder. Raises InputError."""
    if not settings.lab:
        return settings
    folder = base / settings.lab
    path = folder / DIRECTORY
    try:
        directory = json.loads(path.read_bytes()[:LARGEST_DIRECTORY])
        targets = tuple(_lab_target(entry) for entry in directory["switches"])
    except OSError as error:
        hint = "start one with `railwise fabric serve FABRIC`"
        raise InputError([Fault("spec.lab", f"no laboratory runs in {folder}: {error.strerror}", hint)]) from None
    except (ValueError, KeyError, TypeError):
        raise InputError([Fault("spec.lab", f"{path} is no directory of a laboratory")]) from None
    files = [replace(one, path=str(folder / one.path)) for one in LAB_FILES if any(folder.glob(one.path))]
    return replace(settings, targets=settings.targets + targets, files=(*settings.files, *files))


def _lab_target(entry: dict[str, Any]) -> Target:
    host, _, port = str(entry["address"]).rpartition(":")
    return Target(str(entry["name"]), host.strip("[]"), int(port), trust=Trust(insecure=True))


def _beside(one: Reached, base: Path) -> Reached:
    """Return a target or manager with the files of its certificates and password looked up beside the document."""
    trust: Trust = one.trust
    login: Login = one.login
    trust = replace(
        trust,
        authority=_path(trust.authority, base),
        certificate=_path(trust.certificate, base),
        key=_path(trust.key, base),
    )
    return replace(one, trust=trust, login=replace(login, password_file=_path(login.password_file, base)))


def _path(name: str, base: Path) -> str:
    return str(base / name) if name else ""
