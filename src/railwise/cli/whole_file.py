"""Files that are there as a whole or not at all: a full disk or a killed run leaves what was there before.

The text goes to a file beside the target, is brought to the disk, and takes the target's place in one step.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from railwise.cli.errors import HintedError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_writable(path: Path, option: str) -> None:
    """Complain before a long run about a file that could not be written after it.

    Raises HintedError where the folder is missing or closed, or the path is a folder.
    """
    folder = path.parent
    if path.is_dir():
        raise HintedError(f"{option} {path}: is a directory", f"name a file in it: {option} {path / 'report.html'}")
    if not folder.is_dir():
        raise HintedError(f"{option} {path}: no such directory: {folder}", f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK) and not _special(path):
        raise HintedError(f"{option} {path}: may not write in {folder}", "name a file in a directory of your own")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file as a whole, or leave what was there; a device or a pipe is written to as it is.

    Raises HintedError, with a hint where the disk is full.
    """
    try:
        if _special(path):
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        full = error.errno in _FULL
        hint = f"free about {-(-len(data) // 1_000_000)} MB, or name another place" if full else "name another place"
        raise HintedError(f"{path}: {reason}; nothing was written", hint) from None


def _special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:60]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where the system can do that for a folder."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        return
    finally:
        os.close(handle)
