"""Files and standard input as bytes, and a scenario from all of them together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from railwise.cli.errors import HintedError, warning_line
from railwise.model.policy import Policy
from railwise.model.scenario import Scenario

if TYPE_CHECKING:
    from railwise.controllers.look import Look

STANDARD_INPUT = "-"
START_HINT = "`railwise init` writes a scenario to start from"
MANIFESTS = (".yaml", ".yml", ".json")
"""The files of a folder that are read."""


def read_sources(names: Sequence[str], otherwise: str = START_HINT) -> list[tuple[str, bytes]]:
    """Return (name, bytes) of every file; ``-`` is standard input, at most once.

    ``otherwise`` is the hint for a file that is not there, and nothing has a similar name.

    Raises:
        HintedError: nothing was named, a name is no readable file, or standard input is named twice.
    """
    if not names:
        raise HintedError(
            "no input file", "name a scenario (`railwise init` writes one to start from), or a cluster with --context"
        )
    if list(names).count(STANDARD_INPUT) > 1:
        raise HintedError("standard input (-) can be read only once")
    return [_read(name, otherwise) for name in names]


def _read(name: str, otherwise: str) -> tuple[str, bytes]:
    if name == STANDARD_INPUT:
        return "<stdin>", _bytes(sys.stdin.buffer)
    path = Path(name)
    try:
        if path.is_dir():
            raise HintedError(f"{name}: is a directory, not a file", f"name the files in it: {name.rstrip('/')}/*.yaml")
        with path.open("rb") as file:
            return name, _bytes(file)
    except FileNotFoundError:
        raise HintedError(f"{name}: no such file", _similar(path, otherwise)) from None
    except OSError as error:
        raise HintedError(f"{name}: {error.strerror}") from None


def _bytes(file: BinaryIO) -> bytes:
    """Read no more than a document may hold, and one byte by which its reader sees that there was more."""
    from railwise.formats.document import MOST_BYTES

    return file.read(MOST_BYTES + 1)


def _similar(path: Path, otherwise: str) -> str:
    """Return a hint that names files with a similar name, or else where to get one."""
    from difflib import get_close_matches

    folder = path.parent
    names = [entry.name for entry in folder.iterdir() if entry.is_file()] if folder.is_dir() else []
    close = get_close_matches(path.name, sorted(names)[:2000], n=3)
    if close:
        return "did you mean " + " or ".join(str(folder / name) for name in close) + "?"
    return otherwise


def read_beside(folders: Sequence[Path], name: str) -> list[tuple[str, bytes]]:
    """Return (name, bytes) of a file that a document names, or of the files of a folder, beside the first that has it.

    Raises:
        OSError: it is nowhere, or cannot be read.
    """
    path = next((folder / name for folder in folders if (folder / name).exists()), folders[0] / name)
    files = sorted(one for one in path.iterdir() if one.suffix in MANIFESTS) if path.is_dir() else [path]
    found = []
    for file in files:
        with file.open("rb") as opened:
            found.append((str(file), _bytes(opened)))
    return found


def load_scenario(
    names: Sequence[str], levels: str = "", told: Sequence[str] = (), look: Look | None = None
) -> Scenario:
    """Read files into one scenario and print its warnings, but those that were ``told`` before.

    With a ``look`` at a live cluster the files are added to what runs and waits there; the policy is that of the files
    if they have one, as for a controller with such settings.

    Raises:
        HintedError: a file cannot be read.
        InputError: a document is not valid.
    """
    from railwise.formats.inputs import read_inputs

    folders = [Path(name).parent if name != STANDARD_INPUT else Path() for name in names]
    base = replace(look.scenario, policy=Policy()) if look is not None else None
    known = look.known if look is not None else None
    scenario = read_inputs(read_sources(names), levels, lambda name: read_beside(folders, name), base, known)
    if look is not None:
        live = look.scenario.policy
        grace = scenario.policy.node_grace or live.node_grace
        policy = live if scenario.policy == Policy() else replace(scenario.policy, node_grace=grace)
        scenario = replace(scenario, policy=policy)
    for warning in scenario.warnings:
        if warning not in told:
            warning_line(warning)
    return scenario
