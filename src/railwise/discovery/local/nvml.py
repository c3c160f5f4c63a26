"""NVIDIA's management library, asked directly: it comes with the driver, so no package of ours is needed for it.

Only five functions are called. The layouts are those of ``nvml.h``; a structure carries its own version and size, and a
library that knows only others answers with an error, which is told.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from railwise.formats.hosts.nvml import MOST_CARDS, CardFabric

LIBRARY: Final = "libnvidia-ml.so.1"
VARIABLE: Final = "RAILWISE_NVML"
"""Names another library in the environment."""

_UNSUPPORTED: Final = (3, 13, 25)
"""NVML_ERROR_NOT_SUPPORTED, _FUNCTION_NOT_FOUND, _ARGUMENT_VERSION_MISMATCH: an old driver or card, not a failure."""


class NvmlError(Exception):
    """The library is not there or refuses; the message says why, and what to do."""


class _FabricInfo(ctypes.Structure):
    """``nvmlGpuFabricInfo_v2_t``."""

    _fields_: ClassVar = [
        ("version", ctypes.c_uint),
        ("cluster", ctypes.c_uint8 * 16),
        ("status", ctypes.c_uint),
        ("clique", ctypes.c_uint32),
        ("state", ctypes.c_uint8),
        ("health", ctypes.c_uint32),
    ]


class _PlatformInfo(ctypes.Structure):
    """``nvmlPlatformInfo_v2_t``."""

    _fields_: ClassVar = [
        ("version", ctypes.c_uint),
        ("guid", ctypes.c_uint8 * 16),
        ("chassis", ctypes.c_uint8 * 16),
        ("slot", ctypes.c_uint8),
        ("tray", ctypes.c_uint8),
        ("host", ctypes.c_uint8),
        ("peer", ctypes.c_uint8),
        ("module", ctypes.c_uint8),
    ]


def read_cards() -> list[CardFabric]:
    """Return what the library says of each card. Raises NvmlError."""
    with _library() as library:
        count = ctypes.c_uint()
        _check(library, library.nvmlDeviceGetCount_v2(ctypes.byref(count)))
        return [_card(library, index) for index in range(min(count.value, MOST_CARDS))]


def _card(library: ctypes.CDLL, index: int) -> CardFabric:
    device = ctypes.c_void_p()
    _check(library, library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)))
    fabric = _FabricInfo(version=_version(_FabricInfo))
    if not _asked(library, "nvmlDeviceGetGpuFabricInfoV", device, fabric):
        return CardFabric(bytes(16), 0, 0)
    place = _PlatformInfo(version=_version(_PlatformInfo))
    known = _asked(library, "nvmlDeviceGetPlatformInfo", device, place)
    return CardFabric(
        cluster=bytes(fabric.cluster),
        clique=fabric.clique,
        state=fabric.state,
        status=fabric.status,
        health=fabric.health,
        chassis=bytes(place.chassis).split(b"\0")[0].decode("ascii", "replace") if known else "",
        tray=place.tray if known else -1,
    )


def _asked(library: ctypes.CDLL, name: str, device: ctypes.c_void_p, into: ctypes.Structure) -> bool:
    """Fill a structure, and return whether driver and card know it at all. Raises NvmlError."""
    if not hasattr(library, name):
        return False
    code = int(getattr(library, name)(device, ctypes.byref(into)))
    if code in _UNSUPPORTED:
        return False
    _check(library, code)
    return True


def _version(kind: type[ctypes.Structure]) -> int:
    """Return what stands in ``version``: the size, and 2 for the second layout."""
    return ctypes.sizeof(kind) | 2 << 24


@contextmanager
def _library() -> Iterator[ctypes.CDLL]:
    name = os.environ.get(VARIABLE) or LIBRARY
    try:
        library = ctypes.CDLL(name)
        library.nvmlErrorString.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        hint = "it comes with NVIDIA's driver; in a container, with NVIDIA_DRIVER_CAPABILITIES=utility"
        raise NvmlError(f"{name} cannot be loaded ({error}): {hint}") from None
    _check(library, library.nvmlInit_v2())
    try:
        yield library
    finally:
        library.nvmlShutdown()


def _check(library: ctypes.CDLL, code: int) -> None:
    if code:
        text = library.nvmlErrorString(ctypes.c_int(code)) or b""
        raise NvmlError(f"NVML: {text.decode('ascii', 'replace')[:100]} ({code})")
