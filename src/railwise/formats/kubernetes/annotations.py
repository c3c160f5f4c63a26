"""The annotations ``railwise.dev/…``: what a workload's owner says that Kubernetes has no field for.

They may stand on the object that makes the pods, on its pod template and on the pods; the one nearest to the pod
counts. A value that cannot be read is a fault, because dropping it would drop a rule; a key that does not exist is
only a warning, because other versions may know it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from railwise.formats.kubernetes.dialects.sayings import NOTHING_SAID, Said
from railwise.formats.kubernetes.levels import HOSTNAME_LABEL
from railwise.model.errors import Fault
from railwise.model.quantity import parse_duration
from railwise.model.topology import NODE_LEVEL, Topology
from railwise.model.workload import Segment, TopologyRule

PREFIX = "railwise.dev/"

KINDS = ("batch", "training", "inference")
PATTERNS = ("dense", "moe", "pipeline", "pd", "none")

KEYS = (
    "queue",
    "topology",
    "required",
    "preferred",
    "segment-size",
    "segment-required",
    "segment-preferred",
    "group",
    "traffic",
    "kind",
    "duration",
    "min-pods",
)
"""All keys, without the prefix."""

MARKS = ("node", "nodes")
"""Keys that Railwise writes itself: where it let pods through to."""

NODE_POOL = "kai.scheduler/node-pool"
"""The node label of KAI's pools."""

LARGEST_COUNT = 1_000_000
"""The largest number of pods an annotation may name."""

MOST_LEVEL = 63
"""Characters of a level's name."""

MOST_UNKNOWN = 10
"""So many unknown annotations of one object are named."""

LONGEST_KEY = 63
"""Characters of an annotation's name, without its prefix."""

GROUP = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
"""The form of a group's name."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LABEL = re.compile(r"([a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


class Layer:
    """The annotations of one object, with the path under which they stand."""

    def __init__(self, where: str, annotations: Mapping[str, str], further: Mapping[str, Said] = NOTHING_SAID) -> None:
        """Keep those with our prefix, by their key without it; ``further`` is what other systems' keys say."""
        self.where = where
        self.further = further
        self.values = {key[len(PREFIX) :]: value for key, value in annotations.items() if key.startswith(PREFIX)}

    def path(self, key: str) -> str:
        """Return where a key stands."""
        return f"{self.where}.annotations.{PREFIX}{key}"


@dataclass(frozen=True)
class Wishes:
    """What the annotations ask for; empty and 0: nothing said. ``duration`` is µs.

    Only other systems say the rest: the class of the priority (``kueue/NAME``, or a PriorityClass), whether it may be
    evicted (``true``, ``false``), why it is held or ``refused``, whether its rule is one of a whole PodSet, the level
    of each slice of it, and the name of those it has to lie together with.
    """

    queue: str = ""
    rule: TopologyRule = field(default_factory=TopologyRule)
    segment: Segment | None = None
    group: str = ""
    traffic: str = ""
    kind: str = ""
    duration: int = 0
    min_pods: int = 0
    priority_class: str = ""
    preemptible: str = ""
    held: str = ""
    refused: str = ""
    podset: bool = False
    slice: str = ""
    together: str = ""
    node_pool: str = ""


class _Reader:
    """Looks keys up in layers, nearest last, and collects faults."""

    def __init__(self, layers: Sequence[Layer], topologies: Sequence[Topology], faults: list[Fault]) -> None:
        self.layers = layers
        self.topologies = topologies
        self.faults = faults

    def text(self, key: str) -> tuple[str, str]:
        """Return the value and its path; both empty if nobody gives one."""
        for layer in reversed(self.layers):
            if key in layer.values:
                return layer.values[key].strip(), layer.path(key)
            if key in layer.further:
                return layer.further[key][:2]
        return "", ""

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value, path = self.text(key)
        if path and value not in choices:
            self.faults.append(Fault(path, f"expected one of {', '.join(choices)}, not '{value}'"))
            return ""
        return value

    def count(self, key: str) -> int:
        value, path = self.text(key)
        if not path:
            return 0
        if value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST_COUNT)):
            number = int(value)
            if 1 <= number <= LARGEST_COUNT:
                return number
        self.faults.append(Fault(path, f"expected a whole number from 1 to {LARGEST_COUNT}, not '{value}'"))
        return 0

    def duration(self, key: str) -> int:
        value, path = self.text(key)
        if not path:
            return 0
        try:
            duration = parse_duration(value)
        except ValueError as error:
            self.faults.append(Fault(path, f"{error}, not '{value}'"))
            return 0
        if duration <= 0:
            self.faults.append(Fault(path, f"expected a duration above 0, not '{value}'"))
        return max(duration, 0)

    def name(self, key: str, form: re.Pattern[str], expected: str) -> str:
        value, path = self.text(key)
        if path and not form.fullmatch(value):
            self.faults.append(Fault(path, f"expected {expected}, not '{value}'"))
            return ""
        return value

    def level(self, key: str, topology: str) -> str:
        value = self.name(key, _LABEL, "a level or its node label")
        return level_named(value, self.topologies, topology)


def level_named(value: str, topologies: Sequence[Topology], topology: str) -> str:
    """Return a level by its name, or by the node label of a level of that topology.

    The label of host names is the node. A label that is none of them keeps naming no level, with a dot for its slash:
    names of levels have none.
    """
    for one in topologies:
        for level in one.levels:
            if value and level.label == value and topology in ("", one.name):
                return level.name
    return NODE_LEVEL if value == HOSTNAME_LABEL else value.replace("/", ".")[:MOST_LEVEL].rstrip("._-")


def read_wishes(layers: Sequence[Layer], topologies: Sequence[Topology], faults: list[Fault]) -> Wishes:
    """Return what the layers ask for, the last one first in authority; unreadable values are faults."""
    reader = _Reader(layers, topologies, faults)
    topology = reader.name("topology", _NAME, "the name of a topology")
    default = topology or _meant(reader, topologies)
    if not topology and topologies and default != topologies[0].name:
        topology = default
    rule = TopologyRule(topology, reader.level("required", default), reader.level("preferred", default))
    size = reader.count("segment-size")
    segment_required = reader.level("segment-required", default)
    segment_preferred = reader.level("segment-preferred", default)
    if not size:
        _sizeless(reader)
    return Wishes(
        queue=reader.name("queue", _NAME, "the name of a queue"),
        rule=rule,
        segment=Segment(size, segment_required, segment_preferred) if size else None,
        group=reader.name("group", GROUP, "a name of small letters, digits and '-'"),
        traffic=reader.choice("traffic", PATTERNS),
        kind=reader.choice("kind", KINDS),
        duration=reader.duration("duration"),
        min_pods=reader.count("min-pods"),
        priority_class=reader.text("priority-class")[0],
        preemptible=reader.text("preemptible")[0],
        held=reader.text("held")[0],
        refused=reader.text("refused")[0],
        podset=bool(reader.text("podset")[0]),
        slice=reader.level("slice", default),
        together=reader.text("together")[0],
        node_pool=reader.text("node-pool")[0],
    )


def _meant(reader: _Reader, topologies: Sequence[Topology]) -> str:
    """Return the topology that is meant where none is named: the first that has a label asked for, else the default."""
    if not topologies:
        return ""
    asked = {reader.text(key)[0] for key in ("required", "preferred", "segment-required", "segment-preferred")}
    labels = {value for value in asked if "/" in value}
    having = [one.name for one in topologies if labels & {level.label for level in one.levels}]
    return having[0] if having else topologies[0].name


def _sizeless(reader: _Reader) -> None:
    if reader.text("segment-size")[1]:
        return
    for key in ("segment-required", "segment-preferred"):
        path = reader.text(key)[1]
        if path:
            reader.faults.append(Fault(path, f"needs {PREFIX}segment-size as well"))


def unknown_keys(layers: Sequence[Layer]) -> list[str]:
    """Return a warning for each annotation with our prefix that does not exist, as far as anybody would read on."""
    warnings = []
    for layer in layers:
        unknown = sorted(layer.values.keys() - {*KEYS, *MARKS})
        for key in unknown[:MOST_UNKNOWN]:
            close = difflib.get_close_matches(key[:LONGEST_KEY], KEYS, n=1)
            guess = f", did you mean '{PREFIX}{close[0]}'?" if close else ""
            warnings.append(f"{layer.path(key[:LONGEST_KEY])}: unknown annotation{guess}")
        if len(unknown) > MOST_UNKNOWN:
            warnings.append(f"{layer.where}.annotations: {len(unknown) - MOST_UNKNOWN} more unknown annotations")
    return warnings
