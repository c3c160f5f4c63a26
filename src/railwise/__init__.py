"""Railwise: a topology-aware scheduler for AI clusters on Kubernetes.

It finds the right slots for AI workloads, not just free ones: it learns how GPU nodes are wired, decides where gangs of
pods go, and lets both be proved on a virtual fabric first. This package imports nothing by itself, so that a command
pays only for the rooms it enters.
"""

from __future__ import annotations

from typing import Literal

__version__ = "0.1.0"


def build_kind() -> Literal["pure", "compiled"]:
    """Tell which build of the decision engine is installed.

    The same sources give two builds with the same plans: interpreted Python, or extension modules made by mypyc. The
    engine's state module is located, not loaded, and its file name judged.
    """
    from importlib.machinery import EXTENSION_SUFFIXES  # noqa: PLC0415 -- only callers of this function pay for it
    from importlib.util import find_spec  # noqa: PLC0415

    spec = find_spec("railwise.engine.cluster.state")
    origin = spec.origin if spec is not None else None
    return "compiled" if origin is not None and origin.endswith(tuple(EXTENSION_SUFFIXES)) else "pure"
