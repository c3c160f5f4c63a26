"""Sources of this machine from what a document, or an agent's command line, asks for; an agent loads nothing else."""

from __future__ import annotations

import socket
from dataclasses import replace
from random import Random

from railwise.discovery.backoff import Backoff
from railwise.discovery.hearing import Source
from railwise.discovery.local.lldpd_source import LldpdSource
from railwise.discovery.local.polled_source import PolledSource
from railwise.formats.discovery.settings import Local


def local_source(local: Local, chance: Random) -> Source:
    """Return a source of this machine."""
    named = local if local.server else replace(local, server=socket.gethostname())
    return LldpdSource(named, Backoff(chance)) if local.kind == "lldpd" else PolledSource(named)
