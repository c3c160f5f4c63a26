"""The kinds of values that occur all over a scenario: names, places, labels, amounts, times, hostlists.

Names end up in file names, terminals and web pages, so they hold letters, digits, dash and dot, as in Kubernetes.
Places (domains of a level) are values of node labels and may hold capital letters and underscores too.
"""

from __future__ import annotations

from railwise.formats.faults import Faults, described, shown
from railwise.formats.hostlist import EXPECTED as EXPECTED_HOSTLIST
from railwise.formats.hostlist import TooManyNamesError, expand, is_plain
from railwise.formats.kinds import Definitions, Kind, ListOf, MapOf, Parsed, Schema, Text, Whole
from railwise.model.quantity import (
    EXPECTED_BANDWIDTH,
    EXPECTED_COUNT,
    EXPECTED_CPU,
    EXPECTED_DURATION,
    EXPECTED_MEMORY,
    EXPECTED_THOUSANDTHS,
    MIB,
    MOST,
    parse_bandwidth,
    parse_count,
    parse_cpu,
    parse_duration,
    parse_memory,
    parse_thousandths,
)
from railwise.model.queue import LinkPart

MOST_NODES = 1_000_000
"""A document names at most so many nodes."""

MOST_WORKLOADS = 1_000_000
"""A document names at most so many workloads."""

MOST_PODS = 1_000_000
"""A group has at most so many pods, and the hostlists of running pods stand for at most so many."""

MOST_PLACES = 4_000_000
"""The hostlists of domains in a document stand for at most so many."""

MOST_CARDS = 1024
"""A node has at most so many cards."""

_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_NAME = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_QUANTITY = r"^[+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[eE][+-]?[0-9]+|[numkMGTPE]?)$"
_SHOWN = r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
_HOSTLIST = r"^[A-Za-z0-9.\[\],_-]+$"

NAME = Text(_NAME, 253, "a name of small letters, digits, '-' and '.'")
"""The name of a node, workload, queue or topology."""

GROUP_NAME = Text(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", 63, "a name of small letters, digits and '-'")
"""The name of a group; paths of groups are joined by ``/``."""

LEVEL = Text(_WORD, 63, "the name of a level")
"""The name of a level."""

LEVEL_OR_EMPTY = Text(f"(?:{_WORD})?", 63, "the name of a level")
"""A level in a rule; an empty one loads, and the workload waits, because the rule cannot be read."""

PLACE = Text(_WORD, 63, "the name of a domain")
"""The name of a domain, such as a rack."""

LABEL_KEY = Text(rf"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?{_WORD}", 317, "a label such as pool or example.com/pool")
"""The key of a label, taint or toleration."""

LABEL_VALUE = Text(f"(?:{_WORD})?", 63, "a label's value of letters, digits, '-', '_' and '.'")
"""The value of a label or taint."""

MODEL = Text(r"[A-Za-z0-9](?:[A-Za-z0-9 ()+._/-]*[A-Za-z0-9)])?", 100, "a card model such as H100-80GB")
"""The model of a card."""

SENTENCE = Text(rf"{_SHOWN}*", 2000, "a text without control characters")
"""A text for people."""

NOTE = Text(rf"(?:{_SHOWN}|\n|\t)*", 100_000, "a text without control characters")
"""A text of several lines for people."""

PATH = Text(rf"{_SHOWN}+", 4096, "the path of a file")
"""A path, looked up by whoever reads the document."""

COUNT = Parsed(parse_count, EXPECTED_COUNT, _QUANTITY, numbers=True)
"""A number of pieces."""

CPU = Parsed(parse_cpu, EXPECTED_CPU, _QUANTITY, numbers=True)
"""CPU that is asked for, in millicores."""

CPU_CAPACITY = Parsed(lambda text: parse_cpu(text, up=False), EXPECTED_CPU, _QUANTITY, numbers=True)
"""CPU that is there, in millicores."""

THOUSANDTHS = Parsed(parse_thousandths, EXPECTED_THOUSANDTHS, _QUANTITY, numbers=True)
"""A number in thousandths."""

DURATION = Parsed(parse_duration, EXPECTED_DURATION, r"^([0-9]+(\.[0-9]+)?(d|h|ms|us|µs|m|s))+$", numbers=False)
"""A time span in µs, not below 0."""

TIME = Parsed(
    parse_duration, EXPECTED_DURATION, r"^-?([0-9]+(\.[0-9]+)?(d|h|ms|us|µs|m|s))+$", numbers=False, least=-MOST
)
"""A point in time in µs, before (below 0) or after the start of the document's clock."""

_BANDWIDTH = r"[0-9]+(\.[0-9]+)?[MGT](bps|bit/s|b/s)"

BANDWIDTH = Parsed(parse_bandwidth, EXPECTED_BANDWIDTH, f"^{_BANDWIDTH}$", numbers=False)
"""A bandwidth in Mbit/s."""


class PartOfLink(Kind[LinkPart]):
    """A part of a link: ``50%``, ``0.5``, or a bandwidth such as ``200Gbps``."""

    expected = "expected a part of an uplink such as 50%, 0.5 or 200Gbps"

    def read(self, value: object, path: str, faults: Faults) -> LinkPart | None:
        """Return the part; None after a fault."""
        text = repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            faults.add(path, f"{self.expected}, not {described(value)}")
            return None
        try:
            part = _link_part(text)
        except ValueError:
            part = None
        if part is None or part.thousandths > WHOLE_LINK:
            faults.add(path, f"{self.expected}, not {shown(text) if isinstance(value, str) else described(value)}")
            return None
        return part

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        text: Schema = {"type": "string", "pattern": rf"^({_BANDWIDTH}|[0-9]+(\.[0-9]+)?%|[01](\.[0-9]+)?)$"}
        return {"anyOf": [text, {"type": "number", "minimum": 0, "maximum": 1}]}


WHOLE_LINK = 1000
"""A whole link in thousandths."""

PERCENT = 100


def _link_part(text: str) -> LinkPart:
    if text.endswith("%"):
        return LinkPart(thousandths=parse_thousandths(text[:-1], up=False) // PERCENT)
    if text[:1].isdigit() and text[-1:].isdigit():
        return LinkPart(thousandths=parse_thousandths(text, up=False))
    return LinkPart(megabits=parse_bandwidth(text))


LINK_PART = PartOfLink()
"""A part of a link."""

PRIORITY = Whole(-(1 << 31), (1 << 31) - 1)
"""A priority, as wide as in Kubernetes."""

LABELS = MapOf(LABEL_KEY, LABEL_VALUE)
"""Labels."""


def _with_unit(text: str, *, up: bool) -> int:
    if text.isdigit() and len(text) < len(str(MIB)) and int(text):
        raise ValueError(f"{EXPECTED_MEMORY} (a bare number is bytes)")
    return parse_memory(text, up=up)


MEMORY = Parsed(lambda text: _with_unit(text, up=True), EXPECTED_MEMORY, _QUANTITY, numbers=True)
"""Memory that is asked for, in MiB."""

MEMORY_CAPACITY = Parsed(lambda text: _with_unit(text, up=False), EXPECTED_MEMORY, _QUANTITY, numbers=True)
"""Memory that is there, in MiB."""


class Hostlist(Kind[list[str]]):
    """A hostlist whose names are each of one form; all lists of ``what`` in a document stand for at most ``limit``."""

    def __init__(self, what: str, name: Text, limit: int) -> None:
        """Keep the form of a name."""
        self.what = what
        self.name = name
        self.limit = limit

    def read(self, value: object, path: str, faults: Faults) -> list[str] | None:
        """Return the names in order."""
        if not isinstance(value, str) or is_plain(value):
            text = self.name.read(value, path, faults)
            return None if text is None else [text]
        try:
            names = expand(value, max(self.limit - faults.spent.get(self.what, 0), 0))
        except TooManyNamesError:
            faults.add(path, f"a document has at most {self.limit} {self.what}")
            return None
        except ValueError as error:
            faults.add(path, str(error))
            return None
        faults.spent[self.what] = faults.spent.get(self.what, 0) + len(names)
        fullmatch, most = self.name.form.fullmatch, self.name.most
        for name in names:
            if len(name) > most or not fullmatch(name):
                faults.add(path, self.name.problem(name))
                return None
        return names

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        del definitions
        return {"type": "string", "pattern": _HOSTLIST}


class NodeNames(Kind[list[str | None]]):
    """Nodes by rank: a hostlist, or a list of names, hostlists and null (a pod that is wanted and does not run)."""

    def __init__(self) -> None:
        """Names are those of nodes."""
        self.names = Hostlist("running pods", NAME, MOST_PODS)

    def read(self, value: object, path: str, faults: Faults) -> list[str | None] | None:
        """Return a node's name or None per rank."""
        if isinstance(value, str):
            return list(self.names.read(value, path, faults) or [])
        if not isinstance(value, list):
            faults.add(path, f"{EXPECTED_HOSTLIST}, or a list of them, not {described(value)}")
            return None
        found: list[str | None] = []
        for index, item in enumerate(value):
            if item is None:
                found.append(None)
                continue
            found.extend(self.names.read(item, f"{path}[{index}]", faults) or [])
            if len(found) > MOST_PODS:
                faults.add(path, f"stands for more than {MOST_PODS} names")
                return None
        return found

    def schema(self, definitions: Definitions) -> Schema:
        """Return the JSON Schema."""
        one = self.names.schema(definitions)
        return {"anyOf": [one, {"type": "array", "items": {"anyOf": [one, {"type": "null"}]}}]}


NUMBERS = ListOf(Whole(0, MOST_CARDS - 1))
"""Card or rail numbers."""
